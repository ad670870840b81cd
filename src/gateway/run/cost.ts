import type { Price, TokenRates } from "../../engine/catalog/models/price.js";
import { ratesAt } from "../../engine/index.js";
import type { TokenUsage } from "../providers/token-usage.js";

/** The tokens a provider charges; details are included in their totals. */
export type BilledTokens = Omit<TokenUsage, "reasoningTokens" | "details">;

/** US dollars; all four null when no price is known, the first three where the provider reports a total. */
export interface Costs {
  readonly input_cost_usd: number | null;
  readonly output_cost_usd: number | null;
  readonly cache_input_cost_usd: number | null;
  readonly total_cost_usd: number | null;
  /** Part of the output cost: fees for tools that the provider ran. Absent without any. */
  readonly tool_cost_usd?: number;
}

const UNKNOWN: Costs = {
  input_cost_usd: null,
  output_cost_usd: null,
  cache_input_cost_usd: null,
  total_cost_usd: null,
};

const PICODOLLARS_PER_DOLLAR = 1e12;

/**
 * The exact cost of an answer: a rate in dollars per million tokens is an integer of picodollars per token (a rate with
 * more than six decimals is rounded to that), so every cost is a sum of integers, exact up to $9,000, and divided once
 * at the end. The total is the exact sum of the other three, rounded to the nearest float like them. What the provider reports is not computed.
 */
export function costsOf(tokens: BilledTokens, price: Price | null): Costs {
  if (tokens.costUsd !== undefined) return { ...UNKNOWN, total_cost_usd: tokens.costUsd };
  if (price === null) return UNKNOWN;
  const rates = ratesAt<TokenRates>(price, tokens.promptTokens);
  const { promptTokens, cacheReadTokens, cacheWriteTokens } = tokens;
  // A provider may report more cached tokens than tokens.
  const fresh = Math.max(0, promptTokens - cacheReadTokens - cacheWriteTokens);
  const input = picodollars(fresh, rates.inputUsdPerMtok);
  const cache = cachePicodollars(tokens, rates);
  const tools = toolPicodollars(tokens, price);
  const output = picodollars(tokens.completionTokens, rates.outputUsdPerMtok) + tools;
  return {
    input_cost_usd: input / PICODOLLARS_PER_DOLLAR,
    output_cost_usd: output / PICODOLLARS_PER_DOLLAR,
    cache_input_cost_usd: cache / PICODOLLARS_PER_DOLLAR,
    total_cost_usd: (input + cache + output) / PICODOLLARS_PER_DOLLAR,
    ...(tools === 0 ? {} : { tool_cost_usd: tools / PICODOLLARS_PER_DOLLAR }),
  };
}

function cachePicodollars(tokens: BilledTokens, rates: TokenRates): number {
  const readRate = rates.cachedInputUsdPerMtok ?? rates.inputUsdPerMtok;
  const writeRate = rates.cacheWriteUsdPerMtok ?? rates.inputUsdPerMtok;
  const hourRate = rates.cacheWriteHourUsdPerMtok ?? writeRate;
  const hourTokens = Math.min(tokens.cacheWriteHourTokens, tokens.cacheWriteTokens);
  return (
    picodollars(tokens.cacheReadTokens, readRate) +
    picodollars(tokens.cacheWriteTokens - hourTokens, writeRate) +
    picodollars(hourTokens, hourRate)
  );
}

/** A dollar per thousand calls is a billion picodollars per call. */
function toolPicodollars({ hostedCalls = {} }: BilledTokens, { usdPerThousandCalls = {} }: Price): number {
  let sum = 0;
  for (const [tool, calls] of Object.entries(hostedCalls)) {
    sum += calls * Math.round((usdPerThousandCalls[tool] ?? 0) * 1e9);
  }
  return sum;
}

/** A dollar per million tokens is a million picodollars per token. */
const picodollars = (tokens: number, usdPerMtok: number): number => tokens * Math.round(usdPerMtok * 1e6);
