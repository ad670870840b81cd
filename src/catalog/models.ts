/**
 * What the price list does not know of well-known models: which entry of the list bills the same weights, context
 * windows, and whether a model reads images and calls tools. Reviewed by hand; every fact is from the vendor's page in
 * `source`. What is not certain is left out and counts as unknown.
 */
export interface ModelEntry {
  /** Price-list entry of the same model; `none` when the list's nearest entry is another model. */
  readonly listed?: { readonly provider: string; readonly id: string } | "none";
  /** Catalog id whose price, context and capabilities hold for this one too: the same weights with other settings. */
  readonly priced_as?: string;
  /** Context window in tokens, prompt and answer together. */
  readonly contextTokens?: number;
  readonly images?: boolean;
  readonly tools?: boolean;
  /** Page the facts are from. */
  readonly source: string;
}

const OPENAI = "https://platform.openai.com/docs/models";
const ANTHROPIC = "https://docs.anthropic.com/en/docs/about-claude/models/overview";
const GOOGLE = "https://ai.google.dev/gemini-api/docs/models";
const XAI = "https://docs.x.ai/docs/models";
const MISTRAL = "https://docs.mistral.ai/getting-started/models/models_overview/";
const DEEPSEEK = "https://api-docs.deepseek.com/quick_start/pricing";
const COHERE = "https://docs.cohere.com/docs/models";
const OPENROUTER = "https://openrouter.ai/models";
const huggingFace = (model: string) => `https://huggingface.co/${model}`;

const market = (id: string) => ({ provider: "openrouter", id }) as const;
const together = (id: string) => ({ provider: "together", id }) as const;

/** Text in, text out, and no chat template with tools. */
const BASE = { images: false, tools: false } as const;
const TEXT = { images: false } as const;
const TEXT_TOOLS = { images: false, tools: true } as const;
const IMAGES_TOOLS = { images: true, tools: true } as const;

const OPENAI_MODELS: Readonly<Record<string, ModelEntry>> = {
  "gpt-4o": { ...IMAGES_TOOLS, contextTokens: 128_000, source: OPENAI },
  "gpt-4o-2024-05-13": { ...IMAGES_TOOLS, contextTokens: 128_000, source: OPENAI },
  "gpt-4o-2024-08-06": { ...IMAGES_TOOLS, contextTokens: 128_000, source: OPENAI },
  "gpt-4o-2024-11-20": { ...IMAGES_TOOLS, contextTokens: 128_000, source: OPENAI },
  // A snapshot that the list does not have; the dated name would otherwise pass for gpt-4o's.
  "gpt-4o-20250129": { ...IMAGES_TOOLS, listed: "none", contextTokens: 128_000, source: OPENAI },
  "gpt-4o-mini": { ...IMAGES_TOOLS, contextTokens: 128_000, source: OPENAI },
  "chatgpt-4o-latest-2024-09-07": {
    listed: { provider: "openai", id: "chatgpt-4o-latest" },
    images: true,
    tools: false,
    contextTokens: 128_000,
    source: OPENAI,
  },
  "gpt-4.1": { ...IMAGES_TOOLS, contextTokens: 1_047_576, source: OPENAI },
  "gpt-4.1-mini": { ...IMAGES_TOOLS, contextTokens: 1_047_576, source: OPENAI },
  "gpt-4.1-nano": { ...IMAGES_TOOLS, contextTokens: 1_047_576, source: OPENAI },
  "gpt-4-turbo-2024-04-09": { ...IMAGES_TOOLS, contextTokens: 128_000, source: OPENAI },
  "gpt-4-1106-preview": { ...TEXT_TOOLS, contextTokens: 128_000, source: OPENAI },
  "gpt-4-0314": { ...BASE, contextTokens: 8_192, source: OPENAI },
  "gpt-3.5-turbo-0125": { ...TEXT_TOOLS, contextTokens: 16_385, source: OPENAI },
  "o1-mini": { ...BASE, contextTokens: 128_000, source: OPENAI },
  "o1-preview": { ...BASE, contextTokens: 128_000, source: OPENAI },
  "o3-mini": { ...TEXT_TOOLS, contextTokens: 200_000, source: OPENAI },
  "o4-mini": { ...IMAGES_TOOLS, contextTokens: 200_000, source: OPENAI },
  "o4-mini:high": { priced_as: "o4-mini", source: OPENAI },
  "o4-mini:high-long": { priced_as: "o4-mini", source: OPENAI },
};

