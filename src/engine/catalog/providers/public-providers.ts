import type { Dialect } from "./dialect.js";

/** The public providers: their addresses and the variables that enable them. Differences between their APIs are elsewhere. */
export interface PublicProvider {
  readonly id: string;
  /** Other names that are accepted in `provider/model`. */
  readonly aliases: readonly string[];
  readonly type: Exclude<Dialect, "sandbox">;
  /** Null when every account or machine has its own address, which a variable must give. */
  readonly baseUrl: string | null;
  /** Variables that may have the key, in order of precedence; none where there are no keys, only `auth`. */
  readonly keyVariables: readonly string[];
  /** False where servers usually need no key: then the address alone enables it. */
  readonly needsKey: boolean;
  /** Variables that may have the address, in order of precedence. */
  readonly baseUrlVariables: readonly string[];
  /** Variables that may have the API version. */
  readonly versionVariables: readonly string[];
  /** Path added to an address without one. */
  readonly defaultPath: string;
  /** Id in the price list; null when the list does not have it. */
  readonly priceList: string | null;
  /**
   * Which models it serves: its own (`listed`) or other makers' (`hosted`), by the price list, or only those in the
   * settings (`configured`), because every account has its own. What the catalog file names for it counts for all.
   */
  readonly models: "listed" | "hosted" | "configured";
  /** The endpoint that serves its models best: `responses` where functions and reasoning go together only there. */
  readonly api: "chat" | "responses";
  /** Whether all its names are `maker/model`. */
  readonly makerNames: boolean;
  /** Pattern of names that it can serve, where the list has others for the same provider. */
  readonly serves?: RegExp;
  /** Page the facts are from. */
  readonly source: string;
}

type Row = Pick<
  PublicProvider,
  "id" | "baseUrl" | "keyVariables" | "baseUrlVariables" | "models" | "source"
> &
  Partial<PublicProvider>;

const provider = (row: Row): PublicProvider => ({
  aliases: [],
  type: "openai-compatible",
  needsKey: true,
  versionVariables: [],
  defaultPath: "",
  makerNames: false,
  api: "chat",
  priceList: row.id,
  ...row,
});

/** A self-hosted server: no key, no public prices, an address from the settings. */
const ownServer = (row: Omit<Row, "baseUrl" | "models">): PublicProvider =>
  provider({
    ...row,
    baseUrl: null,
    needsKey: false,
    defaultPath: "/v1",
    priceList: null,
    models: "configured",
  });

