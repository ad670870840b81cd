import type { CatalogSettings, PriceEntry } from "../entries.js";
import type { Price } from "../models/price.js";

/** A price of the settings. What it does not say of cached tokens is billed like other prompt tokens. */
export function settingsPrice(entry: PriceEntry): Price {
  return {
    inputUsdPerMtok: entry.input_usd_per_mtok,
    cachedInputUsdPerMtok: entry.cached_input_usd_per_mtok ?? null,
    cacheWriteUsdPerMtok: entry.cache_write_usd_per_mtok ?? null,
    cacheWriteHourUsdPerMtok: null,
    outputUsdPerMtok: entry.output_usd_per_mtok,
    tiers: [],
  };
}

/** The first of the names that the settings' `prices` have. Own keys only: `constructor` is no price. */
export function overridePrice(
  names: readonly string[],
  { prices }: Pick<CatalogSettings, "prices">,
): PriceEntry | undefined {
  const found = names.find((name) => Object.hasOwn(prices, name));
  return found === undefined ? undefined : prices[found];
}