const ANTHROPIC_MODELS: Readonly<Record<string, ModelEntry>> = {
  "claude-3-haiku-20240307": { ...IMAGES_TOOLS, contextTokens: 200_000, source: ANTHROPIC },
  "claude-3-sonnet-20240229": { ...IMAGES_TOOLS, contextTokens: 200_000, source: ANTHROPIC },
  "claude-3-opus-20240229": { ...IMAGES_TOOLS, contextTokens: 200_000, source: ANTHROPIC },
  "claude-3-5-haiku-20241022": { ...IMAGES_TOOLS, contextTokens: 200_000, source: ANTHROPIC },
  "claude-3-5-sonnet-20240620": { ...IMAGES_TOOLS, contextTokens: 200_000, source: ANTHROPIC },
  "claude-3-5-sonnet-20241022": { ...IMAGES_TOOLS, contextTokens: 200_000, source: ANTHROPIC },
  "claude-3-7-sonnet": { ...IMAGES_TOOLS, contextTokens: 200_000, source: ANTHROPIC },
  "claude-3-7-sonnet:thinking-4k": { priced_as: "claude-3-7-sonnet", source: ANTHROPIC },
  "claude-sonnet-4": { ...IMAGES_TOOLS, contextTokens: 200_000, source: ANTHROPIC },
  "claude-sonnet-4:thinking": { priced_as: "claude-sonnet-4", source: ANTHROPIC },
  "claude-opus-4": { ...IMAGES_TOOLS, contextTokens: 200_000, source: ANTHROPIC },
};

const GOOGLE_MODELS: Readonly<Record<string, ModelEntry>> = {
  "gemini-1.5-flash": { ...IMAGES_TOOLS, contextTokens: 1_048_576, source: GOOGLE },
  "gemini-1.5-flash-002": { ...IMAGES_TOOLS, contextTokens: 1_048_576, source: GOOGLE },
  "gemini-1.5-pro": { ...IMAGES_TOOLS, contextTokens: 2_097_152, source: GOOGLE },
  "gemini-1.5-pro-002": { ...IMAGES_TOOLS, contextTokens: 2_097_152, source: GOOGLE },
  "gemini-2.0-flash": { ...IMAGES_TOOLS, contextTokens: 1_048_576, source: GOOGLE },
  "gemini-2.5-flash": { ...IMAGES_TOOLS, contextTokens: 1_048_576, source: GOOGLE },
  "gemini-2.5-flash:high": { priced_as: "gemini-2.5-flash", source: GOOGLE },
  "gemini-2.5-flash-preview-05-20": {
    ...IMAGES_TOOLS,
    listed: { provider: "google", id: "gemini-2.5-flash-preview" },
    contextTokens: 1_048_576,
    source: GOOGLE,
  },
  // While it was a preview, tokens of thinking answers had a price of their own.
  "gemini-2.5-flash-preview-05-20:thinking": {
    ...IMAGES_TOOLS,
    listed: market("gemini-2.5-flash-preview-05-20:thinking"),
    contextTokens: 1_048_576,
    source: GOOGLE,
  },
  "gemini-2.5-pro": { ...IMAGES_TOOLS, contextTokens: 1_048_576, source: GOOGLE },
  "gemini-2.5-pro:high": { priced_as: "gemini-2.5-pro", source: GOOGLE },
  "gemini-2.5-pro:low": { priced_as: "gemini-2.5-pro", source: GOOGLE },
  "gemini-2.5-pro-preview-03-25": {
    ...IMAGES_TOOLS,
    listed: market("google/gemini-2.5-pro-preview-03-25"),
    contextTokens: 1_048_576,
    source: GOOGLE,
  },
  "gemini-2.5-pro-preview-05-06": {
    ...IMAGES_TOOLS,
    listed: market("google/gemini-2.5-pro-preview-05-06"),
    contextTokens: 1_048_576,
    source: GOOGLE,
  },
  "gemma-7b": {
    ...BASE,
    listed: together("google/gemma-7b"),
    contextTokens: 8_192,
    source: huggingFace("google/gemma-7b"),
  },
  "codegemma-7b": { ...BASE, contextTokens: 8_192, source: huggingFace("google/codegemma-7b") },
  "gemma-2-2b-it": { ...TEXT, contextTokens: 8_192, source: huggingFace("google/gemma-2-2b-it") },
  "gemma-2-9b-it": {
    ...TEXT,
    listed: market("google/gemma-2-9b-it"),
    contextTokens: 8_192,
    source: huggingFace("google/gemma-2-9b-it"),
  },
  "gemma-2-27b-it": {
    ...TEXT,
    listed: market("google/gemma-2-27b-it"),
    contextTokens: 8_192,
    source: huggingFace("google/gemma-2-27b-it"),
  },
  "gemma-3-27b-it": {
    images: true,
    listed: market("google/gemma-3-27b-it"),
    contextTokens: 131_072,
    source: huggingFace("google/gemma-3-27b-it"),
  },
  "gemma-3n-e4b-it": {
    listed: market("google/gemma-3n-e4b-it"),
    contextTokens: 32_768,
    source: huggingFace("google/gemma-3n-E4B-it"),
  },
};

