import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin, parseAst, Visitor } from "vite";

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}.ts`, import.meta.url));

/** What runs by itself: the package's entry points, the command line, and worker threads, under the names of their sources. */
const ENTRIES = [
  "client/index",
  "workbench",
  "cli/connect/agent-line",
  "cli/connect/opencode-plugin",
  "cli/main",
  "engine/embedding/transformers/worker",
  "gateway/token-counting/worker",
  "gateway/traces/duckdb/worker",
  "gateway/traces/redaction/worker",
  "workbench/graders/worker",
  "workbench/set-report/worker",
];

const ENGINE = {
  index: source("engine/embedded/index"),
  "engine/embedding/transformers/worker": source("engine/embedding/transformers/worker"),
};

/** Optional: left to the time when they are imported, also where they are not installed. */
const { peerDependencies } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"));

/**
 * Writes `{ ...one, two }` as `{ ...{}, ...one, two }`, which means the same.
 *
 * V8 of Node 20 gives every object that the first makes a hidden class of its own: 1.8 µs in place of .06, and each
 * later access to it misses the inline caches. Node 22 does not, and takes .02 and .07: to be removed when Node 20 is
 * not supported any more (docs/decisions/gateway-cost.md).
 */
const sharedHiddenClasses: Plugin = {
  name: "shared-hidden-classes",
  // After what simplifies the code, which would take it away again. No line moves, so that source maps stay right.
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle))
      if (chunk.type === "chunk") chunk.code = withSharedClasses(chunk.code);
  },
};

function withSharedClasses(code: string): string {
  const starts: number[] = [];
  new Visitor({
    ObjectExpression({ start, properties: [first, ...others] }) {
      if (first?.type === "SpreadElement" && others.length > 0) starts.push(start + 1);
    },
  }).visit(parseAst(code));
  const cuts = [0, ...starts.sort((one, other) => one - other)];
  return cuts.map((from, at) => code.slice(from, cuts[at + 1])).join("...{},");
}

/**
 * The modules of `src` joined into few files, because opening hundreds takes a start longer than their code: the package
 * `sextant` in `dist`, and with `--mode engine` the package `sextant-engine`, which holds the engine alone, in `src/engine/dist`.
 * Shared code lies beside the entries.
 */
export default defineConfig(({ mode }) => ({
  logLevel: "warn",
  plugins: [sharedHiddenClasses],
  // Zod is a hundred files that every start opens. Its plug-in comes along, so that both use one copy.
  ssr: { noExternal: mode === "engine" ? ["zod", "lru-cache"] : ["zod", "fastify-type-provider-zod"] },
  build: {
    ssr: true,
    outDir: mode === "engine" ? "src/engine/dist" : "dist",
    emptyOutDir: true,
    target: "node20",
    minify: false,
    sourcemap: true,
    license: { fileName: "licenses.md" },
    rolldownOptions: {
      external: Object.keys(peerDependencies),
      checks: { bundlerTimings: false },
      // No module of `src` does anything by being imported: an index brings along what is used of it.
      treeshake: { moduleSideEffects: false },
      input: mode === "engine" ? ENGINE : Object.fromEntries(ENTRIES.map((entry) => [entry, source(entry)])),
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name].js",
        hoistTransitiveImports: false,
        // V8 keeps the source in memory, with two bytes a character where one is not in Latin-1.
        charset: "ascii",
        comments: { jsdoc: false },
      },
    },
  },
}));
