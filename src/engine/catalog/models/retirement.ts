/** That a provider stops running a model under a name. */
export interface Retirement {
  /** `2026-12-31`, UTC, past or future. */
  readonly from: string;
  /** Catalog id of what answers from then on, or else of what the vendor recommends; null where it names none. */
  readonly successor: string | null;
  /** Whether the successor answers under the name from then on, at its own price. */
  readonly isRedirected: boolean;
}