const META_MODELS: Readonly<Record<string, ModelEntry>> = {
  "llama-2-7b": { ...BASE, contextTokens: 4_096, source: huggingFace("meta-llama/Llama-2-7b-hf") },
  "llama-2-13b": { ...BASE, contextTokens: 4_096, source: huggingFace("meta-llama/Llama-2-13b-hf") },
  "llama-2-70b": { ...BASE, contextTokens: 4_096, source: huggingFace("meta-llama/Llama-2-70b-hf") },
  "llama-3-8b": { ...BASE, contextTokens: 8_192, source: huggingFace("meta-llama/Meta-Llama-3-8B") },
  "llama-3-70b": { ...BASE, contextTokens: 8_192, source: huggingFace("meta-llama/Meta-Llama-3-70B") },
  "llama-3-8b-instruct": {
    ...TEXT,
    listed: market("meta-llama/llama-3-8b-instruct"),
    contextTokens: 8_192,
    source: huggingFace("meta-llama/Meta-Llama-3-8B-Instruct"),
  },
  "llama-3-70b-instruct": {
    ...TEXT,
    listed: market("meta-llama/llama-3-70b-instruct"),
    contextTokens: 8_192,
    source: huggingFace("meta-llama/Meta-Llama-3-70B-Instruct"),
  },
  "llama-3.1-8b": { ...BASE, contextTokens: 131_072, source: huggingFace("meta-llama/Llama-3.1-8B") },
  "llama-3.1-70b": { ...BASE, contextTokens: 131_072, source: huggingFace("meta-llama/Llama-3.1-70B") },
  "llama-3.1-8b-instruct": {
    ...TEXT_TOOLS,
    listed: market("meta-llama/llama-3.1-8b-instruct"),
    contextTokens: 131_072,
    source: huggingFace("meta-llama/Llama-3.1-8B-Instruct"),
  },
  "llama-3.1-70b-instruct": {
    ...TEXT_TOOLS,
    listed: market("meta-llama/llama-3.1-70b-instruct"),
    contextTokens: 131_072,
    source: huggingFace("meta-llama/Llama-3.1-70B-Instruct"),
  },
  "llama-3.1-405b-instruct": {
    ...TEXT_TOOLS,
    listed: market("meta-llama/llama-3.1-405b-instruct"),
    contextTokens: 131_072,
    source: huggingFace("meta-llama/Llama-3.1-405B-Instruct"),
  },
  "llama-3.1-405b-instruct:other-host": {
    priced_as: "llama-3.1-405b-instruct",
    source: huggingFace("meta-llama/Llama-3.1-405B-Instruct"),
  },
  "llama-3.1-405b-instruct-fp8": {
    ...TEXT_TOOLS,
    contextTokens: 131_072,
    source: huggingFace("meta-llama/Llama-3.1-405B-Instruct-FP8"),
  },
  "llama-3.1-405b-instruct-turbo": {
    ...TEXT_TOOLS,
    listed: together("meta-llama/Meta-Llama-3.1-405B-Instruct-Turbo"),
    contextTokens: 131_072,
    source: "https://docs.together.ai/docs/serverless-models",
  },
  "llama-3.3-70b-instruct": {
    ...TEXT_TOOLS,
    listed: market("meta-llama/llama-3.3-70b-instruct"),
    contextTokens: 131_072,
    source: huggingFace("meta-llama/Llama-3.3-70B-Instruct"),
  },
  "llama-4-scout": {
    ...IMAGES_TOOLS,
    listed: market("meta-llama/llama-4-scout"),
    contextTokens: 10_000_000,
    source: huggingFace("meta-llama/Llama-4-Scout-17B-16E-Instruct"),
  },
  "llama-4-maverick": {
    ...IMAGES_TOOLS,
    listed: market("meta-llama/llama-4-maverick"),
    contextTokens: 1_000_000,
    source: huggingFace("meta-llama/Llama-4-Maverick-17B-128E-Instruct"),
  },
};

