import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { runCli } from "../../../src/cli/program.js";
import { loadSettings } from "../../../src/gateway/index.js";
import { cliRun } from "../../fakes/cli-context.js";
import { folderForTest } from "../../support/folders.js";

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

async function importing(
  yaml: string,
  { more = [], environment = {} }: { more?: readonly string[]; environment?: Record<string, string> } = {},
) {
  writeFileSync(join(folder, "config.yaml"), yaml);
  const cli = cliRun({ workingDirectory: folder, environment });
  const exitCode = await runCli(["import", "litellm", "config.yaml", ...more], cli.context);
  const settings = exitCode === 0 && more.length === 0 ? JSON.parse(cli.stdout()) : undefined;
  return { exitCode, settings, report: cli.stderr() };
}

/** A provider of the settings that speaks OpenAI's dialect. */
const openai = (id: string, rest: object) => ({
  id,
  type: "openai-compatible",
  like: id,
  models: [],
  ...rest,
});
const OPENAI = { base_url: "https://api.openai.com/v1", like: "openai" };

/** A deployment of the settings, under the profile of the model that the provider has. */
const deployment = (name: string, provider: string, model: string, more: object = {}) => ({
  name,
  provider,
  upstream_model: model,
  profile: model,
  ...more,
});

/** Writes the settings where the server reads them. */
function loaded(settings: unknown) {
  writeFileSync(join(folder, "sextant.config.json"), JSON.stringify(settings));
  return loadSettings({}, { workingDirectory: folder });
}

it("makes one provider with several keys of deployments that differ in nothing but the key", async () => {
  const entry = (key: string, more: string) =>
    `  - { model_name: fast, litellm_params: { model: openai/gpt-5.4-mini, api_key: os.environ/${key}${more} } }\n`;
  const yaml =
    "model_list:\n" +
    entry("OPENAI_API_KEY", ", rpm: 500, weight: 2") +
    entry("OPENAI_TEAM_KEY", ", tpm: 30000, max_parallel_requests: 8") +
    entry("OPENAI_TEAM_KEY", "");
  const { settings, report } = await importing(yaml);
  const keys = [
    { api_key_env: "OPENAI_API_KEY", weight: 2, requests_per_minute: 500 },
    { api_key_env: "OPENAI_TEAM_KEY", tokens_per_minute: 30_000, max_concurrency: 8 },
  ];
  expect(settings).toEqual({
    providers: [openai("openai-api", { ...OPENAI, keys })],
    deployments: [deployment("fast", "openai-api", "gpt-5.4-mini")],
    fallbacks: {},
  });
  expect(report).not.toContain("such limits");
  expect(loaded(settings).providers[0]?.keys).toHaveLength(2);
});

/** In the form of the examples of docs.litellm.ai, with what users have in one file. */
const CONFIG = `
model_list:
  - model_name: gpt-4o
    litellm_params:
      model: azure/gpt-4o-eu
      api_base: https://ours-eu.openai.azure.com/
      api_key: os.environ/AZURE_API_KEY_EU
      api_version: "2025-01-01-preview"
      rpm: 6
    model_info: { base_model: azure/gpt-4o }
  - model_name: gpt-4o
    litellm_params:
      model: azure/gpt-4o-ca
      api_base: https://ours-ca.openai.azure.com/
      api_key: os.environ/AZURE_API_KEY_CA
  - model_name: writer
    litellm_params: { model: anthropic/claude-sonnet-5, api_key: os.environ/ANTHROPIC_API_KEY }
  - model_name: gpt-5.4-mini
    litellm_params: { model: openai/gpt-5.4-mini, api_key: os.environ/OPENAI_API_KEY }
  - model_name: local
    litellm_params:
      model: openai/llama-3.1-8b
      api_base: os.environ/GPU_URL
      api_key: sk-secret-in-the-file
      input_cost_per_token: 0.00000002
      output_cost_per_token: 0.00000006
    model_info: { max_input_tokens: 32768 }
  - model_name: vectors
    litellm_params: { model: text-embedding-3-small, api_key: os.environ/OPENAI_TEAM_KEY }
    model_info: { mode: embedding }
  - model_name: endpoint
    litellm_params: { model: sagemaker/jumpstart-model, aws_region_name: us-west-2 }
  - model_name: "*"
    litellm_params: { model: "*" }
litellm_settings:
  drop_params: true
  fallbacks: [{ writer: [gpt-4o, endpoint] }]
  default_fallbacks: [gpt-5.4-mini]
  success_callback: [langfuse]
router_settings:
  routing_strategy: usage-based-routing-v2
  model_group_alias: { "gpt-4": gpt-4o, prose: { model: writer, hidden: true } }
general_settings:
  master_key: sk-1234
  something_new: 1
`;

