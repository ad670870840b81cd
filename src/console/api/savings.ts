import type { SavingsBody } from "../../api/traces/savings.js";
import { call } from "./call.js";

export type { SavingsBody as Savings };

interface SavingsQuestion {
  /** Milliseconds since the epoch. */
  readonly startMs: number;
  /** Until now when left out. */
  readonly endMs?: number | undefined;
  /** Most requests to read. */
  readonly sample: number;
}

/** What decisions were expected to save. */
export function fetchSavings(
  { startMs, endMs, sample }: SavingsQuestion,
  signal: AbortSignal,
): Promise<SavingsBody> {
  const query = new URLSearchParams({
    start_date: new Date(startMs).toISOString(),
    ...(endMs === undefined ? {} : { end_date: new Date(endMs).toISOString() }),
    sample: String(sample),
  });
  return call(`/admin/traces/savings?${query}`, { signal });
}
