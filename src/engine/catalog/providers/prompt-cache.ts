import type { PromptCache } from "../../router/candidate.js";

const MINUTE_MS = 60_000;

/** OpenAI's: cleared after 5 to 10 minutes without use. https://platform.openai.com/docs/guides/prompt-caching */
const OPENAI: PromptCache = {
  mode: "automatic",
  minimumTokens: 1024,
  stepTokens: 128,
  lifetimeMs: 5 * MINUTE_MS,
};

const BY_PROVIDER: ReadonlyMap<string, PromptCache> = new Map<string, PromptCache>([
  ["openai", OPENAI],
  // https://learn.microsoft.com/azure/ai-foundry/openai/how-to/prompt-caching
  ["azure", OPENAI],
  // The minimum differs by model, the lifetime is not documented: the larger minimum, and a guess.
  // https://ai.google.dev/gemini-api/docs/caching
  ["google", { mode: "automatic", minimumTokens: 4096, stepTokens: 1, lifetimeMs: 3 * MINUTE_MS }],
  // Kept for hours. https://api-docs.deepseek.com/guides/kv_cache
  ["deepseek", { mode: "automatic", minimumTokens: 64, stepTokens: 64, lifetimeMs: 60 * MINUTE_MS }],
  // Neither a minimum nor a lifetime is documented: guesses. https://docs.x.ai/docs/models
  ["x-ai", { mode: "automatic", minimumTokens: 1024, stepTokens: 1, lifetimeMs: 5 * MINUTE_MS }],
]);

/** Anthropic's default, and a guess for providers that are not in the table. */
const ON_REQUEST: PromptCache = {
  mode: "on_request",
  minimumTokens: 0,
  stepTokens: 1,
  lifetimeMs: 5 * MINUTE_MS,
};

/** @param provider its id; for one that is not known, only what its replies report counts */
export const promptCacheOf = (provider: string): PromptCache => BY_PROVIDER.get(provider) ?? ON_REQUEST;
