import { CHAT_ONLY, IMAGES_TOOLS, type ModelEntry, TEXT_TOOLS } from "./model-entry.js";

const OPENAI = "https://platform.openai.com/docs/models";

export const OPENAI_MODELS: Readonly<Record<string, ModelEntry>> = {
  "gpt-4o": {
    ...IMAGES_TOOLS,
    snapshot: "gpt-4o-2024-08-06",
    contextTokens: 128_000,
    source: OPENAI,
  },
  "gpt-4-turbo": {
    ...IMAGES_TOOLS,
    snapshot: "gpt-4-turbo-2024-04-09",
    contextTokens: 128_000,
    source: OPENAI,
  },
  "gpt-3.5-turbo": {
    ...TEXT_TOOLS,
    snapshot: "gpt-3.5-turbo-0125",
    contextTokens: 16_385,
    source: OPENAI,
  },
  "gpt-4o-2024-05-13": { ...IMAGES_TOOLS, contextTokens: 128_000, source: OPENAI },
  "gpt-4o-2024-08-06": { ...IMAGES_TOOLS, contextTokens: 128_000, source: OPENAI },
  "gpt-4o-2024-11-20": { ...IMAGES_TOOLS, contextTokens: 128_000, source: OPENAI },
  // A snapshot that the list does not have; the dated name would otherwise pass for gpt-4o's.
  "gpt-4o-20250129": { ...IMAGES_TOOLS, listed: "none", contextTokens: 128_000, source: OPENAI },
  "gpt-4o-mini": { ...IMAGES_TOOLS, contextTokens: 128_000, source: OPENAI },
  "chatgpt-4o-latest-2024-09-07": {
    listed: { provider: "openai", id: "chatgpt-4o-latest" },
    // The name moved on to later weights.
    names: { openai: null },
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
  "gpt-4-0314": { ...CHAT_ONLY, contextTokens: 8_192, source: OPENAI },
  "gpt-3.5-turbo-0125": { ...TEXT_TOOLS, contextTokens: 16_385, source: OPENAI },
  "o1-mini": { ...CHAT_ONLY, contextTokens: 128_000, source: OPENAI },
  "o1-preview": { ...CHAT_ONLY, contextTokens: 128_000, source: OPENAI },
  "o3-mini": { ...TEXT_TOOLS, contextTokens: 200_000, source: OPENAI },
  "o4-mini": { ...IMAGES_TOOLS, contextTokens: 200_000, source: OPENAI },
  "o4-mini:high": { priced_as: "o4-mini", variant: { effort: "high" }, source: OPENAI },
  // Measured with room for 30,000 tokens of answer instead of 16,000.
  "o4-mini:high-long": { priced_as: "o4-mini", variant: { effort: "high" }, source: OPENAI },
};
