import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { newerNodePool } from "./test/support/newer-node.js";

/** Starts programs, kills them, sends random input, or takes longer than a few seconds. */
const PROCESSES = [
  "test/e2e/**/*.test.ts",
  "test/fuzz/**/*.test.ts",
  "proofs/**/*.test.ts",
  "test/**/*.slow.test.ts",
];
/** Clients of other vendors, whose newest versions need a newer Node than Sextant. */
const CLIENTS = ["test/e2e/clients/**/*.test.ts"];
/** Needs servers, the browser or the package registry of others, or packages that are large. */
const SERVICES = [
  "test/services/**/*.test.ts",
  "test/e2e/console/**/*.test.ts",
  "test/e2e/installed-package.test.ts",
];

interface Stage {
  readonly include: string[];
  readonly exclude?: readonly string[];
  readonly pool?: typeof newerNodePool;
  /** Projects with a lower number are run before. */
  readonly groupOrder: number;
}

const project = (name: string, stage: Stage): TestProjectInlineConfiguration => ({
  test: {
    name,
    include: stage.include,
    exclude: ["**/node_modules/**", ...(stage.exclude ?? [])],
    ...(stage.pool && { pool: stage.pool }),
    // Modules keep caches alone, so that tests can share them.
    isolate: false,
    // Tests wait for timers and other programs as much as they compute: as many workers as processors, not one fewer.
    maxWorkers: "100%",
    sequence: { groupOrder: stage.groupOrder },
    // Only against hanging for ever: a busy machine takes its time to start the processes that some tests run.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000, interval: 20 } },
  },
});

/** `npm test` runs the first project, `npm run test:services` the other three: the second stage. */
export default defineConfig({
  test: {
    projects: [
      project("units", {
        include: ["test/**/*.test.ts"],
        exclude: [...PROCESSES, ...SERVICES],
        groupOrder: 0,
      }),
      // Beside each other: every test starts its servers on free ports, and none writes what others read.
      project("processes", { include: PROCESSES, exclude: [...SERVICES, ...CLIENTS], groupOrder: 1 }),
      project("clients", { include: CLIENTS, pool: newerNodePool, groupOrder: 1 }),
      project("services", { include: SERVICES, groupOrder: 1 }),
    ],
  },
});
