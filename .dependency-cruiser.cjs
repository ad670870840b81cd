/** One technology, one file: whoever imports the package anywhere else breaks the seam. */
const onlyFrom = (technology, path) => ({
  name: `only-one-file-imports-${technology.replace(/[^a-z]+/g, "-").replace(/^-/, "")}`,
  severity: "error",
  from: { path: "^src/", pathNot: path },
  // The first: where an optional package is not installed.
  to: { path: `^${technology}$|node_modules/${technology}/` },
});

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-folder-cycles",
      severity: "error",
      scope: "folder",
      from: { path: "^src/" },
      to: { circular: true },
    },
    {
      name: "a-house-imports-the-packages-that-it-lists",
      comment: "in the package.json of its folder: what the engine lists is all that its package installs",
      severity: "error",
      from: { path: "^src/" },
      // An optional package has both types once it is installed.
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["npm-peer"] },
    },
    {
      name: "foundation-stands-alone",
      comment: "foundation/ knows nothing of what is built on it",
      severity: "error",
      from: { path: "^src/foundation/" },
      to: { path: "^src/", pathNot: "^src/foundation/" },
    },
    {
      name: "the-engine-stands-alone",
      comment: "engine/ decides: alone it is the embedded router, without settings, HTTP or stores",
      severity: "error",
      from: { path: "^src/engine/" },
      to: { path: "^src/", pathNot: "^src/(engine|foundation)/" },
    },
    {
      name: "the-gateway-and-the-workbench-do-not-know-each-other",
      comment: "the profile set on disk is their contract",
      severity: "error",
      from: { path: "^src/(gateway|workbench)/" },
      to: { path: "^src/", pathNot: "^src/($1|engine|foundation)/" },
    },
    {
      name: "the-engine-is-entered-by-its-index",
      comment:
        "by what runs: types may be taken from where they stand. compose/ wires the parts; api/ holds constants of the wire",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(engine|compose|gateway/api)/|/schema\\.ts$" },
      to: {
        path: "^src/engine/",
        // What the command line loads when it is used.
        pathNot: "^src/engine/(index|open-router)\\.ts$",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "the-gateway-is-entered-by-its-index",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(gateway|compose)/" },
      to: { path: "^src/gateway/", pathNot: "^src/gateway/index\\.ts$", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "the-workbench-is-entered-by-its-index",
      comment: "the console draws a set's report with the same code as the command line",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(workbench|compose|console)/" },
      to: {
        path: "^src/workbench/",
        pathNot: "^src/workbench/index\\.ts$",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "the-core-is-pure",
      comment: "estimation/ and router/ compute: no Node, no package, nothing that loads",
      severity: "error",
      from: { path: "^src/engine/(estimation|router)/" },
      to: {
        pathNot:
          "^src/engine/(search|estimation|router)/|^src/engine/embedding/(embedder|read-prompt-texts)\\.ts$|^src/foundation/(cancel-signal|errors|once)\\.ts$",
      },
    },
    {
      name: "search-is-pure",
      comment: "vectors in, neighbours out",
      severity: "error",
      from: { path: "^src/engine/search/" },
      to: { path: "^src/", pathNot: "^src/(engine/search|foundation)/" },
    },
    {
      name: "dialects-only-translate",
      comment: "dialects/ turns bodies of other APIs into chat completions and back: no server, no store",
      severity: "error",
      from: { path: "^src/gateway/dialects/" },
      to: { path: "^src/gateway/(http|features|access|run|settings|telemetry|conversations)/" },
    },
    {
      name: "the-api-is-shapes-alone",
      comment: "api/ is what features share of the wire contract: no HTTP server, no store, no settings",
      severity: "error",
      from: { path: "^src/gateway/api/" },
      to: {
        path: "^src/gateway/(http|settings|providers|dialects|telemetry|conversations|traces/(duckdb|clickhouse))/|node_modules/(?!zod/)|^node:",
      },
    },
    {
      name: "only-the-edges-import-the-api",
      comment: "what runs requests has its own types; features/ and the clients turn them into the wire's",
      severity: "error",
      from: {
        path: "^src/gateway/",
        pathNot: "^src/gateway/(api|dialects|http|features)/|^src/gateway/index\\.ts$",
      },
      to: { path: "^src/gateway/api/" },
    },
    {
      name: "client-and-console-import-only-types-of-the-api",
      comment: "neither a browser nor a program that calls the gateway should load Zod",
      severity: "error",
      from: { path: "^src/(client|console)/" },
      to: { path: "^src/gateway/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "a-report-is-drawn-without-node",
      comment: "report/ draws what the API sends, for the console and for the page of the command line",
      severity: "error",
      from: { path: "^src/workbench/report/", pathNot: "^src/workbench/report/page/" },
      to: {
        path: ".",
        pathNot: "^src/workbench/(report/[^/]+|metrics/hull\\.ts)$|^src/foundation/money\\.ts$",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "only-the-edges-import-fastify",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/gateway/(app\\.ts$|http/|features/)" },
      to: { path: "node_modules/(fastify|@fastify|fastify-type-provider-zod)/" },
    },
    {
      name: "only-entry-points-import-compose",
      comment: "only the entry points import compose/",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(compose|cli)/|^src/workbench\\.ts$" },
      to: { path: "^src/compose/" },
    },
    {
      name: "src-never-imports-test-or-bench",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|bench|proofs|training|datasets)/", pathNot: "/node_modules/" },
    },
    {
      name: "the-client-stands-alone",
      comment: "it runs in browsers and in other people's programs: nothing of the server comes along",
      severity: "error",
      from: { path: "^src/client/" },
      to: { pathNot: "^src/client/|^src/gateway/(api/|features/.*schema)|node_modules/openai/" },
    },
    {
      name: "the-console-is-a-page",
      comment:
        "it runs in a browser and knows the gateway by its API alone; csv.ts and money.ts of foundation need nothing of Node's",
      severity: "error",
      from: { path: "^src/console/" },
      to: {
        pathNot:
          "^src/console/|^src/gateway/(api/|features/.*schema)|^src/foundation/(csv|merge-patch|money)\\.ts$|^src/workbench/report/[^/]+$|node_modules/(preact|@preact|wouter-preact|uplot)/",
      },
    },
    {
      name: "only-the-bundler-knows-the-console",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/console/" },
      to: { path: "^src/console/" },
    },
    onlyFrom("hnswlib-node", "^src/engine/search/hnsw-library\\.ts$"),
    onlyFrom("@huggingface/transformers", "^src/engine/embedding/transformers/worker\\.ts$"),
    onlyFrom("undici", "^src/gateway/providers/http/upstream\\.ts$"),
    onlyFrom("prom-client", "^src/gateway/features/operations/metrics/metrics\\.ts$"),
    {
      name: "only-telemetry-imports-opentelemetry",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/gateway/telemetry/" },
      to: { path: "node_modules/@opentelemetry/" },
    },
    onlyFrom("@fastify/swagger-ui", "^src/gateway/features/operations/docs-route\\.ts$"),
    onlyFrom("gpt-tokenizer", "^src/gateway/token-counting/byte-pairs\\.ts$"),
    {
      name: "tokens-are-counted-in-a-thread-of-their-own",
      comment: "loading the tokenizer and counting a long text block the thread they run in",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/gateway/token-counting/worker\\.ts$" },
      to: {
        path: "^src/gateway/token-counting/count-tokens\\.ts$",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "a-thread-is-never-imported",
      comment:
        "an entry of a worker thread is started, never imported: its code would run in the thread that imports it",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "[/-]worker\\.ts$", dependencyTypesNot: ["type-only"] },
    },
    onlyFrom("@duckdb/node-api", "^src/gateway/traces/duckdb/database\\.ts$"),
    onlyFrom("hyparquet", "^src/workbench/outcomes/parquet\\.ts$"),
    onlyFrom("ajv", "^src/workbench/graders/match-schema\\.ts$"),
    onlyFrom("ajv-formats", "^src/workbench/graders/match-schema\\.ts$"),
    onlyFrom("jose", "^src/gateway/access/tokens/jwt\\.ts$"),
    onlyFrom("zstddec", "^src/gateway/http/plugins/zstd\\.ts$"),
    onlyFrom("ipaddr.js", "^src/gateway/http/client-address\\.ts$"),
    onlyFrom("libsql", "^src/gateway/storage/connection\\.ts$"),
    onlyFrom("@clickhouse/client", "^src/gateway/traces/clickhouse/client\\.ts$"),
    onlyFrom("ioredis", "^src/foundation/redis\\.ts$"),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^src/engine/dist/" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    moduleSystems: ["es6", "cjs"],
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
  },
};