const MISTRAL_MODELS: Readonly<Record<string, ModelEntry>> = {
  "mistral-7b-v0.1": {
    ...BASE,
    listed: together("mistralai/Mistral-7B-v0.1"),
    contextTokens: 8_192,
    source: huggingFace("mistralai/Mistral-7B-v0.1"),
  },
  "mistral-7b-v0.2": {
    ...BASE,
    contextTokens: 32_768,
    source: huggingFace("mistral-community/Mistral-7B-v0.2"),
  },
  "mistral-7b-instruct-v0.1": {
    ...TEXT,
    listed: market("mistralai/mistral-7b-instruct-v0.1"),
    contextTokens: 8_192,
    source: huggingFace("mistralai/Mistral-7B-Instruct-v0.1"),
  },
  "mistral-7b-instruct-v0.2": {
    ...TEXT,
    listed: market("mistralai/mistral-7b-instruct-v0.2"),
    contextTokens: 32_768,
    source: huggingFace("mistralai/Mistral-7B-Instruct-v0.2"),
  },
  // The market's entry without a version is the latest one, which is v0.3.
  "mistral-7b-instruct-v0.3": {
    ...TEXT_TOOLS,
    listed: market("mistralai/mistral-7b-instruct"),
    contextTokens: 32_768,
    source: huggingFace("mistralai/Mistral-7B-Instruct-v0.3"),
  },
  "mathstral-7b": { ...TEXT, contextTokens: 32_768, source: huggingFace("mistralai/Mathstral-7B-v0.1") },
  "mixtral-8x7b-v0.1": {
    ...BASE,
    listed: together("mistralai/Mixtral-8x7B-v0.1"),
    contextTokens: 32_768,
    source: huggingFace("mistralai/Mixtral-8x7B-v0.1"),
  },
  "mixtral-8x7b-instruct-v0.1": {
    ...TEXT,
    listed: market("mistralai/mixtral-8x7b-instruct"),
    contextTokens: 32_768,
    source: huggingFace("mistralai/Mixtral-8x7B-Instruct-v0.1"),
  },
  "mistral-nemo": {
    ...TEXT_TOOLS,
    listed: market("mistralai/mistral-nemo"),
    contextTokens: 128_000,
    source: MISTRAL,
  },
  "mistral-large-2407": { ...TEXT_TOOLS, contextTokens: 128_000, source: MISTRAL },
  "mistral-medium-3": {
    ...IMAGES_TOOLS,
    listed: market("mistralai/mistral-medium-3"),
    contextTokens: 128_000,
    source: MISTRAL,
  },
  "mistral-small-24b-instruct-2501": {
    ...TEXT_TOOLS,
    listed: market("mistralai/mistral-small-24b-instruct-2501"),
    contextTokens: 32_768,
    source: MISTRAL,
  },
  "mistral-small-3.1-24b-instruct": {
    ...IMAGES_TOOLS,
    listed: market("mistralai/mistral-small-3.1-24b-instruct"),
    contextTokens: 128_000,
    source: MISTRAL,
  },
  "magistral-medium-2506": {
    ...TEXT,
    listed: market("magistral-medium-2506"),
    contextTokens: 40_960,
    source: MISTRAL,
  },
  "magistral-medium-2506:thinking": { priced_as: "magistral-medium-2506", source: MISTRAL },
};

