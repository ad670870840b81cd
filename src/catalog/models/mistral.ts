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

const MISTRAL = "https://docs.mistral.ai/getting-started/models/models_overview/";

export const MISTRAL_MODELS: Readonly<Record<string, ModelEntry>> = {
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
    names: { mistral: "open-mistral-nemo" },
    contextTokens: 128_000,
    source: MISTRAL,
  },
  "mistral-large-2407": { ...TEXT_TOOLS, contextTokens: 128_000, source: MISTRAL },
  "mistral-medium-3": {
    ...IMAGES_TOOLS,
    listed: market("mistralai/mistral-medium-3"),
    // There the name has meant version 3.5 since 2026.
    names: { mistral: null },
    contextTokens: 128_000,
    source: MISTRAL,
  },
  "mistral-small-24b-instruct-2501": {
    ...TEXT_TOOLS,
    listed: market("mistralai/mistral-small-24b-instruct-2501"),
    names: { mistral: "mistral-small-2501" },
    contextTokens: 32_768,
    source: MISTRAL,
  },
  "mistral-small-3.1-24b-instruct": {
    ...IMAGES_TOOLS,
    listed: market("mistralai/mistral-small-3.1-24b-instruct"),
    names: { mistral: "mistral-small-2503" },
    contextTokens: 128_000,
    source: MISTRAL,
  },
  "magistral-medium-2506": {
    ...TEXT,
    listed: market("magistral-medium-2506"),
    names: { mistral: "magistral-medium-2506" },
    contextTokens: 40_960,
    source: MISTRAL,
  },
  "magistral-medium-2506:thinking": { priced_as: "magistral-medium-2506", source: MISTRAL },
};
