import { BASE, huggingFace, type ModelEntry, market, TEXT, TEXT_TOOLS, together } from "./model-entry.js";

const XAI = "https://docs.x.ai/docs/models";
const COHERE = "https://docs.cohere.com/docs/models";
const OPENROUTER = "https://openrouter.ai/models";

export const OTHER_MODELS: Readonly<Record<string, ModelEntry>> = {
  "grok-2-1212": { ...TEXT_TOOLS, contextTokens: 131_072, source: XAI },
  "grok-3-beta": { ...TEXT_TOOLS, contextTokens: 131_072, source: XAI },
  "grok-3-mini": { ...TEXT_TOOLS, contextTokens: 131_072, source: XAI },
  "grok-3-mini:think": { priced_as: "grok-3-mini", variant: { effort: "high" }, source: XAI },
  "grok-3-mini-beta": { ...TEXT_TOOLS, contextTokens: 131_072, source: XAI },
  // It always thinks, and was measured as it is.
  "grok-3-mini-beta:think": { priced_as: "grok-3-mini-beta", variant: "plain", source: XAI },
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
  // Thinks when the system prompt says so, which no request field can.
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
