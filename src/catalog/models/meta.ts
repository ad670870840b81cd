import {
  BASE,
  huggingFace,
  IMAGES_TOOLS,
  type ModelEntry,
  market,
  TEXT,
  TEXT_TOOLS,
  together,
} from "./model-entry.js";

export const META_MODELS: Readonly<Record<string, ModelEntry>> = {
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
    variant: "plain",
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