/** In display order: makers of models, then hosts of other makers' models, then self-hosted servers. */
export const PUBLIC_PROVIDERS: readonly PublicProvider[] = [
  provider({
    id: "openai",
    baseUrl: "https://api.openai.com/v1",
    keyVariables: ["OPENAI_API_KEY"],
    baseUrlVariables: ["OPENAI_BASE_URL"],
    models: "listed",
    // developers.openai.com/api/docs/guides/migrate-to-responses
    api: "responses",
    // Open weights, which other providers host.
    serves: /^(?!gpt-oss)/,
    source: "https://platform.openai.com/docs/api-reference/introduction",
  }),
  provider({
    id: "anthropic",
    type: "anthropic",
    baseUrl: "https://api.anthropic.com",
    keyVariables: ["ANTHROPIC_API_KEY"],
    baseUrlVariables: ["ANTHROPIC_BASE_URL"],
    models: "listed",
    source: "https://platform.claude.com/docs/en/api/overview",
  }),
  provider({
    id: "google",
    aliases: ["gemini"],
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    baseUrlVariables: ["GEMINI_BASE_URL", "GOOGLE_BASE_URL"],
    models: "listed",
    // The list's `google` is Vertex AI too, with Claude and others that the Gemini API does not have.
    serves: /^(gemini|gemma)-/,
    source: "https://ai.google.dev/gemini-api/docs/openai",
  }),
  provider({
    id: "mistral",
    baseUrl: "https://api.mistral.ai/v1",
    keyVariables: ["MISTRAL_API_KEY"],
    baseUrlVariables: ["MISTRAL_BASE_URL"],
    models: "listed",
    source: "https://docs.mistral.ai/api",
  }),
  provider({
    id: "deepseek",
    baseUrl: "https://api.deepseek.com",
    keyVariables: ["DEEPSEEK_API_KEY"],
    baseUrlVariables: ["DEEPSEEK_BASE_URL"],
    models: "listed",
    source: "https://api-docs.deepseek.com",
  }),
  provider({
    id: "x-ai",
    aliases: ["xai"],
    baseUrl: "https://api.x.ai/v1",
    keyVariables: ["XAI_API_KEY"],
    baseUrlVariables: ["XAI_BASE_URL"],
    models: "listed",
    source: "https://docs.x.ai/docs/api-reference",
  }),
  provider({
    id: "groq",
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariables: ["GROQ_API_KEY"],
    baseUrlVariables: ["GROQ_BASE_URL"],
    models: "hosted",
    source: "https://console.groq.com/docs/openai",
  }),
  provider({
    id: "together",
    aliases: ["together-ai", "together_ai"],
    baseUrl: "https://api.together.ai/v1",
    keyVariables: ["TOGETHER_API_KEY"],
    baseUrlVariables: ["TOGETHER_BASE_URL"],
    models: "hosted",
    makerNames: true,
    source: "https://docs.together.ai/docs/inference/openai-compatibility",
  }),
  provider({
    id: "fireworks",
    aliases: ["fireworks-ai", "fireworks_ai"],
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keyVariables: ["FIREWORKS_API_KEY"],
    baseUrlVariables: ["FIREWORKS_BASE_URL"],
    models: "hosted",
    source: "https://docs.fireworks.ai/tools-sdks/openai-compatibility",
  }),
  provider({
    id: "openrouter",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariables: ["OPENROUTER_API_KEY"],
    baseUrlVariables: ["OPENROUTER_BASE_URL"],
    models: "hosted",
    makerNames: true,
    source: "https://openrouter.ai/docs/api/reference/overview",
  }),
  provider({
    id: "azure",
    aliases: ["azure-openai", "azure_openai"],
    baseUrl: null,
    keyVariables: ["AZURE_OPENAI_API_KEY"],
    baseUrlVariables: ["AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_BASE_URL"],
    versionVariables: ["AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION"],
    // A resource serves the deployments that were made in it, under the names they were given.
    models: "configured",
    // learn.microsoft.com/azure/ai-foundry/openai/how-to/responses
    api: "responses",
    source: "https://learn.microsoft.com/azure/ai-foundry/openai/reference",
  }),
  provider({
    id: "azure-anthropic",
    aliases: ["azure-claude"],
    type: "anthropic",
    baseUrl: null,
    keyVariables: ["ANTHROPIC_FOUNDRY_API_KEY"],
    baseUrlVariables: ["ANTHROPIC_FOUNDRY_BASE_URL"],
    models: "configured",
    priceList: "azure",
    // Azure bills Claude at Anthropic's own prices.
    source: "https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry",
  }),
  provider({
    id: "bedrock-anthropic",
    aliases: ["bedrock"],
    type: "anthropic",
    baseUrl: null,
    keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
    baseUrlVariables: ["BEDROCK_ANTHROPIC_BASE_URL", "AWS_REGION"],
    models: "configured",
    priceList: "aws",
    source: "https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html",
  }),
  provider({
    id: "bedrock-openai",
    baseUrl: null,
    keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
    baseUrlVariables: ["BEDROCK_OPENAI_BASE_URL", "AWS_REGION"],
    models: "configured",
    priceList: "aws",
    source: "https://docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html",
  }),
  provider({
    id: "vertex-anthropic",
    aliases: ["vertex", "vertex-ai", "vertex_ai"],
    type: "anthropic",
    baseUrl: null,
    keyVariables: [],
    baseUrlVariables: [],
    models: "configured",
    priceList: "google",
    source: "https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai",
  }),
  provider({
    id: "vertex-openai",
    baseUrl: null,
    keyVariables: [],
    baseUrlVariables: [],
    models: "configured",
    priceList: "google",
    source: "https://docs.cloud.google.com/vertex-ai/generative-ai/docs/migrate/openai/overview",
  }),
  ownServer({
    id: "ollama",
    keyVariables: ["OLLAMA_API_KEY"],
    baseUrlVariables: ["OLLAMA_BASE_URL", "OLLAMA_HOST"],
    source: "https://docs.ollama.com/api/openai-compatibility",
  }),
  ownServer({
    id: "vllm",
    keyVariables: ["VLLM_API_KEY"],
    baseUrlVariables: ["VLLM_BASE_URL"],
    source: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server/",
  }),
  ownServer({
    id: "llama-cpp",
    aliases: ["llamacpp", "llama.cpp", "llama_cpp"],
    keyVariables: ["LLAMA_CPP_API_KEY"],
    baseUrlVariables: ["LLAMA_CPP_BASE_URL"],
    source: "https://github.com/ggml-org/llama.cpp/tree/master/tools/server",
  }),
];

const byName: ReadonlyMap<string, PublicProvider> = new Map(
  PUBLIC_PROVIDERS.flatMap((provider) =>
    [provider.id, ...provider.aliases].map((name) => [name, provider] as const),
  ),
);

/** A public provider by its id or another name for it. */
export const publicProvider = (name: string): PublicProvider | undefined => byName.get(name);

const byHost: ReadonlyMap<string, PublicProvider> = new Map(
  PUBLIC_PROVIDERS.flatMap((provider) =>
    provider.baseUrl === null ? [] : [[new URL(provider.baseUrl).host, provider] as const],
  ),
);

/** The public provider with this API address. */
export const publicProviderAt = (baseUrl: string): PublicProvider | undefined =>
  URL.canParse(baseUrl) ? byHost.get(new URL(baseUrl).host) : undefined;

/** Every id and every other name. */
export const PUBLIC_PROVIDER_NAMES: readonly string[] = [...byName.keys()];
