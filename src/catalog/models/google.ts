import {
  BASE,
  CHAT_ONLY,
  huggingFace,
  IMAGES_TOOLS,
  type ModelEntry,
  market,
  TEXT,
  together,
} from "./model-entry.js";

const GOOGLE = "https://ai.google.dev/gemini-api/docs/models";

export const GOOGLE_MODELS: Readonly<Record<string, ModelEntry>> = {
  "gemini-1.5-flash": { ...IMAGES_TOOLS, contextTokens: 1_048_576, source: GOOGLE },
  "gemini-1.5-flash-002": { ...IMAGES_TOOLS, contextTokens: 1_048_576, source: GOOGLE },
  "gemini-1.5-pro": { ...IMAGES_TOOLS, contextTokens: 2_097_152, source: GOOGLE },
  "gemini-1.5-pro-002": { ...IMAGES_TOOLS, contextTokens: 2_097_152, source: GOOGLE },
  "gemini-2.0-flash": { ...IMAGES_TOOLS, contextTokens: 1_048_576, source: GOOGLE },
  "gemini-2.5-flash": { ...IMAGES_TOOLS, contextTokens: 1_048_576, source: GOOGLE },
  "gemini-2.5-flash:high": { priced_as: "gemini-2.5-flash", variant: { effort: "high" }, source: GOOGLE },
  "gemini-2.5-flash-preview-05-20": {
    ...IMAGES_TOOLS,
    listed: { provider: "google", id: "gemini-2.5-flash-preview" },
    names: { google: "gemini-2.5-flash-preview-05-20" },
    contextTokens: 1_048_576,
    source: GOOGLE,
  },
  // While it was a preview, tokens of thinking answers had a price of their own.
  "gemini-2.5-flash-preview-05-20:thinking": {
    ...IMAGES_TOOLS,
    listed: market("gemini-2.5-flash-preview-05-20:thinking"),
    names: { google: null },
    contextTokens: 1_048_576,
    source: GOOGLE,
  },
  "gemini-2.5-pro": { ...IMAGES_TOOLS, contextTokens: 1_048_576, source: GOOGLE },
  "gemini-2.5-pro:high": { priced_as: "gemini-2.5-pro", variant: { effort: "high" }, source: GOOGLE },
  "gemini-2.5-pro:low": { priced_as: "gemini-2.5-pro", variant: { effort: "low" }, source: GOOGLE },
  "gemini-2.5-pro-preview-03-25": {
    ...IMAGES_TOOLS,
    listed: market("google/gemini-2.5-pro-preview-03-25"),
    names: { google: "gemini-2.5-pro-preview-03-25" },
    contextTokens: 1_048_576,
    source: GOOGLE,
  },
  "gemini-2.5-pro-preview-05-06": {
    ...IMAGES_TOOLS,
    listed: market("google/gemini-2.5-pro-preview-05-06"),
    names: { google: "gemini-2.5-pro-preview-05-06" },
    contextTokens: 1_048_576,
    source: GOOGLE,
  },
  "gemma-7b": {
    ...BASE,
    listed: together("google/gemma-7b"),
    contextTokens: 8_192,
    source: huggingFace("google/gemma-7b"),
  },
  "codegemma-7b": { ...CHAT_ONLY, contextTokens: 8_192, source: huggingFace("google/codegemma-7b") },
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
    // The Gemini API has not served it; the list has a price for elsewhere.
    names: { google: null },
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
