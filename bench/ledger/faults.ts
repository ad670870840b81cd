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

/** One call as the upstream billed it. */
export interface BilledCall {
  /** Number of the request, from its prompt. */
  readonly request: number;
  readonly fault: Fault | "none";
  readonly promptTokens: number;
  /** Tokens it generated, whether they arrived or not. */
  readonly completionTokens: number;
  /** Dollars of the usage that its reply reported; 0 when it reported none. */
  readonly reportedUsd: number;
  readonly billedUsd: number;
}

/** Dollars a million tokens: whole nano-dollars a token, so that sums are exact. */
export const PRICE = { input_usd_per_mtok: 1, output_usd_per_mtok: 4 } as const;

export const usdOf = (promptTokens: number, completionTokens: number): number =>
  (promptTokens * PRICE.input_usd_per_mtok + completionTokens * PRICE.output_usd_per_mtok) / 1e6;
