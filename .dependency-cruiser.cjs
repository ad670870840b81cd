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
      name: "foundation-stands-alone",
      comment: "foundation/ knows nothing of what is built on it",
      severity: "error",
      from: { path: "^src/foundation/" },
      to: { path: "^src/", pathNot: "^src/foundation/" },
    },
    {
      name: "search-is-pure",
      comment: "search/ imports only itself and foundation/: vectors in, neighbours out",
      severity: "error",
      from: { path: "^src/search/" },
      to: { path: "^src/", pathNot: "^src/(search|foundation)/" },
    },
    {
      name: "estimation-is-pure",
      comment: "estimation/ imports only itself and search/: numbers in, numbers out",
      severity: "error",
      from: { path: "^src/estimation/" },
      to: { pathNot: "^src/(estimation|search)/" },
    },
    {
      name: "the-core-is-pure",
      comment:
        "router/ imports only itself, estimation/, search/, the embedder's interface and the error table",
      severity: "error",
      from: { path: "^src/router/" },
      to: {
        pathNot:
          "^src/(router|estimation|search)/|^src/embedding/embedder\\.ts$|^src/foundation/errors\\.ts$",
      },
    },
    {
      name: "the-api-is-shapes-alone",
      comment: "api/ is the wire contract: no HTTP server, no store, no settings",
      severity: "error",
      from: { path: "^src/api/" },
      to: {
        pathNot:
          "^src/(api|foundation|router)/|^src/access/(principal|source)\\.ts$|^src/catalog/(deployments/price-source|providers/dialect)\\.ts$|^src/estimation/basis\\.ts$|^src/inference/attempts/circuit-breaker\\.ts$|^src/traces/(billed-usage|failures|store|series|trace|trace-messages|traced-message)\\.ts$|^src/workbench/replay/(replay-report|savings-report|shadow-comparison)\\.ts$|^src/workbench/set-report/report-data\\.ts$|node_modules/zod/",
      },
    },
    {
      name: "dialects-only-translate",
      comment:
        "dialects/ turns the bodies of other APIs into chat completions and back: no server, no provider, no store",
      severity: "error",
      from: { path: "^src/dialects/" },
      to: {
        path: "^src/",
        pathNot:
          "^src/(dialects|foundation|api)/|^src/providers/(chat|json-object)\\.ts$|^src/traces/trace\\.ts$",
      },
    },
    {
      name: "collecting-asks-through-an-interface",
      comment: "it knows tables and files; compose/ gives it models to ask",
      severity: "error",
      from: {
        path: "^src/workbench/",
        pathNot: "^src/workbench/(evaluation|labels|metrics|replay|set-report|topics|traffic)/",
      },
      to: {
        path: "^src/",
        pathNot: "^src/(workbench|foundation|workers|profiles/outcomes)/|^src/traces/trace\\.ts$",
      },
    },
    {
      name: "only-the-server-imports-dialects",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(dialects|server)/" },
      to: { path: "^src/dialects/" },
    },
    {
      name: "only-the-edges-import-the-api",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: "^src/(api|dialects|server|cli|client|compose|console|report)/|^src/(index|workbench)\\.ts$",
      },
      to: { path: "^src/api/" },
    },
    {
      name: "client-and-console-import-only-types-of-the-api",
      comment: "neither a browser nor a program that calls the gateway should load Zod",
      severity: "error",
      from: { path: "^src/(client|console)/" },
      to: { path: "^src/api/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "a-report-is-drawn-from-the-api",
      comment:
        "report/ draws what the API sends, for the console and for the page of the command line: no Node, no DOM",
      severity: "error",
      from: { path: "^src/report/", pathNot: "^src/report/page/" },
      to: { path: ".", pathNot: "^src/report/[^/]+$", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "only-server-imports-fastify",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/server/" },
      to: { path: "node_modules/(fastify|@fastify|fastify-type-provider-zod)/" },
    },
    {
      name: "only-entry-points-import-compose",
      comment: "only the entry points import compose/",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/compose/|^src/(index|workbench)\\.ts$|^src/cli/" },
      to: { path: "^src/compose/" },
    },
    {
      name: "src-never-imports-test-or-bench",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|bench|training|datasets)/", pathNot: "/node_modules/" },
    },
    {
      name: "only-the-cli-prints-progress",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/cli/" },
      to: { path: "node_modules/(commander|cli-progress|cli-table3)/" },
    },
    {
      name: "the-client-stands-alone",
      comment: "it runs in browsers and in other people's programs: nothing of the server comes along",
      severity: "error",
      from: { path: "^src/client/" },
      to: { pathNot: "^src/(client|api)/|node_modules/openai/" },
    },
    {
      name: "only-the-client-imports-openai",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/client/" },
      to: { path: "node_modules/openai/" },
    },
    {
      name: "the-console-is-a-page",
      comment: "it runs in a browser and knows the gateway by its API alone",
      severity: "error",
      from: { path: "^src/console/" },
      to: {
        pathNot: "^src/(console|api)/|^src/report/[^/]+$|node_modules/(preact|@preact|wouter-preact|uplot)/",
      },
    },
    {
      name: "only-the-bundler-knows-the-console",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/console/" },
      to: { path: "^src/console/|node_modules/(preact|@preact|wouter-preact|uplot)/" },
    },
    {
      name: "only-one-file-knows-the-cluster",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/cluster/cluster\\.ts$" },
      to: { path: "^(node:)?cluster$" },
    },
    onlyFrom("hnswlib-node", "^src/search/hnsw-library\\.ts$"),
    onlyFrom("onnxruntime-node", "^src/embedding/static/onnx-session\\.ts$"),
    onlyFrom("@huggingface/transformers", "^src/embedding/transformers/worker\\.ts$"),
    onlyFrom("@pydantic/genai-prices", "^src/catalog/prices/prices\\.ts$"),
    onlyFrom("undici", "^src/providers/http/upstream\\.ts$"),
    onlyFrom("prom-client", "^src/server/operations/metrics/metrics\\.ts$"),
    {
      name: "only-telemetry-imports-opentelemetry",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/telemetry/" },
      to: { path: "node_modules/@opentelemetry/" },
    },
    onlyFrom("@fastify/swagger-ui", "^src/server/operations/docs-route\\.ts$"),
    onlyFrom("unpdf", "^src/inference/file-texts/worker\\.ts$"),
    onlyFrom("gpt-tokenizer", "^src/inference/token-counting/count-tokens\\.ts$"),
    {
      name: "tokens-are-counted-in-a-thread-of-their-own",
      comment: "loading the tokenizer and counting a long text block the thread they run in",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/inference/token-counting/worker\\.ts$" },
      to: { path: "^src/inference/token-counting/count-tokens\\.ts$", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "nobody-imports-a-thread",
      comment:
        "an entry of a worker thread is started, never imported: its code would run in the thread that imports it",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "[/-]worker\\.ts$", dependencyTypesNot: ["type-only"] },
    },
    onlyFrom("@duckdb/node-api", "^src/traces/duckdb/database\\.ts$"),
    onlyFrom("hyparquet", "^src/profiles/outcomes/parquet\\.ts$"),
    onlyFrom("hyparquet-writer", "^src/server/traces/export/parquet-file\\.ts$"),
    onlyFrom("ajv", "^src/workbench/graders/match-schema\\.ts$"),
    onlyFrom("ajv-formats", "^src/workbench/graders/match-schema\\.ts$"),
    onlyFrom("jose", "^src/access/tokens/jwt\\.ts$"),
    onlyFrom("ioredis", "^src/foundation/redis\\.ts$"),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    moduleSystems: ["es6", "cjs"],
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
  },
};
