/**
 * Where providers of OpenAI's dialect differ on the wire, as data: base URLs and keys are the catalog's. What cannot be
 * said in these few fields is no quirk but a dialect of its own.
 */

export interface Quirks {
  /** What carries the key: `Authorization: Bearer KEY`, or `api-key: KEY`. */
  readonly keyHeader: "authorization" | "api-key";
  /** `azure`: the address depends on the API's version and, before its v1, on the model. */
  readonly paths: "plain" | "azure";
  /** Whether streams hold a count only when `stream_options` asks for it, or always, so that the field is not sent. */
  readonly streamUsage: "asked" | "unasked";
  /** How the limit of generated tokens is sent; `by_model`: reasoning models know only `max_completion_tokens`. */
  readonly tokenLimitField: "as_sent" | "by_model" | "max_tokens";
  /** Their name for fields that have another one elsewhere. */
  readonly renamedFields: Readonly<Record<string, string>>;
  /** Refused fields without which the answer is the same: never sent. */
  readonly droppedFields: readonly string[];
  /**
   * Refused fields that are sent only when they change something: a value of `NEUTRAL_VALUES` is left out, so that a
   * default is not refused, and any other one is for the provider to refuse.
   */
  readonly droppedNeutral: readonly string[];
  /** Whether `completion_tokens` count hidden reasoning, or only `total_tokens` do. */
  readonly reasoningTokens: "included" | "beside";
  /**
   * Gemini's thought signatures, in `extra_content` of messages and calls: `checked` by Gemini, `dropped` where another
   * vendor's API would refuse the field, `as_sent` where Gemini may be behind it.
   */
  readonly thoughtSignatures: "checked" | "dropped" | "as_sent";
  /**
   * `mistral`: ids of calls are nine letters and digits, messages have no `reasoning_content`, and a user's never follows a tool's;
   * `any`: as OpenAI's imitators take them.
   */
  readonly messages: "any" | "mistral";
  /** Whether the provider has OpenAI's Responses API too. */
  readonly responses: boolean;
}

/** What happens anyway when the field is left out. */
export const NEUTRAL_VALUES: Readonly<Record<string, unknown>> = {
  frequency_penalty: 0,
  presence_penalty: 0,
  top_p: 1,
  n: 1,
  logprobs: false,
  top_logprobs: 0,
};

/** OpenAI's models that refuse `max_tokens`: o1, o3, o4 and GPT-5 and later, by the names they have there. */
export const REASONING_MODEL = /(?:^|\/)(?:o\d|gpt-(?:[5-9]|\d\d))/;

/**
 * OpenAI's models whose functions chat completions refuse while the model reasons: from 5.4 on, and 5.2 with an effort.
 * github.com/openai/openai-openapi/issues/541 (2026-05-18), github.com/livekit/agents/pull/5088 (2026-03-11),
 * github.com/BerriAI/litellm/pull/34569 (2026-07-24)
 */
export const TOOLS_NEED_RESPONSES = /(?:^|\/)gpt-(?:5\.[2-9]|[6-9]|\d\d)/;

/**
 * OpenAI's models that are known not to reason, and refuse to be asked for their reasoning. A name that hides a model is
 * known by the refusal. github.com/NousResearch/hermes-agent/pull/24234 (2026-05-12)
 */
export const UNREASONING_MODEL = /(?:^|\/)(?:gpt-[34]|chatgpt-|gpt-5(?:\.\d)?-chat)/;

const PLAIN: Quirks = {
  keyHeader: "authorization",
  paths: "plain",
  streamUsage: "asked",
  tokenLimitField: "as_sent",
  renamedFields: {},
  droppedFields: [],
  droppedNeutral: [],
  reasoningTokens: "included",
  thoughtSignatures: "as_sent",
  messages: "any",
  responses: false,
};

/** OpenAI's fields about its own bookkeeping: storage, billing, caching, abuse. */
const BOOKKEEPING = [
  "store",
  "metadata",
  "user",
  "service_tier",
  "prompt_cache_key",
  "prompt_cache_retention",
  "prompt_cache_options",
  "safety_identifier",
];

interface ProviderQuirks extends Partial<Quirks> {
  /** Hosts its public API lives on, subdomains included. */
  readonly hosts?: readonly string[];
}

/**
 * Unknown names are 400 "Cannot find field", reported for `store`, `metadata` and `frequency_penalty`; the rest of the
 * list is a guess, from memory. Thinking is counted in `total_tokens` only. ai.google.dev/gemini-api/docs/openai
 */
const GEMINI: ProviderQuirks = {
  // Vectors come as numbers; whether it knows another encoding is not documented.
  droppedFields: [...BOOKKEEPING, "encoding_format"],
  droppedNeutral: ["frequency_penalty", "presence_penalty", "n", "top_p", "logprobs", "top_logprobs"],
  reasoningTokens: "beside",
  thoughtSignatures: "checked",
};

/** Gemini may be behind it. */
const ANY_MODEL = { thoughtSignatures: "as_sent" } as const;

