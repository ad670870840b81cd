import { z } from "zod";
import { snakeCased } from "../../../foundation/snake-case.js";
import {
  SERIES_DIMENSIONS,
  type SeriesDimension,
  type SeriesPoint,
  type SeriesSteps,
} from "../../traces/series.js";
import type { TraceFilter } from "../../traces/store.js";
import { sums } from "./stats.js";
import { FILTER_PARAMETERS, invalid, nameIn, parseTraceFilter, type RawQuery } from "./trace-query.js";

/** Steps of one answer, so that a typing mistake does not ask for a million of them. */
const MOST_STEPS = 2000;

/** Parameters for the OpenAPI document alone: `parseSeriesQuery` checks them. */
export const seriesQuerySchema = z.object({
  step: z.string().describe("Length of a step in whole seconds. Steps are counted from `start_date`."),
  by: z
    .string()
    .optional()
    .describe(`A series for each value of one of: ${SERIES_DIMENSIONS.join(", ")}. Default: one of all.`),
  percentiles: z
    .string()
    .optional()
    .describe(
      "`none`: without `latency_ms` and `ttft_ms`, which takes a fraction of the time. Default: with them.",
    ),
  ...FILTER_PARAMETERS,
});

/** What `GET /admin/traces/series` asks for. */
export interface SeriesQuery {
  readonly filter: TraceFilter & { readonly startMs: number; readonly endMs: number };
  readonly steps: SeriesSteps;
}

/**
 * Reads and checks the query string of `GET /admin/traces/series`: the filters of `GET /v1/traces`, `step`, `by` and `percentiles`.
 *
 * @param nowMs for a series without an end
 * @throws SextantError `invalid_request` that names the parameter, its value and the remedy
 */
export function parseSeriesQuery(
  { step, by, percentiles, ...filters }: RawQuery,
  nowMs: number,
): SeriesQuery {
  const filter = parseTraceFilter(filters);
  const { startMs, endMs = nowMs } = filter;
  if (startMs === undefined) {
    throw invalid("start_date", "`start_date` is missing: steps are counted from it. Give it.");
  }
  const stepMs = stepOf(single(step)) * 1000;
  if ((endMs - startMs) / stepMs > MOST_STEPS) {
    const seconds = Math.ceil((endMs - startMs) / MOST_STEPS / 1000);
    throw invalid(
      "step",
      `That would be more than ${MOST_STEPS} steps. Use a \`step\` of ${seconds} or more.`,
    );
  }
  return {
    filter: { ...filter, startMs, endMs },
    steps: {
      originMs: startMs,
      stepMs,
      by: dimensionOf(single(by)),
      percentiles: percentilesOf(single(percentiles)),
    },
  };
}

function stepOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw invalid(
    "step",
    `\`step\` is ${JSON.stringify(text.slice(0, 40))}: it must be a whole number of seconds, at least 1.`,
  );
}

function dimensionOf(text: string): SeriesDimension | undefined {
  if (text === "") return undefined;
  const fault = (value: string) => `is ${value}.`;
  return nameIn(SERIES_DIMENSIONS, text, { param: "by", fault, remedy: "It must be one of" });
}

function percentilesOf(text: string): SeriesSteps["percentiles"] {
  if (text === "") return undefined;
  const fault = (value: string) => `is ${value}.`;
  return nameIn(["none"] as const, text, { param: "percentiles", fault, remedy: "Leave it out, or write" });
}

const single = (value: RawQuery[string] = ""): string => [value].flat().join(",");

const milliseconds = z.number().min(0);
const percentiles = z.strictObject({ p50: milliseconds, p95: milliseconds });

const pointSchema = z.strictObject({
  start: z.string().describe("Beginning of the step: ISO 8601, UTC."),
  group: z.string().nullable().describe("The value of `by`; null for none."),
  ...sums,
  latency_ms: percentiles.nullable().describe("Null with `percentiles=none`."),
  ttft_ms: percentiles.nullable().describe("Null also when no request has any."),
});

/** Answer of `GET /admin/traces/series`. */
export const seriesSchema = z.strictObject({
  object: z.literal("list"),
  step: z.int().describe("Seconds."),
  start_date: z.string().describe("Beginning of the first step: ISO 8601, UTC."),
  end_date: z.string().describe("End of the last step, exclusive."),
  data: z
    .array(pointSchema)
    .describe("Steps with requests, by time; of one step by value, null last. At most 10,000."),
  request_id: z.string(),
});

export type { SeriesDimension };
export type SeriesBody = z.infer<typeof seriesSchema>;
export type SeriesPointBody = z.infer<typeof pointSchema>;

export const seriesPointBody = ({ startMs, ...figures }: SeriesPoint): SeriesPointBody => ({
  start: new Date(startMs).toISOString(),
  ...snakeCased(figures),
});