it("imports models, hosts, keys by variable, prices, aliases and fallbacks", async () => {
  const { exitCode, settings, report } = await importing(CONFIG, {
    environment: { GPU_URL: "http://gpu.internal:8000/v1" },
  });
  expect(exitCode, report).toBe(0);
  const azure = (region: string, key: string, rest = "") =>
    openai(`azure-ours-${region}`, {
      base_url: `https://ours-${region}.openai.azure.com/${rest}`,
      api_key_env: key,
      like: "azure",
      models: ["gpt-4o", "gpt-4"].map((id) => ({ id, upstream_model: `gpt-4o-${region}` })),
    });
  expect(settings.providers).toEqual([
    azure("eu", "AZURE_API_KEY_EU", "?api-version=2025-01-01-preview"),
    azure("ca", "AZURE_API_KEY_CA"),
    openai("openai-gpu", {
      base_url: "http://gpu.internal:8000/v1",
      api_key_env: "LOCAL_API_KEY",
      like: "openai",
    }),
    openai("openai-api", { ...OPENAI, api_key_env: "OPENAI_TEAM_KEY" }),
  ]);
  expect(settings.deployments).toEqual([
    deployment("writer", "anthropic", "claude-sonnet-5"),
    deployment("local", "openai-gpu", "llama-3.1-8b", {
      price: { input_usd_per_mtok: 0.02, output_usd_per_mtok: 0.06 },
      context_tokens: 32768,
    }),
    deployment("vectors", "openai-api", "text-embedding-3-small", { api: "embeddings" }),
    deployment("prose", "anthropic", "claude-sonnet-5"),
  ]);
  expect(settings.fallbacks).toMatchObject({
    writer: ["gpt-4o"],
    prose: ["gpt-5.4-mini"],
    local: ["gpt-5.4-mini"],
  });
  expect(settings.fallbacks).not.toHaveProperty("gpt-5.4-mini");
});

it("says what has no equal, and never shows a key", async () => {
  const { report, settings } = await importing(CONFIG);
  for (const part of [
    "Keys come from ANTHROPIC_API_KEY, AZURE_API_KEY_CA, AZURE_API_KEY_EU",
    "endpoint: sagemaker/jumpstart-model is left out",
    "fallbacks of writer: endpoint is not imported",
    "gpt-4o: litellm_params.rpm: `keys` of an entry of `providers` have such limits",
    "local: the address is in GPU_URL, which is not set here",
    "*: not needed",
    "litellm_settings.success_callback: OTEL_EXPORTER_OTLP_ENDPOINT",
    "router_settings.routing_strategy: SEXTANT_HOST_SORT",
    "general_settings.master_key: make an administrator's key",
    "general_settings.something_new: no equal",
  ])
    expect(report).toContain(part);
  expect(settings.deployments).toMatchObject([{ name: "writer" }, { name: "vectors" }, { name: "prose" }]);
  expect(report + JSON.stringify(settings)).not.toMatch(/sk-secret|sk-1234/);
});

it("writes a file that the server reads, and never over another", async () => {
  const given = {
    more: ["--out", "sextant.config.json"],
    environment: { GPU_URL: "http://gpu.internal:8000/v1" },
  };
  expect((await importing(CONFIG, given)).exitCode).toBe(0);
  const settings = loadSettings({}, { workingDirectory: folder });
  expect([settings.providers.length, settings.fallbacks.writer]).toEqual([4, ["gpt-4o"]]);
  expect((await importing(CONFIG, given)).report).toContain("exists. Name another file");
});

it("reads the files that it includes", async () => {
  writeFileSync(
    join(folder, "models.yaml"),
    "model_list:\n  - model_name: a\n    litellm_params: { model: groq/b }\n",
  );
  const { settings } = await importing("include: [models.yaml]\n");
  expect(settings.deployments).toEqual([deployment("a", "groq", "b")]);
});

