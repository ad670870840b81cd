import type {
  SeriesDimension as Dimension,
  SeriesBody,
  SeriesPointBody,
} from "../../gateway/api/traces/series.js";
import { callAgain } from "./call.js";
import { namesOf } from "./names.js";

export type { Dimension, SeriesPointBody as Point };

/** What figures can be split by, with the filter that finds the traces of one value. */
export const DIMENSION_FILTERS: Readonly<Record<Dimension, string>> = {
  model: "model_id",
  provider: "provider",
  source: "source",
  key: "key",
};

export const DIMENSIONS = namesOf(DIMENSION_FILTERS);

export interface SeriesQuestion {
  /** Milliseconds since the epoch, whole seconds. */
  readonly startMs: number;
  readonly stepMs: number;
  /** Until now when left out. */
  readonly endMs?: number | undefined;
  readonly by?: Dimension | undefined;
  /** `none`: only what can be summed up, which takes a fraction of the time. */
  readonly percentiles?: "none";
  /** Only those of the key with this id. */
  readonly key?: string;
}

/** From the start on. Asked again, it costs next to nothing while nothing happens. */
export async function fetchSeries(
  { startMs, stepMs, endMs, by, percentiles, key }: SeriesQuestion,
  signal: AbortSignal,
): Promise<readonly SeriesPointBody[]> {
  const query = new URLSearchParams({
    start_date: new Date(startMs).toISOString(),
    step: String(Math.round(stepMs / 1000)),
    ...(endMs === undefined ? {} : { end_date: new Date(endMs).toISOString() }),
    ...(by === undefined ? {} : { by }),
    ...(percentiles === undefined ? {} : { percentiles }),
    ...(key === undefined ? {} : { key }),
  });
  const { data } = await callAgain<SeriesBody>(`/admin/traces/series?${query}`, {
    signal,
  });
  return data;
}
