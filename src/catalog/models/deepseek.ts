import { huggingFace, type ModelEntry, market, TEXT, TEXT_TOOLS } from "./model-entry.js";

const DEEPSEEK = "https://api-docs.deepseek.com/quick_start/pricing";

export const DEEPSEEK_MODELS: Readonly<Record<string, ModelEntry>> = {
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
    names: { deepseek: null },
    contextTokens: 128_000,
    source: huggingFace("deepseek-ai/DeepSeek-V3"),
  },
  "deepseek-v3-0324": {
    ...TEXT_TOOLS,
    listed: market("deepseek/deepseek-chat-v3-0324"),
    names: { deepseek: null },
    contextTokens: 128_000,
    source: huggingFace("deepseek-ai/DeepSeek-V3-0324"),
  },
  "deepseek-r1": {
    ...TEXT,
    listed: market("deepseek/deepseek-r1"),
    // The vendor's own API names its models by use, and what the names mean moves.
    names: { deepseek: null },
    contextTokens: 128_000,
    source: huggingFace("deepseek-ai/DeepSeek-R1"),
  },
  "deepseek-r1-0528": {
    ...TEXT_TOOLS,
    listed: market("deepseek/deepseek-r1-0528"),
    names: { deepseek: null },
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
