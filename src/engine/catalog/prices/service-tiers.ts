/** What providers charge for a service tier, as a multiple of their list price. */
import type { Price, TokenRates } from "../models/price.js";

/** Batch rates, which flex has too: half of all rates. */
const HALF = 0.5;

/**
 * OpenAI's "Fast mode", which was "Priority processing" until 2026-07-30, by model: https://openai.com/api-fast-mode/, read on
 * 2026-11-23 and checked against the list prices of the time. Models that are not there have no such price.
 */
const FAST_AT_OPENAI: readonly (readonly [model: RegExp, multiple: number])[] = [
  [/^gpt-5\.6-(?:sol|terra|luna)$/, 2],
  [/^gpt-5\.5$/, 2.5],
  [/^gpt-5\.4(?:-mini)?$/, 2],
  [/^gpt-5(?:\.[12])?$/, 2],
  [/^gpt-5(?:\.1)?-codex$/, 2],
  [/^gpt-5-mini$/, 1.8],
  [/^gpt-4\.1(?:-mini)?$/, 1.75],
  [/^gpt-4\.1-nano$/, 2],
  [/^gpt-4o$/, 1.7],
  [/^gpt-4o-mini$/, 5 / 3],
];

interface TierQuery {
  readonly provider: string;
  readonly upstreamModel: string;
  readonly tier: string;
}

/** The multiple by provider and tier; undefined where none is published. */
function multipleOf({ provider, upstreamModel, tier }: TierQuery): number | undefined {
  switch (`${provider} ${tier}`) {
    // https://developers.openai.com/api/docs/guides/flex-processing: at Batch API rates, read on 2026-11-23.
    case "openai flex":
    case "openai batch":
    // https://learn.microsoft.com/azure/foundry/openai/how-to/flex-processing, read on 2026-11-23.
    case "azure flex":
    // https://ai.google.dev/gemini-api/docs/flex-inference, read on 2026-11-23.
    case "google flex":
    // https://platform.claude.com/docs/en/api/service-tiers, read on 2026-11-23. What priority costs is in each contract.
    case "anthropic batch":
      return HALF;
    // https://console.groq.com/docs/flex-processing: the price of on-demand, read on 2026-11-23.
    case "groq flex":
      return 1;
    case "openai priority":
    case "openai fast": {
      const model = upstreamModel.replace(/-\d{4}-\d{2}-\d{2}$/, "");
      return FAST_AT_OPENAI.find(([pattern]) => pattern.test(model))?.[1];
    }
    default:
      return undefined;
  }
}

/** The price of a tier by the list price of the model there; null where no price of that tier is known. */
export function priceAtTier(price: Price, query: TierQuery): Price | null {
  const multiple = multipleOf(query);
  if (multiple === undefined) return null;
  const tiers = price.tiers.map(({ abovePromptTokens, rates }) => ({
    abovePromptTokens,
    rates: scaled(rates, multiple),
  }));
  return { ...price, ...scaled(price, multiple), tiers };
}

function scaled(rates: TokenRates, multiple: number): TokenRates {
  const by = (rate: number | null): number | null => (rate === null ? null : rate * multiple);
  return {
    inputUsdPerMtok: rates.inputUsdPerMtok * multiple,
    cachedInputUsdPerMtok: by(rates.cachedInputUsdPerMtok),
    cacheWriteUsdPerMtok: by(rates.cacheWriteUsdPerMtok),
    cacheWriteHourUsdPerMtok: by(rates.cacheWriteHourUsdPerMtok),
    outputUsdPerMtok: rates.outputUsdPerMtok * multiple,
  };
}
