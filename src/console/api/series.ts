import { callAgain } from "./call.js";

export const DIMENSIONS = ["model", "provider", "source"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

/** Figures of one step, as `GET /admin/traces/series` has them. */
export interface Point {
  readonly start: string;
  readonly group: string | null;
  requests: number;
  errors: number;
  timeouts: number;
  tokens_in: number;
  tokens_out: number;
  cost_usd: number;
  readonly latency_ms: Percentiles;
  readonly ttft_ms: Percentiles | null;
}

export interface SeriesQuestion {
  /** Milliseconds since the epoch, whole seconds. */
  readonly startMs: number;
  readonly stepMs: number;
  readonly by?: Dimension | undefined;
}

/** From the start until now. Asked again, it costs next to nothing while nothing happens. */
export async function fetchSeries(
  { startMs, stepMs, by }: SeriesQuestion,
  signal: AbortSignal,
): Promise<readonly Point[]> {
  const query = new URLSearchParams({
    start_date: new Date(startMs).toISOString(),
    step: String(Math.round(stepMs / 1000)),
    ...(by === undefined ? {} : { by }),
  });
  const { data } = await callAgain<{ readonly data: readonly Point[] }>(`/admin/traces/series?${query}`, {
    signal,
  });
  return data;
}
