import { clockTime, type ZoneOffset } from "../../foundation/time-zone.js";

/**
 * What figures can be grouped by, beside metadata. `key` is the principal; `effort` is what was asked for, null for the model's
 * default; `preset` is that of the routing decision, null for requests that named their model. `day` is a date, `2026-01-31`.
 */
export const TRACE_DIMENSIONS = [
  "model",
  "provider",
  "source",
  "key",
  "kind",
  "effort",
  "preset",
  "day",
] as const;

const METADATA_DIMENSION = "metadata.";

/** A metadata key of the clients'; its values are compared as text, as in filters. */
type MetadataDimension = `${typeof METADATA_DIMENSION}${string}`;
export type TraceDimension = (typeof TRACE_DIMENSIONS)[number] | MetadataDimension;
/** `baseline` is the model that the cost of a routed answer was compared with, null without one. */
export type GroupDimension = TraceDimension | "baseline";

/** The metadata key that a dimension names; undefined for any other dimension. */
export const metadataKeyOf = (dimension: string): string | undefined =>
  dimension.startsWith(METADATA_DIMENSION) ? dimension.slice(METADATA_DIMENSION.length) : undefined;

export const isMetadataDimension = (name: string): name is MetadataDimension =>
  (metadataKeyOf(name) ?? "") !== "";

/** Steps of equal length, counted from an origin; each trace belongs to the one that it arrived in. */
export interface SeriesSteps {
  /** Whole milliseconds since the epoch. */
  readonly originMs: number;
  /** Whole milliseconds, at least 1. */
  readonly stepMs: number;
  /**
   * Days are those of a zone, and steps of more than an hour are counted on its clock: a day has 23 or 25 hours where the clock
   * changes. Default: UTC.
   */
  readonly offsets?: readonly ZoneOffset[] | undefined;
  /** A series for each value of it; one of all when left out. */
  readonly by?: TraceDimension | undefined;
  /**
   * With `by`: at most so many values, those with the largest spend in all steps together; of equal ones those with
   * more requests, decisions left out, then by name, null last. Default: all.
   */
  readonly top?: number | undefined;
  /** `none`: figures that are sums alone, which take a fraction of the time. Default: all. */
  readonly percentiles?: "none" | undefined;
}

const HOUR_MS = 3_600_000;

/**
 * The clock that steps are counted on, before an end: none for short ones, which would fall together in the hour that a clock
 * shows twice, and none for a single one.
 */
export function stepOffsets(
  { originMs, stepMs, offsets = [] }: SeriesSteps,
  endMs = Number.POSITIVE_INFINITY,
): readonly ZoneOffset[] {
  const shownMs = clockTime(endMs, offsets) - clockTime(originMs, offsets);
  return stepMs <= HOUR_MS || Math.max(shownMs, endMs - originMs) <= stepMs ? [] : offsets;
}

/** A value that many percent of the requests stay within: one that occurred, at most one rank off the nearest. */
export interface SeriesPercentiles {
  readonly p50: number;
  readonly p95: number;
}

/** Figures of any group of traces. */
export interface TraceFigures<Percentiles> {
  readonly requests: number;
  /** Without requests that an operator's pause refused. */
  readonly errors: number;
  readonly timeouts: number;
  /** Of the requests, decisions that were not executed. */
  readonly decisions: number;
  /** Sums over the requests whose figure is known. */
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Of those in, read from a prompt cache. */
  readonly tokensCached: number;
  readonly costUsd: number;
  /** Requests whose cost is not known, so that it is not in the sum. Decisions alone are not among them. */
  readonly requestsWithoutCost: number;
  /** Routed answers whose cost was compared with the baseline's. The next two sums are of these, to the nano-dollar. */
  readonly requestsWithBaseline: number;
  readonly baselineCostUsd: number;
  /** Negative where they cost more than the baseline would have. */
  readonly savedUsd: number;
  /** Of answers: successful requests but embeddings and decisions that were not executed. Null without any. */
  readonly latencyMs: Percentiles | null;
  /** Of streamed answers: what is not streamed has no first token of its own. Null without any. */
  readonly ttftMs: Percentiles | null;
  /** Of the same requests as `ttftMs`, so that both can be compared. */
  readonly streamedLatencyMs: Percentiles | null;
}

/** Figures of one step, and of one value of the dimension. Percentiles are null also when they were not asked for. */
export interface SeriesPoint extends TraceFigures<SeriesPercentiles> {
  /** Beginning of the step, in milliseconds since the epoch. */
  readonly startMs: number;
  /** The value; null for requests without model or provider, and when no dimension was asked for. */
  readonly group: string | null;
}

/** Points of one answer, at most. */
export const MOST_POINTS = 10_000;
