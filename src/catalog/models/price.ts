/** US dollars per million tokens. Null: the price list has no such rate, and those tokens are billed as ordinary prompt tokens. */
export interface TokenRates {
  readonly inputUsdPerMtok: number;
  readonly cachedInputUsdPerMtok: number | null;
  readonly cacheWriteUsdPerMtok: number | null;
  /** Cache writes kept for an hour; null = as other cache writes. */
  readonly cacheWriteHourUsdPerMtok: number | null;
  readonly outputUsdPerMtok: number;
}

/** What a provider bills for a model. These are the rates of the smallest prompts, which decisions use. */
export interface Price extends TokenRates {
  /** Rates for the whole request once its prompt is longer than that; shortest first, empty for most models. */
  readonly tiers: readonly { readonly abovePromptTokens: number; readonly rates: TokenRates }[];
}
