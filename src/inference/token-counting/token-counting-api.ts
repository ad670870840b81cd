/** Messages between the counter and its worker thread. */
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