/** Those that say nothing of thought signatures are other vendors' and drop them. */
const TABLE: Readonly<Record<string, ProviderQuirks>> = {
  // `max_tokens` with a reasoning model is 400 `unsupported_parameter`. Other models take either name, and servers that
  // pose as OpenAI often only the old one. platform.openai.com/docs/api-reference/chat/create
  openai: { hosts: ["api.openai.com"], tokenLimitField: "by_model", responses: true },

  // learn.microsoft.com/azure/ai-foundry/openai/reference. Deployments may hide the model's name: a refusal of `max_tokens` is repaired.
  azure: {
    hosts: ["openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com"],
    keyHeader: "api-key",
    paths: "azure",
    tokenLimitField: "by_model",
    // Of its v1 addresses only.
    responses: true,
  },

  google: { hosts: ["generativelanguage.googleapis.com"], ...GEMINI },

  // The same models behind another door (that it refuses the same is a guess).
  // docs.cloud.google.com/vertex-ai/generative-ai/docs/migrate/openai/overview
  "vertex-openai": { hosts: ["aiplatform.googleapis.com"], ...GEMINI },

  // What it refuses beyond OpenAI's own rules is not documented.
  // docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html
  "bedrock-openai": {},

  // Its schema forbids what it does not name: 422 `extra_forbidden`, reported for `stream_options` and
  // `max_completion_tokens`; the dropped fields follow from the schema. docs.mistral.ai/api. Messages:
  // github.com/charmbracelet/crush/issues/1590 (2025-12-10), github.com/avante-corp/avante.nvim/pull/2951 (2026-02-03)
  mistral: {
    hosts: ["api.mistral.ai"],
    messages: "mistral",
    streamUsage: "unasked",
    tokenLimitField: "max_tokens",
    renamedFields: { seed: "random_seed", dimensions: "output_dimension" },
    droppedFields: BOOKKEEPING,
    droppedNeutral: ["logprobs", "top_logprobs"],
  },

  // Log probabilities are 400 even when they are not wanted. console.groq.com/docs/openai. Counts come in `x_groq` too,
  // which is read for every provider.
  groq: { hosts: ["api.groq.com"], droppedNeutral: ["logprobs", "top_logprobs"] },

  // Documents `max_tokens` only (a guess, from memory). docs.together.ai/reference/chat-completions
  together: { hosts: ["api.together.xyz", "api.together.ai"], tokenLimitField: "max_tokens" },

  // Newer models count streams only when asked; older ones always do. docs.fireworks.ai/api-reference
  fireworks: { hosts: ["api.fireworks.ai"] },

  // Ignores `max_completion_tokens` without a word, so that answers have no limit.
  // api-docs.deepseek.com/api/create-chat-completion. Its names for cached tokens are read for every provider.
  deepseek: { hosts: ["api.deepseek.com"], tokenLimitField: "max_tokens" },

  // "Reasoning token consumption will be counted separately": docs.x.ai/docs/key-information/consumption-and-rate-limits.
  // Reasoning models refuse penalties. docs.x.ai/docs/guides/reasoning
  "x-ai": {
    hosts: ["api.x.ai"],
    droppedNeutral: ["frequency_penalty", "presence_penalty"],
    reasoningTokens: "beside",
    responses: true,
  },

  // Always counts; both ways of asking are deprecated. openrouter.ai/docs/use-cases/usage-accounting
  openrouter: { hosts: ["openrouter.ai"], ...ANY_MODEL, streamUsage: "unasked" },

  // Names `max_tokens` alone among its supported fields. docs.ollama.com/api/openai-compatibility
  ollama: { ...ANY_MODEL, tokenLimitField: "max_tokens" },

  // Takes both limits, and `stream_options` since 0.5. docs.vllm.ai/en/latest/serving/openai_compatible_server
  vllm: ANY_MODEL,

  // Knows `max_completion_tokens` only since early 2026 (its pull request 19831); before, it was ignored.
  "llama-cpp": { ...ANY_MODEL, tokenLimitField: "max_tokens" },
};

export interface QuirksLookup {
  readonly id: string;
  /** Public provider whose ways this one shares. */
  readonly like?: string | undefined;
  readonly baseUrl: string;
}

/**
 * The ways of a provider: those of the one it is said to be like, else of the public one with its id, else of the one
 * whose host it is on, else none in particular.
 *
 * @throws TypeError when `like` names no known provider
 */
export function quirksFor({ id, like, baseUrl }: QuirksLookup): Quirks {
  if (like !== undefined && !Object.hasOwn(TABLE, like)) {
    throw new TypeError(
      `\`like\` of the provider ${id} is "${like}"; it must be one of ${Object.keys(TABLE).join(", ")}`,
    );
  }
  const name = like ?? (Object.hasOwn(TABLE, id) ? id : byHost(baseUrl));
  if (name === undefined) return PLAIN;
  const { hosts: _hosts, ...quirks } = TABLE[name] ?? {};
  return { ...PLAIN, thoughtSignatures: "dropped", ...quirks };
}

/** Gives fields the provider's names, and takes out those that it refuses whatever their value. */
export function nameFields(
  body: Record<string, unknown>,
  { renamedFields, droppedFields }: Pick<Quirks, "renamedFields" | "droppedFields">,
): void {
  for (const [name, theirs] of Object.entries(renamedFields)) {
    if (body[name] === undefined) continue;
    body[theirs] ??= body[name];
    body[name] = undefined;
  }
  for (const name of droppedFields) body[name] = undefined;
}

/** Whether an address is that of a public provider. */
export const publicHost = (baseUrl: string): boolean => byHost(baseUrl) !== undefined;

function byHost(baseUrl: string): string | undefined {
  if (!URL.canParse(baseUrl)) return undefined;
  const { hostname } = new URL(baseUrl);
  const found = Object.entries(TABLE).find(([, { hosts = [] }]) =>
    hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`)),
  );
  return found?.[0];
}
