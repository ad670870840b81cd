/** Faults of the ledger's upstream, with what the upstream bills and reports for each. */
export const FAULTS = [
  "error without usage",
  "error with usage",
  "rate limited",
  "reply without choices, with usage",
  "reply cut off",
  "stream cut off before content",
  "stream cut off after content",
  "stream cut off after its usage",
  "connection closed before the reply",
] as const;
export type Fault = (typeof FAULTS)[number];

/** Faults for which nothing was generated, so that nothing is billed. */
export const UNBILLED_FAULTS: ReadonlySet<Fault> = new Set([
  "error without usage",
  "rate limited",
  "connection closed before the reply",
]);

/** One call as the upstream billed it. */
export interface BilledCall {
  /** Number of the request, from its prompt. */
  readonly request: number;
  readonly fault: Fault | "none";
  /** Nano-dollars of the usage that its reply reported; 0 when it reported none. */
  readonly reported: number;
  /** Nano-dollars, for what it generated, whether that arrived or not. */
  readonly billed: number;
}

/** Dollars a million tokens: whole nano-dollars a token, so that sums are exact. */
export const PRICE = { input_usd_per_mtok: 1, output_usd_per_mtok: 4 } as const;

const NANO_USD_PER_USD = 1e9;

export const nanoUsdFor = (promptTokens: number, completionTokens: number): number =>
  (promptTokens * PRICE.input_usd_per_mtok + completionTokens * PRICE.output_usd_per_mtok) * 1000;

/** Of an amount in dollars that is a whole number of nano-dollars, but for rounding. */
export const nanoUsd = (usd: number | null | undefined): number => Math.round((usd ?? 0) * NANO_USD_PER_USD);

export const usd = (nano: number): number => nano / NANO_USD_PER_USD;