const QWEN_MODELS: Readonly<Record<string, ModelEntry>> = {
  "qwen1.5-7b-chat": {
    ...TEXT,
    listed: together("Qwen/Qwen1.5-7B-Chat"),
    contextTokens: 32_768,
    source: huggingFace("Qwen/Qwen1.5-7B-Chat"),
  },
  "qwen1.5-72b-chat": { ...TEXT, contextTokens: 32_768, source: huggingFace("Qwen/Qwen1.5-72B-Chat") },
  "qwen1.5-110b": { ...BASE, contextTokens: 32_768, source: huggingFace("Qwen/Qwen1.5-110B") },
  "qwen2-7b-instruct": {
    ...TEXT,
    listed: { provider: "novita", id: "qwen/qwen-2-7b-instruct" },
    contextTokens: 131_072,
    source: huggingFace("Qwen/Qwen2-7B-Instruct"),
  },
  "qwen2-72b-instruct": {
    ...TEXT,
    listed: market("qwen/qwen-2-72b-instruct"),
    contextTokens: 131_072,
    source: huggingFace("Qwen/Qwen2-72B-Instruct"),
  },
  "qwen2.5-3b-instruct": {
    ...TEXT_TOOLS,
    contextTokens: 32_768,
    source: huggingFace("Qwen/Qwen2.5-3B-Instruct"),
  },
  "qwen2.5-7b-instruct": {
    ...TEXT_TOOLS,
    listed: market("qwen/qwen-2.5-7b-instruct"),
    contextTokens: 131_072,
    source: huggingFace("Qwen/Qwen2.5-7B-Instruct"),
  },
  "qwen2.5-32b-instruct": {
    ...TEXT_TOOLS,
    contextTokens: 131_072,
    source: huggingFace("Qwen/Qwen2.5-32B-Instruct"),
  },
  "qwen2.5-72b-instruct": {
    ...TEXT_TOOLS,
    listed: market("qwen/qwen-2.5-72b-instruct"),
    contextTokens: 131_072,
    source: huggingFace("Qwen/Qwen2.5-72B-Instruct"),
  },
  "qwen-max": { ...TEXT_TOOLS, listed: market("qwen/qwen-max"), contextTokens: 32_768, source: OPENROUTER },
  "qwq-32b": {
    ...TEXT_TOOLS,
    listed: market("qwen/qwq-32b"),
    contextTokens: 131_072,
    source: huggingFace("Qwen/QwQ-32B"),
  },
  "qwen3-30b-a3b": {
    ...TEXT_TOOLS,
    listed: market("qwen/qwen3-30b-a3b"),
    contextTokens: 131_072,
    source: huggingFace("Qwen/Qwen3-30B-A3B"),
  },
  "qwen3-30b-a3b:thinking": { priced_as: "qwen3-30b-a3b", source: huggingFace("Qwen/Qwen3-30B-A3B") },
  "qwen3-30b-a3b:no-thinking": { priced_as: "qwen3-30b-a3b", source: huggingFace("Qwen/Qwen3-30B-A3B") },
  "qwen3-235b-a22b": {
    ...TEXT_TOOLS,
    listed: market("qwen/qwen3-235b-a22b"),
    contextTokens: 131_072,
    source: huggingFace("Qwen/Qwen3-235B-A22B"),
  },
  "qwen3-235b-a22b:thinking": { priced_as: "qwen3-235b-a22b", source: huggingFace("Qwen/Qwen3-235B-A22B") },
  "qwen3-235b-a22b:no-thinking": {
    priced_as: "qwen3-235b-a22b",
    source: huggingFace("Qwen/Qwen3-235B-A22B"),
  },
};

