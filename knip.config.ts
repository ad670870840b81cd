import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { KnipConfig } from "knip";

/** What the houses import: the root's package.json lists it too, with versions, because `sextant` is packed with all of them. */
const ofHouses = readdirSync("src").flatMap((house) => {
  const path = `src/${house}/package.json`;
  if (!existsSync(path)) return [];
  const { dependencies, devDependencies } = JSON.parse(readFileSync(path, "utf8"));
  return Object.keys({ ...dependencies, ...devDependencies });
});

export default {
  workspaces: {
    ".": {
      entry: [
        "bench/**/*.ts",
        "proofs/**/*.ts",
        "datasets/{answer-lengths,main}.ts",
        "scripts/planted-faults/reach-setup.ts",
        "scripts/test-summary.ts",
        "test/**/*.test.ts",
        "test/gateway/traces/duckdb/{full-disk,holding-process,storing-process}.ts",
      ],
      project: [
        "src/*.ts",
        "src/compose/**/*.ts",
        "bench/**/*.ts",
        "proofs/**/*.ts",
        "datasets/**/*.ts",
        "scripts/**/*.ts",
        "test/**/*.ts",
      ],
      ignoreDependencies: ofHouses,
    },
    "src/*": {
      entry: [
        "main.{ts,tsx}",
        "**/worker.ts",
        "layout/early-theme.ts",
        "connect/{agent-line,opencode-plugin}.ts",
      ],
      project: "**/*.{ts,tsx}",
    },
  },
  ignoreIssues: { "test/e2e/clients/**": ["unlisted"] },
  ignoreDependencies: ["@huggingface/transformers", "onnxruntime-node", "onnxruntime-common"],
  ignoreBinaries: ["prlimit", "redis-cli"],
} satisfies KnipConfig;
