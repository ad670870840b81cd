import { type ModelFacts, type PromptCache, ratesAt } from "./candidate.js";
import type { PreviousAnswer } from "./decision.js";
import type { Estimates } from "./estimates.js";

/**
 * Answers that are expected to follow in a conversation. Filling another model's cache costs once and is used by all of them, so that
 * share of the cost is left out of the comparison. Measured: docs/decisions/conversations.md.
 */
const FURTHER_ANSWERS = 2;

/** A candidate with its facts, in the order of the estimates. */
interface CachingCandidate {
  readonly model: string;
  readonly facts: Pick<ModelFacts, "provider" | "price" | "promptCache">;
}

export interface ContinuedRequest {
  /** In the order of the estimates. */
  readonly candidates: readonly CachingCandidate[];
  /** Of the whole request. */
  readonly promptTokens: number;
  readonly previous: PreviousAnswer;
}

/** Costs in dollars by candidate; infinite where no price is known. */
export interface ContinuedCosts {
  /** Expected cost of this answer, with the prompt cache as it is. */
  readonly expected: Float64Array;
  /** Mean cost of this answer and those that follow, as far as caching is concerned: what models are compared by. */
  readonly compared: Float64Array;
}

/** Costs of the candidates for a request that continues a conversation. @param estimates without any caching */
export function continuedCosts(estimates: Estimates, request: ContinuedRequest): ContinuedCosts {
  const expected = estimates.costUsd.slice();
  const compared = estimates.costUsd.slice();
  request.candidates.forEach((candidate, entry) => {
    const now = savingUsd(candidate, cachedTokens(candidate, request), request);
    const later = savingUsd(candidate, cacheableTokens(candidate, request), request);
    const cost = estimates.costUsd[entry] as number;
    expected[entry] = Math.max(0, cost - now);
    compared[entry] = Math.max(0, cost - (now + FURTHER_ANSWERS * later) / (1 + FURTHER_ANSWERS));
  });
  return { expected, compared };
}

/** Tokens of this request that the model's provider has in its cache: those of the previous prompt, if it answered that. */
function cachedTokens(
  { model, facts }: CachingCandidate,
  { previous, promptTokens }: ContinuedRequest,
): number {
  const { promptCache: cache } = facts;
  if (model !== previous.model || facts.provider !== previous.provider || cache === undefined) return 0;
  return tokensInCache(cache, { previous, promptTokens });
}

/**
 * Whether a provider that answered before may still have that prompt in its cache: by its documented lifetime and
 * minimum.
 */
export const isCacheWarm = (cache: PromptCache, { ageMs, billedTokens }: PreviousAnswer): boolean =>
  ageMs <= cache.lifetimeMs && (cache.mode === "on_request" || billedTokens >= cache.minimumTokens);

/** Tokens of a request that the provider which answered before is expected to read from its cache. */
export function tokensInCache(
  cache: PromptCache,
  { previous, promptTokens }: Pick<ContinuedRequest, "previous" | "promptTokens">,
): number {
  if (previous.ageMs > cache.lifetimeMs || previous.billedTokens <= 0) return 0;
  const byRule =
    cache.mode === "automatic" && previous.billedTokens >= cache.minimumTokens
      ? previous.billedTokens - (previous.billedTokens % cache.stepTokens)
      : 0;
  const share = Math.min(1, Math.max(byRule, previous.reportedTokens) / previous.billedTokens);
  return Math.min(promptTokens, share * previous.promptTokens);
}

/** Tokens of this request that a later one can read from the cache, if this model answers now and then. */
function cacheableTokens({ facts }: CachingCandidate, request: ContinuedRequest): number {
  const { promptCache: cache } = facts;
  if (cache === undefined) return 0;
  const isCached =
    cache.mode === "automatic" ? request.promptTokens >= cache.minimumTokens : isMarked(facts, request);
  return isCached ? request.promptTokens : 0;
}

/** Whether the client marks what this provider is to cache: its replies in this conversation report cached tokens. */
const isMarked = ({ provider }: CachingCandidate["facts"], { previous }: ContinuedRequest): boolean =>
  provider === previous.provider && previous.reportedTokens > 0;

/** Dollars less than without caching; negative where writing to the cache costs more than reading from it saves. */
function savingUsd({ facts }: CachingCandidate, tokens: number, request: ContinuedRequest): number {
  const { price, promptCache: cache } = facts;
  if (price === null) return 0;
  const rates = ratesAt(price, request.promptTokens);
  const { inputUsdPerMtok: input, cachedInputUsdPerMtok: read, cacheWriteUsdPerMtok: write } = rates;
  const saved = tokens * (input - (read ?? input));
  const isWritten = cache?.mode === "on_request" && isMarked(facts, request);
  const surcharge = isWritten ? (request.promptTokens - tokens) * ((write ?? input) - input) : 0;
  return (saved - surcharge) / 1e6;
}
