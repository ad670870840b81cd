import { IMAGES_TOOLS, type ModelEntry } from "./model-entry.js";

const ANTHROPIC = "https://docs.anthropic.com/en/docs/about-claude/models/overview";

export const ANTHROPIC_MODELS: Readonly<Record<string, ModelEntry>> = {
  "claude-3-haiku": {
    ...IMAGES_TOOLS,
    snapshot: "claude-3-haiku-20240307",
    contextTokens: 200_000,
    source: ANTHROPIC,
  },
  "claude-3-opus": {
    ...IMAGES_TOOLS,
    snapshot: "claude-3-opus-20240229",
    contextTokens: 200_000,
    source: ANTHROPIC,
  },
  "claude-3-opus-latest": {
    ...IMAGES_TOOLS,
    snapshot: "claude-3-opus-20240229",
    contextTokens: 200_000,
    source: ANTHROPIC,
  },
  "claude-3-5-haiku": {
    ...IMAGES_TOOLS,
    snapshot: "claude-3-5-haiku-20241022",
    contextTokens: 200_000,
    source: ANTHROPIC,
  },
  "claude-3-5-haiku-latest": {
    ...IMAGES_TOOLS,
    snapshot: "claude-3-5-haiku-20241022",
    contextTokens: 200_000,
    source: ANTHROPIC,
  },
  "claude-3-5-sonnet": {
    ...IMAGES_TOOLS,
    snapshot: "claude-3-5-sonnet-20241022",
    contextTokens: 200_000,
    source: ANTHROPIC,
  },
  "claude-3-5-sonnet-latest": {
    ...IMAGES_TOOLS,
    snapshot: "claude-3-5-sonnet-20241022",
    contextTokens: 200_000,
    source: ANTHROPIC,
  },
  "claude-3-haiku-20240307": { ...IMAGES_TOOLS, contextTokens: 200_000, source: ANTHROPIC },
  "claude-3-sonnet-20240229": { ...IMAGES_TOOLS, contextTokens: 200_000, source: ANTHROPIC },
  "claude-3-opus-20240229": { ...IMAGES_TOOLS, contextTokens: 200_000, source: ANTHROPIC },
  "claude-3-5-haiku-20241022": { ...IMAGES_TOOLS, contextTokens: 200_000, source: ANTHROPIC },
  "claude-3-5-sonnet-20240620": { ...IMAGES_TOOLS, contextTokens: 200_000, source: ANTHROPIC },
  "claude-3-5-sonnet-20241022": { ...IMAGES_TOOLS, contextTokens: 200_000, source: ANTHROPIC },
  "claude-3-7-sonnet": {
    ...IMAGES_TOOLS,
    names: { anthropic: "claude-3-7-sonnet-20250219" },
    contextTokens: 200_000,
    source: ANTHROPIC,
  },
  "claude-3-7-sonnet:thinking-4k": {
    priced_as: "claude-3-7-sonnet",
    variant: { thinkingTokens: 4_096 },
    source: ANTHROPIC,
  },
  "claude-sonnet-4": {
    ...IMAGES_TOOLS,
    names: { anthropic: "claude-sonnet-4-20250514" },
    contextTokens: 200_000,
    source: ANTHROPIC,
  },
  // Measured with effort "high" of 30,000 tokens, which the market makes four fifths of them.
  "claude-sonnet-4:thinking": {
    priced_as: "claude-sonnet-4",
    variant: { thinkingTokens: 24_000 },
    source: ANTHROPIC,
  },
  "claude-opus-4": {
    ...IMAGES_TOOLS,
    names: { anthropic: "claude-opus-4-20250514" },
    contextTokens: 200_000,
    source: ANTHROPIC,
  },
};