it.each([
  ["model_list: {}", "model_list is not of LiteLLM's form"],
  ["model_list:\n  - model_name: a", "model_list.0.litellm_params is not of LiteLLM's form"],
  ["a: [", "is not YAML"],
  [`a: ${"[".repeat(20_000)}`, "is not YAML"],
  ["include: [config.yaml]", "config.yaml includes itself"],
])("explains what is wrong with %j", async (yaml, message) => {
  const { exitCode, report } = await importing(yaml);
  expect([exitCode, report]).toEqual([1, expect.stringContaining(message)]);
  expect(report.length).toBeLessThan(400);
  expect(existsSync(join(folder, "sextant.config.json"))).toBe(false);
});

it("imports a cloud that is named only where the server runs", async () => {
  const { exitCode, settings } = await importing(
    'model_list:\n- { model_name: a, litellm_params: { model: vertex_ai/z, api_base: "" } }\n',
  );
  expect([exitCode, settings.providers[0].auth]).toEqual([0, { type: "google" }]);
});

it("quotes no line of a file with tags that are not known", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on("warning", note);
  await importing("model_list: []\nspare: !vault sk-hunter2\n");
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

it("an empty file imports nothing", async () => {
  expect((await importing("")).settings).toEqual({ providers: [], deployments: [], fallbacks: {} });
});

/** In the form of docs.litellm.ai/docs/providers/bedrock, …/vertex and …/azure. */
const CLOUDS = `
model_list:
  - model_name: claude
    litellm_params:
      model: bedrock/us.anthropic.claude-opus-4-5-20251101-v1:0
      aws_region_name: os.environ/BEDROCK_REGION
      aws_profile_name: prod
      aws_role_name: arn:aws:iam::1:role/r
  - model_name: claude
    litellm_params:
      model: vertex_ai/claude-opus-4-5@20251101
      vertex_project: ours
      vertex_location: us-east5
      vertex_credentials: /secrets/account.json
  - model_name: oss
    litellm_params: { model: bedrock/converse/openai.gpt-oss-120b-1:0, aws_region_name: us-west-2, aws_access_key_id: os.environ/AWS_ACCESS_KEY_ID }
  - model_name: flash
    litellm_params: { model: vertex_ai/gemini-3.5-flash, vertex_project: ours, vertex_location: global }
  - model_name: keyed
    litellm_params: { model: bedrock/eu.anthropic.claude-sonnet-5, aws_region_name: eu-west-1, api_key: os.environ/AWS_BEARER_TOKEN_BEDROCK }
  - model_name: mini
    litellm_params:
      model: azure/mini
      api_base: https://ours.openai.azure.com/
      tenant_id: os.environ/AZURE_TENANT_ID
      client_id: the-client
      client_secret: sk-secret-of-the-client
    model_info: { base_model: azure/gpt-5.4-mini }
`;

it("imports deployments at Bedrock, Vertex AI and Azure with their authentication", async () => {
  const { settings, report, exitCode } = await importing(CLOUDS, {
    environment: { BEDROCK_REGION: "us-east-1" },
  });
  expect(exitCode, report).toBe(0);
  const anthropic = (id: string, rest: object) => ({ id, type: "anthropic", like: id, ...rest });
  const google = { type: "google", project: "ours" };
  expect(settings.providers).toEqual([
    anthropic("bedrock-anthropic", {
      auth: { type: "aws", region: "us-east-1", profile: "prod" },
      models: [{ id: "claude", upstream_model: "us.anthropic.claude-opus-4-5-20251101-v1:0" }],
    }),
    anthropic("vertex-anthropic", {
      auth: { ...google, location: "us-east5", credentials_file: "/secrets/account.json" },
      models: [{ id: "claude", upstream_model: "claude-opus-4-5@20251101" }],
    }),
    openai("bedrock-openai", { auth: { type: "aws", region: "us-west-2" } }),
    openai("vertex-openai", { auth: { ...google, location: "global" } }),
    anthropic("bedrock-anthropic", {
      id: "bedrock-anthropic-bedrock-runtime",
      base_url: "https://bedrock-runtime.eu-west-1.amazonaws.com/anthropic",
      api_key_env: "AWS_BEARER_TOKEN_BEDROCK",
      models: [],
    }),
    openai("azure-ours", {
      like: "azure",
      base_url: "https://ours.openai.azure.com/",
      auth: { type: "azure", client_id: "the-client" },
    }),
  ]);
  expect(settings.deployments).toMatchObject([
    { name: "oss", upstream_model: "openai.gpt-oss-120b-1:0", profile: "gpt-oss-120b" },
    { name: "flash", upstream_model: "google/gemini-3.5-flash", profile: "gemini-3.5-flash" },
    { name: "keyed", upstream_model: "eu.anthropic.claude-sonnet-5", profile: "claude-sonnet-5" },
    { name: "mini", upstream_model: "mini", profile: "gpt-5.4-mini" },
  ]);
  for (const part of [
    "claude: litellm_params.aws_role_name: a profile of ~/.aws/config assumes a role",
    "oss: litellm_params.aws_access_key_id: set AWS_ACCESS_KEY_ID",
    "mini: litellm_params.client_secret: set AZURE_TENANT_ID and AZURE_CLIENT_SECRET",
  ])
    expect(report).toContain(part);
  expect(report + JSON.stringify(settings)).not.toContain("sk-secret");
  expect(loaded(settings).providers).toHaveLength(6);
});

/** In the form of docs.litellm.ai/docs/proxy/timeout and proxy_server_config.yaml of the project. */
const LIMITS = `
model_list:
  - model_name: large
    litellm_params: { model: openai/gpt-5.4, api_key: os.environ/OPENAI_API_KEY, timeout: 300, stream_timeout: 0.5 }
  - model_name: pair
    litellm_params: { model: groq/a, timeout: 30, max_parallel_requests: 4 }
  - model_name: pair
    litellm_params: { model: mistral/b }
router_settings: { model_group_alias: { big: large } }
litellm_settings: { max_budget: 100, budget_duration: 30d }
general_settings: { alerting: [slack] }
`;

it("imports time limits and calls at once by model and host, and the budget of the proxy", async () => {
  const { settings, report } = await importing(LIMITS);
  const large = { total_timeout_ms: 300_000, first_token_timeout_ms: 500 };
  const pair = { provider: settings.providers[0].id, total_timeout_ms: 30_000, max_concurrency: 4 };
  expect(settings.model_limits).toEqual([
    { model: "large", ...large },
    { model: "pair", ...pair },
    { model: "big", ...large },
  ]);
  expect(settings.budgets).toEqual([{ name: "litellm", by: "all", usd: 100, period: "month" }]);
  expect(report).not.toMatch(/timeout|budget|max_parallel/);
  expect(report).toContain("general_settings.alerting: `alerts` in the settings file");
  const read = loaded(settings);
  expect([read.modelLimits.length, read.budgets.length]).toEqual([3, 1]);
});

it("says which limits it leaves out: in variables, that no start would take, and for another time than budgets have", async () => {
  const { settings, report } = await importing(`
model_list:
  - model_name: large
    litellm_params: { model: openai/gpt-5.4, timeout: os.environ/TIMEOUT, stream_timeout: 100000 }
litellm_settings: { max_budget: 5, budget_duration: 12h }
`);
  expect(Object.keys(settings)).toEqual(["providers", "deployments", "fallbacks"]);
  expect(report).toContain("large: litellm_params.timeout: SEXTANT_UPSTREAM_TOTAL_TIMEOUT_MS");
  expect(report).toContain("large: litellm_params.stream_timeout: `first_token_timeout_ms` in an entry");
  expect(report).toContain("litellm_settings.max_budget: `budgets` in the settings file");
});

it("leaves out what names no model, and models that do something else than answer", async () => {
  const { settings, report } = await importing(`
model_list:
  - model_name: dall-e-2
    litellm_params: { model: azure/, api_base: "https://ours.openai.azure.com/", api_key: os.environ/AZURE_API_KEY }
  - model_name: painter
    litellm_params: { model: openai/gpt-image-2 }
    model_info: { mode: image_generation }
`);
  expect([settings.providers, settings.deployments]).toEqual([[], []]);
  expect(report).toContain("dall-e-2: azure/ is left out. It names no model.");
  expect(report).toContain('painter: openai/gpt-image-2 is left out. Models of the mode "image_generation"');
});
