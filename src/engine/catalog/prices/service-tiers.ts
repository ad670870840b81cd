/** What providers charge for a service tier, by the catalog file: a multiple of their list price. */
import { ofCatalog } from "../catalog-file.js";
import { namePattern, spelling } from "../models/models.js";
import type { Price, TokenRates } from "../models/price.js";

const rules = ofCatalog(
  ({ tiers }) =>
    new Map(
      Object.entries(tiers).map(([provider, ofProvider]) => [
        provider,
        ofProvider.map(({ models, ...rule }) => ({ ...rule, patterns: models?.map(namePattern) })),
      ]),
    ),
);

/** The multiple by tier of a provider's model on a day; a tier that it does not have has no published price. */
export function tiersOf(
  provider: string,
  upstreamModel: string,
  { at }: { readonly at: Date },
): Readonly<Record<string, number>> {
  const name = spelling(upstreamModel.replace(/-\d{4}-\d{2}-\d{2}$/, ""));
  const day = at.toISOString().slice(0, "2026-01-31".length);
  const found = rules()
    .get(provider)
    ?.filter(({ from = "", until = "9999", patterns }) => {
      return from <= day && day < until && patterns?.some((pattern) => pattern.test(name)) !== false;
    });
  return Object.assign({}, ...(found ?? []).map(({ tiers }) => tiers));
}

/** The first moment after `at` at which a tier may cost another multiple; infinity when none will. */
export const nextTierChange = (at: Date): number =>
  Math.min(
    ...[...rules().values()]
      .flatMap((ofProvider) => ofProvider.flatMap(({ from, until }) => [from, until]))
      .flatMap((day) => (day === undefined ? [] : Date.parse(day)))
      .filter((moment) => moment > at.getTime()),
  );

/** The price of a tier by the list price of the model there. */
export const priceAtTier = (price: Price, multiple: number): Price => ({
  ...price,
  ...scaled(price, multiple),
  tiers: price.tiers.map(({ abovePromptTokens, rates }) => ({
    abovePromptTokens,
    rates: scaled(rates, multiple),
  })),
});

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
