/** Each of the layer rules fails on a planted break. That the source obeys them is for `npm run check:layers`. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { folderForTest } from "./support/folders.js";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
interface Verdict {
  readonly summary: {
    readonly violations: readonly { readonly rule: { readonly name: string }; readonly from: string }[];
  };
}

async function cruise(workingDirectory: string): Promise<Verdict["summary"]> {
  const argv = ["--config", ".dependency-cruiser.cjs", "--output-type", "json", "src"];
  const binary = join(ROOT, "node_modules/.bin/depcruise");
  const output = await new Promise<string>((resolve) => {
    // It exits with the number of violations, so a failure is not an error here.
    execFile(binary, argv, { cwd: workingDirectory, maxBuffer: 1e8 }, (_, stdout) => resolve(stdout));
  });
  return (JSON.parse(output) as Verdict).summary;
}

/** A tree of its own with the project's rules and the given files. */
function plant(files: Readonly<Record<string, string>>): string {
  const folder = folderForTest();
  for (const name of [".dependency-cruiser.cjs", "tsconfig.json", "package.json"])
    cpSync(join(ROOT, name), join(folder, name));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const HOUSES_APART = "the-gateway-and-the-workbench-do-not-know-each-other";

const exporting = "export const it = 1;\n";

/** Each with a rule that one file alone imports it. */
const PACKAGES_OF_ONE_FILE = [
  ...["@clickhouse/client", "@duckdb/node-api", "@fastify/swagger-ui", "@huggingface/transformers", "ajv"],
  ...["ajv-formats", "gpt-tokenizer", "hnswlib-node", "hyparquet", "ioredis", "ipaddr.js", "jose", "libsql"],
  ...["prom-client", "undici", "zstddec"],
];

/** One tree with one break of every rule: the file that breaks it, and the files it needs for that. */
const BREAKS: readonly {
  readonly rule: string;
  readonly from: string;
  readonly files: Readonly<Record<string, string>>;
}[] = [
  {
    rule: "no-cycles",
    from: "src/cycle-a.ts",
    files: {
      "src/cycle-a.ts": 'export * from "./cycle-b.js";\n',
      "src/cycle-b.ts": 'export * from "./cycle-a.js";\n',
    },
  },
  {
    rule: "no-folder-cycles",
    from: "src/one",
    files: {
      "src/one/a.ts": 'export * from "../two/b.js";\n',
      "src/two/b.ts": exporting,
      "src/two/c.ts": 'export * from "../one/d.js";\n',
      "src/one/d.ts": exporting,
    },
  },
  {
    rule: "a-house-imports-the-packages-that-it-lists",
    from: "src/engine/serving.ts",
    files: {
      "src/engine/package.json": '{ "name": "engine", "type": "module", "dependencies": {} }\n',
      "src/engine/serving.ts": 'export * from "pino";\n',
    },
  },
  ...PACKAGES_OF_ONE_FILE.map((name) => {
    const rule = `only-one-file-imports-${name.replace("@", "").replaceAll(/[/.]/g, "-")}`;
    return planted(rule, `src/${rule}.ts`, name);
  }),
  planted("foundation-stands-alone", "src/foundation/outward.ts", "../gateway/http/part.js"),
  planted("the-engine-stands-alone", "src/engine/embedding/configured.ts", "../../gateway/settings/part.js"),
  planted(HOUSES_APART, "src/gateway/features/learning.ts", "../../workbench/index.js"),
  planted(HOUSES_APART, "src/workbench/serving.ts", "../gateway/index.js"),
  planted(
    "the-engine-is-entered-by-its-index",
    "src/gateway/access/deciding.ts",
    "../../engine/router/part.js",
  ),
  planted("the-engine-is-entered-by-its-index", "src/workbench/deciding.ts", "../engine/router/part.js"),
  planted("the-gateway-is-entered-by-its-index", "src/cli/serving.ts", "../gateway/http/part.js"),
  planted("the-workbench-is-entered-by-its-index", "src/cli/learning.ts", "../workbench/fitting/part.js"),
  planted("the-core-is-pure", "src/engine/router/reading.ts", "node:fs"),
  planted("the-core-is-pure", "src/engine/estimation/loading.ts", "../profiles/part.js"),
  planted("the-core-is-pure", "src/engine/router/storing.ts", "../../foundation/part.js"),
  planted("search-is-pure", "src/engine/search/deciding.ts", "../router/part.js"),
  planted("the-api-is-shapes-alone", "src/gateway/api/serving.ts", "fastify"),
  planted("the-api-is-shapes-alone", "src/gateway/api/storing.ts", "../traces/duckdb/part.js"),
  planted("the-api-is-shapes-alone", "src/gateway/api/configured.ts", "../settings/part.js"),
  planted("dialects-only-translate", "src/gateway/dialects/serving.ts", "../http/part.js"),
  planted("only-the-edges-import-the-api", "src/gateway/traces/wire.ts", "../api/part.js"),
  planted(
    "client-and-console-import-only-types-of-the-api",
    "src/client/parsing.ts",
    "../gateway/api/part.js",
  ),
  planted(
    "client-and-console-import-only-types-of-the-api",
    "src/console/parsing.ts",
    "../gateway/api/part.js",
  ),
  planted("a-report-is-drawn-without-node", "src/workbench/report/measuring.ts", "../fitting/part.js"),
  planted("only-the-edges-import-fastify", "src/gateway/access/web.ts", "fastify"),
  planted("only-entry-points-import-compose", "src/gateway/access/house.ts", "../../compose/compose.js"),
  planted("src-never-imports-test-or-bench", "src/tested.ts", "../test/part.js"),
  planted("the-client-stands-alone", "src/client/counting.ts", "undici"),
  planted("the-console-is-a-page", "src/console/page.ts", "../gateway/http/part.js"),
  planted("only-the-bundler-knows-the-console", "src/gateway/features/pages.ts", "../../console/part.js"),
  planted("only-telemetry-imports-opentelemetry", "src/gateway/features/tracing.ts", "@opentelemetry/api"),
  {
    rule: "tokens-are-counted-in-a-thread-of-their-own",
    from: "src/gateway/run/impatient.ts",
    files: {
      "src/gateway/run/impatient.ts": 'export * from "../token-counting/count-tokens.js";\n',
      "src/gateway/token-counting/count-tokens.ts": exporting,
    },
  },
  {
    rule: "a-thread-is-never-imported",
    from: "src/gateway/run/joined.ts",
    files: {
      "src/gateway/run/joined.ts": 'export * from "../token-counting/worker.js";\n',
      "src/gateway/token-counting/worker.ts": exporting,
    },
  },
];

function planted(rule: string, from: string, imported: string) {
  return { rule, from, files: { [from]: `import * as part from "${imported}";\nexport { part };\n` } };
}

const COMMON = Object.fromEntries(
  [
    ...["api", "settings", "traces/duckdb", "http", "dialects"].map((part) => `src/gateway/${part}/part.ts`),
    ...["engine/router", "engine/profiles", "console", "foundation"].map((part) => `src/${part}/part.ts`),
    ...["src/compose/compose.ts", "src/gateway/index.ts", "src/workbench/index.ts"],
    ...["src/workbench/fitting/part.ts", "test/part.ts"],
  ].map((path) => [path, exporting]),
);

describe("The layer rules", () => {
  it("each report a planted violation", async () => {
    const { violations } = await cruise(
      plant(Object.assign({ ...COMMON }, ...BREAKS.map(({ files }) => files))),
    );
    const found = violations.map(({ rule, from }) => `${rule.name}: ${from}`);
    for (const { rule, from } of BREAKS) expect(found).toContain(`${rule}: ${from}`);
  });

  it("each have a planted violation in this test", async () => {
    const { forbidden } = createRequire(import.meta.url)(join(ROOT, ".dependency-cruiser.cjs"));
    const names: string[] = forbidden.map(({ name }: { name: string }) => name);
    expect(names.filter((name) => !BREAKS.some(({ rule }) => rule === name))).toEqual([]);
  });
});
