import type { SavingsBody } from "../../gateway/api/traces/savings.js";
import { call } from "./call.js";

export type { SavingsBody as Savings };

interface SavingsQuestion {
  /** Milliseconds since the epoch. */
  readonly startMs: number;
  /** Until now when left out. */
  readonly endMs?: number | undefined;
}

/** What decisions were expected to save, from a sample of the gateway's default size. */
export function fetchSavings({ startMs, endMs }: SavingsQuestion, signal: AbortSignal): Promise<SavingsBody> {
  const query = new URLSearchParams({
    start_date: new Date(startMs).toISOString(),
    ...(endMs === undefined ? {} : { end_date: new Date(endMs).toISOString() }),
  });
  return call(`/admin/traces/savings?${query}`, { signal });
}
