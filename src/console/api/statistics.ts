import type { RefusalBody } from "../../gateway/api/refusals.js";
import type { FailuresBody } from "../../gateway/api/traces/failures.js";
import type { ReplayBody } from "../../gateway/api/traces/replay.js";
import type { SavingsBody } from "../../gateway/api/traces/savings.js";
import type {
  SeriesDimension as Dimension,
  SeriesBody,
  SeriesPointBody,
} from "../../gateway/api/traces/series.js";
import { call, callAgain, callList } from "./call.js";
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

export type { FailuresBody as Failures };

/** @param query filters, as the API takes them */
export const listFailures = (query: URLSearchParams, signal: AbortSignal): Promise<readonly FailuresBody[]> =>
  callList(`/admin/traces/failures?${query}`, signal);

export type { RefusalBody as Refusal };

interface RefusalQuestion {
  /** Id of a key; all of them when left out. */
  readonly key?: string;
  /** A multiple of a minute. */
  readonly stepMs: number;
}

/** Requests that limits refused in the last 24 hours. */
export function listRefusals(
  { key, stepMs }: RefusalQuestion,
  signal: AbortSignal,
): Promise<readonly RefusalBody[]> {
  const query = new URLSearchParams({ step: String(stepMs / 1000), ...(key === undefined ? {} : { key }) });
  return callList(`/admin/refusals?${query}`, signal);
}

export type { ReplayBody as Replay };
export type ReplayReport = ReplayBody["reports"][number];
export type ProfileSet = ReplayBody["available_profiles"][number];

export interface ReplayQuestion {
  /** Milliseconds since the epoch. */
  readonly startMs: number;
  readonly costWeights: readonly number[];
  /** Most requests to read, as the API takes it; null: its default. */
  readonly sample: string | null;
  readonly profiles: ProfileSet;
}

/** What would have been chosen for the requests since then. */
export function replayTraffic(
  { startMs, costWeights, sample, profiles }: ReplayQuestion,
  signal: AbortSignal,
): Promise<ReplayBody> {
  const query = new URLSearchParams({
    start_date: new Date(startMs).toISOString(),
    cost_weight: costWeights.join(),
    ...(sample === null ? {} : { sample }),
    profiles,
  });
  return call(`/admin/traces/replay?${query}`, { signal });
}