const DEEPSEEK_MODELS: Readonly<Record<string, ModelEntry>> = {
  // What the vendor's names meant in 2024; the list bills today's models under the same names.
  "deepseek-v2-chat": { ...TEXT_TOOLS, listed: "none", contextTokens: 128_000, source: DEEPSEEK },
  "deepseek-v2-chat-0628": { ...TEXT_TOOLS, listed: "none", contextTokens: 128_000, source: DEEPSEEK },
  "deepseek-v2.5-0908": { ...TEXT_TOOLS, listed: "none", contextTokens: 128_000, source: DEEPSEEK },
  "deepseek-v2-coder": { ...TEXT, listed: "none", contextTokens: 128_000, source: DEEPSEEK },
  "deepseek-coder-v2": {
    ...TEXT,
    listed: "none",
    contextTokens: 128_000,
    source: huggingFace("deepseek-ai/DeepSeek-Coder-V2-Instruct"),
  },
  "deepseek-coder-v2-0724": {
    ...TEXT,
    listed: "none",
    contextTokens: 128_000,
    source: huggingFace("deepseek-ai/DeepSeek-Coder-V2-Instruct-0724"),
  },
  "deepseek-v3": {
    ...TEXT_TOOLS,
    listed: market("deepseek/deepseek-chat"),
    contextTokens: 128_000,
    source: huggingFace("deepseek-ai/DeepSeek-V3"),
  },
  "deepseek-v3-0324": {
    ...TEXT_TOOLS,
    listed: market("deepseek/deepseek-chat-v3-0324"),
    contextTokens: 128_000,
    source: huggingFace("deepseek-ai/DeepSeek-V3-0324"),
  },
  "deepseek-r1": {
    ...TEXT,
    listed: market("deepseek/deepseek-r1"),
    contextTokens: 128_000,
    source: huggingFace("deepseek-ai/DeepSeek-R1"),
  },
  "deepseek-r1-0528": {
    ...TEXT_TOOLS,
    listed: market("deepseek/deepseek-r1-0528"),
    contextTokens: 128_000,
    source: huggingFace("deepseek-ai/DeepSeek-R1-0528"),
  },
  "deepseek-r1-distill-llama-70b": {
    ...TEXT,
    listed: market("deepseek/deepseek-r1-distill-llama-70b"),
    contextTokens: 131_072,
    source: huggingFace("deepseek-ai/DeepSeek-R1-Distill-Llama-70B"),
  },
};

