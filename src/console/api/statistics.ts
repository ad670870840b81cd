import type { RefusalBody } from "../../gateway/features/keys/refusals-schema.js";
import type { ReplayBody } from "../../gateway/features/replay/schema.js";
import type { ValueBody } from "../../gateway/features/replay/value-schema.js";
import type { CauseBody, CauseListBody } from "../../gateway/features/traces/schema/causes.js";
import type { SeriesBody, SeriesPointBody } from "../../gateway/features/traces/schema/series.js";
import { call, callList } from "./call.js";
import type { Dimension } from "./dimensions.js";

export type { SeriesPointBody as Point };

export interface SeriesQuestion {
  /** Milliseconds since the epoch, whole seconds. */
  readonly startMs: number;
  readonly stepMs: number;
  /** Until now when left out. */
  readonly endMs?: number | undefined;
  readonly by?: Dimension | undefined;
  /** Only the values with the largest spend, so many. */
  readonly top?: number;
  /** `none`: only what can be summed up, which takes a fraction of the time. */
  readonly percentiles?: "none";
  /** In which days and long steps are counted; default: that of the clock here. */
  readonly timeZone?: string;
  /** Only those of the key with this id. */
  readonly key?: string;
}

/** The zone of the clock here. */
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** From the start on. Asked again, it costs next to nothing while nothing happens. */
export async function fetchSeries(
  { startMs, stepMs, endMs, timeZone: time_zone = ZONE, ...more }: SeriesQuestion,
  signal: AbortSignal,
): Promise<readonly SeriesPointBody[]> {
  const query = {
    ...dateFilters(startMs, endMs),
    step: Math.round(stepMs / 1000),
    time_zone,
    ...more,
  };
  return (await call<SeriesBody>("/admin/traces/series", { query, signal })).data;
}

/** A part of time, in milliseconds since the epoch, as filters of the API. */
export const dateFilters = (startMs: number, endMs?: number): Record<string, string> => ({
  start_date: new Date(startMs).toISOString(),
  ...(endMs !== undefined && { end_date: new Date(endMs).toISOString() }),
});

export type { ValueBody as Value };

/** What routing saved, how answers were scored, and the recommended cost weight. */
export const fetchValue = (
  { startMs, endMs }: Pick<SeriesQuestion, "startMs" | "endMs">,
  signal: AbortSignal,
): Promise<ValueBody> => call("/admin/traces/value", { query: dateFilters(startMs, endMs), signal });

export type { CauseBody as Cause, CauseListBody as CauseList };

/** @param query filters, as the API takes them */
export const fetchCauses = (
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<CauseListBody> => call("/admin/traces/causes", { query, signal });

export type { RefusalBody as Refusal };

/** Which limit refused: `requests` of the key, `budget of customers`. */
export const limitText = ({ limit, budget }: RefusalBody): string =>
  budget === null ? limit : `${limit} of ${budget}`;

/** Requests that limits refused in the last 24 hours, of all keys or of one, in steps of whole minutes. */
export const listRefusals = (
  { key, stepMs }: Pick<SeriesQuestion, "key" | "stepMs">,
  signal: AbortSignal,
): Promise<readonly RefusalBody[]> =>
  callList("/admin/refusals", { query: { step: stepMs / 1000, key }, signal });

export type { ReplayBody as Replay };
export type ReplayReport = ReplayBody["reports"][number];

export interface ReplayQuestion extends Pick<SeriesQuestion, "startMs" | "endMs"> {
  readonly costWeights: readonly number[];
}

/** What would have been chosen for the requests since then. */
export const replayTraffic = (
  { startMs, endMs, costWeights }: ReplayQuestion,
  signal: AbortSignal,
): Promise<ReplayBody> =>
  call("/admin/traces/replay", {
    query: { ...dateFilters(startMs, endMs), cost_weight: costWeights.join() },
    signal,
  });
