import { z } from "zod";
import { snakeCased } from "../../../../foundation/snake-case.js";
import {
  type SeriesPoint,
  type SeriesSteps,
  TRACE_DIMENSIONS,
  type TraceDimension,
} from "../../../traces/series.js";
import type { TraceFilter } from "../../../traces/store.js";
import { sums } from "./stats.js";
import { timeZoneParameter } from "./time-zone-parameter.js";
import {
  dimensionIn,
  invalidParameter,
  nameIn,
  ONE_OF,
  type SearchQuery,
  searchQuery,
} from "./trace-query.js";

/** Steps of one answer, so that a typing mistake does not ask for a million of them. */
const MOST_STEPS = 2000;

/** What `GET /admin/traces/series` asks for. */
export interface SeriesQuery {
  readonly filter: TraceFilter & { readonly startMs: number; readonly endMs: number };
  readonly steps: SeriesSteps;
}

const parameters = searchQuery({
  step: {
    description: "Length of a step in whole seconds. Steps are counted from `start_date`.",
    required: true,
    read: (text) => text,
  },
  by: {
    description: `A series for each value of one of: ${TRACE_DIMENSIONS.join(", ")}, metadata.<key>. Default: one of all.`,
    read: (text) => text,
  },
  time_zone: timeZoneParameter(
    "Whose days `day` means, and on whose clock steps of more than an hour are counted, so that one of 86,400 seconds is a day",
  ),
  top: {
    description:
      "With `by`: only the series of this many values, 1 to 1000: those with the largest spend, then those with more requests. Default: all.",
    read: (text) => text,
  },
  percentiles: {
    description:
      "`none`: without `latency_ms`, `ttft_ms` and `streamed_latency_ms`, which takes a fraction of the time. Default: with them.",
    read: (text) => text,
  },
});

/**
 * The query string of `GET /admin/traces/series`.
 *
 * @param now milliseconds since the epoch, for a series without an end
 */
export const seriesQuery = (now: () => number): SearchQuery<SeriesQuery> => ({
  schema: parameters.schema,
  parse(raw) {
    const { filter, step, by, top, time_zone: timeZone, percentiles } = parameters.parse(raw);
    const { startMs, endMs = now() } = filter;
    if (startMs === undefined) {
      throw invalidParameter("start_date", "`start_date` is missing: steps are counted from it. Give it.");
    }
    const stepMs = stepOf(step) * 1000;
    if ((endMs - startMs) / stepMs > MOST_STEPS) {
      const seconds = Math.ceil((endMs - startMs) / MOST_STEPS / 1000);
      throw invalidParameter(
        "step",
        `That would be more than ${MOST_STEPS} steps. Use a \`step\` of ${seconds} or more.`,
      );
    }
    return {
      filter: { ...filter, startMs, endMs },
      steps: {
        originMs: startMs,
        stepMs,
        offsets: timeZone?.offsets({ startMs, endMs }, endMs),
        by: by === "" ? undefined : dimensionIn(TRACE_DIMENSIONS, by, { param: "by", ...ONE_OF }),
        top: top === "" ? undefined : topOf(top, by),
        percentiles:
          percentiles === ""
            ? undefined
            : nameIn(["none"] as const, percentiles, {
                ...ONE_OF,
                param: "percentiles",
                remedy: "Leave it out, or write",
              }),
      },
    };
  },
});

function stepOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw invalidParameter(
    "step",
    `\`step\` is ${JSON.stringify(text.slice(0, 40))}: it must be a whole number of seconds, at least 1.`,
  );
}

function topOf(text: string, by: string): number {
  if (by === "")
    throw invalidParameter("top", "`top` limits the values of `by`. Send `by` too, or leave `top` out.");
  if (/^([1-9]\d{0,2}|1000)$/.test(text)) return Number(text);
  throw invalidParameter(
    "top",
    `\`top\` is ${JSON.stringify(text.slice(0, 40))}: it must be a whole number from 1 to 1000.`,
  );
}

const milliseconds = z.number().min(0);
const percentiles = z.strictObject({ p50: milliseconds, p95: milliseconds });

const pointSchema = z.strictObject({
  start: z.string().describe("Beginning of the step: ISO 8601, UTC."),
  group: z.string().nullable().describe("The value of `by`; null for none."),
  ...sums,
  latency_ms: percentiles
    .nullable()
    .describe("As in statistics: of answers. Null without any, and with `percentiles=none`."),
  ttft_ms: percentiles.nullable().describe("As in statistics: of streamed answers."),
  streamed_latency_ms: percentiles.nullable().describe("Of the same requests as `ttft_ms`."),
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

export type { TraceDimension };
export type SeriesBody = z.infer<typeof seriesSchema>;
export type SeriesPointBody = z.infer<typeof pointSchema>;

export const seriesPointBody = ({ startMs, ...figures }: SeriesPoint): SeriesPointBody => ({
  start: new Date(startMs).toISOString(),
  ...snakeCased(figures),
});