const OTHER_MODELS: Readonly<Record<string, ModelEntry>> = {
  "grok-2-1212": { ...TEXT_TOOLS, contextTokens: 131_072, source: XAI },
  "grok-3-beta": { ...TEXT_TOOLS, contextTokens: 131_072, source: XAI },
  "grok-3-mini": { ...TEXT_TOOLS, contextTokens: 131_072, source: XAI },
  "grok-3-mini:think": { priced_as: "grok-3-mini", source: XAI },
  "grok-3-mini-beta": { ...TEXT_TOOLS, contextTokens: 131_072, source: XAI },
  "grok-3-mini-beta:think": { priced_as: "grok-3-mini-beta", source: XAI },
  "command-r-03-2024": {
    ...TEXT_TOOLS,
    listed: market("cohere/command-r"),
    contextTokens: 128_000,
    source: COHERE,
  },
  "command-r-plus-04-2024": {
    ...TEXT_TOOLS,
    listed: market("cohere/command-r-plus"),
    contextTokens: 128_000,
    source: COHERE,
  },
  "command-a-03-2025": { ...TEXT_TOOLS, contextTokens: 256_000, source: COHERE },
  "jamba-1.5-large": {
    ...TEXT_TOOLS,
    listed: market("ai21/jamba-1-5-large"),
    contextTokens: 256_000,
    source: huggingFace("ai21labs/AI21-Jamba-1.5-Large"),
  },
  "jamba-1.6-large": {
    ...TEXT_TOOLS,
    listed: market("ai21/jamba-1.6-large"),
    contextTokens: 256_000,
    source: huggingFace("ai21labs/AI21-Jamba-Large-1.6"),
  },
  "yi-6b": {
    ...BASE,
    listed: together("zero-one-ai/Yi-6B"),
    contextTokens: 4_096,
    source: huggingFace("01-ai/Yi-6B"),
  },
  "yi-34b": {
    ...BASE,
    listed: together("zero-one-ai/Yi-34B"),
    contextTokens: 4_096,
    source: huggingFace("01-ai/Yi-34B"),
  },
  "yi-6b-chat": { ...TEXT, contextTokens: 4_096, source: huggingFace("01-ai/Yi-6B-Chat") },
  "yi-1.5-9b-chat": { ...TEXT, contextTokens: 4_096, source: huggingFace("01-ai/Yi-1.5-9B-Chat") },
  "yi-1.5-34b-chat": { ...TEXT, contextTokens: 4_096, source: huggingFace("01-ai/Yi-1.5-34B-Chat") },
  "yi-large": { ...TEXT, listed: market("01-ai/yi-large"), contextTokens: 32_768, source: OPENROUTER },
  "phi-3-mini-4k-instruct": {
    ...TEXT,
    contextTokens: 4_096,
    source: huggingFace("microsoft/Phi-3-mini-4k-instruct"),
  },
  "phi-3.5-mini-instruct": {
    ...TEXT,
    listed: market("microsoft/phi-3.5-mini-128k-instruct"),
    contextTokens: 131_072,
    source: huggingFace("microsoft/Phi-3.5-mini-instruct"),
  },
  "phi-4-reasoning-plus": {
    ...TEXT,
    listed: market("phi-4-reasoning-plus"),
    contextTokens: 32_768,
    source: huggingFace("microsoft/Phi-4-reasoning-plus"),
  },
  "athene-70b": { ...TEXT, contextTokens: 8_192, source: huggingFace("Nexusflow/Athene-70B") },
  "hermes-3-llama-3.1-70b": {
    ...TEXT_TOOLS,
    listed: market("nousresearch/hermes-3-llama-3.1-70b"),
    contextTokens: 131_072,
    source: huggingFace("NousResearch/Hermes-3-Llama-3.1-70B"),
  },
  "llama3-chatqa-1.5-8b": {
    ...TEXT,
    contextTokens: 8_192,
    source: huggingFace("nvidia/Llama3-ChatQA-1.5-8B"),
  },
  "llama3-chatqa-1.5-70b": {
    ...TEXT,
    contextTokens: 8_192,
    source: huggingFace("nvidia/Llama3-ChatQA-1.5-70B"),
  },
  "llama-3.3-nemotron-super-49b-v1": {
    ...TEXT,
    listed: market("llama-3.3-nemotron-super-49b-v1"),
    contextTokens: 131_072,
    source: huggingFace("nvidia/Llama-3_3-Nemotron-Super-49B-v1"),
  },
  "llama-3.3-nemotron-super-49b-v1:thinking": {
    priced_as: "llama-3.3-nemotron-super-49b-v1",
    source: huggingFace("nvidia/Llama-3_3-Nemotron-Super-49B-v1"),
  },
  "glm-z1-32b": {
    ...TEXT,
    listed: market("glm-z1-32b"),
    contextTokens: 32_768,
    source: huggingFace("THUDM/GLM-Z1-32B-0414"),
  },
  "minimax-01": { contextTokens: 1_000_192, source: OPENROUTER },
  "olmo-2-0325-32b-instruct": {
    ...TEXT,
    contextTokens: 4_096,
    source: huggingFace("allenai/OLMo-2-0325-32B-Instruct"),
  },
  "reka-core-20240501": {
    images: true,
    contextTokens: 128_000,
    source: "https://docs.reka.ai/available-models",
  },
  "reka-flash-20240226": {
    images: true,
    contextTokens: 128_000,
    source: "https://docs.reka.ai/available-models",
  },
};

/** By catalog id. */
export const MODEL_ENTRIES: ReadonlyMap<string, ModelEntry> = new Map(
  [
    OPENAI_MODELS,
    ANTHROPIC_MODELS,
    GOOGLE_MODELS,
    META_MODELS,
    MISTRAL_MODELS,
    QWEN_MODELS,
    DEEPSEEK_MODELS,
    OTHER_MODELS,
  ].flatMap((table) => Object.entries(table)),
);
