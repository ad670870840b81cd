/** What the counter and its worker thread say to each other. */
import type { CountOptions } from "./token-counter.js";

export interface CountRequest {
  readonly request: number;
  readonly texts: readonly string[];
  readonly options: CountOptions;
}

export interface CountAnswer {
  readonly request: number;
  /** Null when counting failed. */
  readonly tokens: number | null;
}
