/**
 * US dollars per million tokens. Null: the price list has no such rate, and those tokens are charged as ordinary prompt
 * tokens.
 */
export interface TokenRates {
  readonly inputUsdPerMtok: number;
  readonly cachedInputUsdPerMtok: number | null;
  readonly cacheWriteUsdPerMtok: number | null;
  /** Cache writes kept for an hour; null = the rate of other cache writes. */
  readonly cacheWriteHourUsdPerMtok: number | null;
  readonly outputUsdPerMtok: number;
}

/** A provider's price of a model. The rates are those of the smallest prompts, which decisions use. */
export interface Price extends TokenRates {
  /** Rates for the whole request once its prompt exceeds that length; shortest first, empty for most models. */
  readonly tiers: readonly { readonly abovePromptTokens: number; readonly rates: TokenRates }[];
  /** US dollars per thousand calls of a tool that the provider runs: `web_search`, `file_search`. Absent where none is known. */
  readonly usdPerThousandCalls?: Readonly<Record<string, number>>;
}
