import { z } from "zod";
import type { Cause } from "../../../traces/causes.js";
import type { SeriesPoint } from "../../../traces/series.js";
import type { ArgumentOf, TraceFilter } from "../../../traces/store.js";
import { type SearchQuery, searchQuery } from "./trace-query.js";

/** Steps of a period, enough for a small chart. */
const CAUSE_STEPS = 24;
const USUAL_PERIOD_MS = 86_400_000;

/** What `GET /admin/traces/causes` asks for. */
export interface CausesQuery {
  /** The period. */
  readonly filter: TraceFilter & { readonly startMs: number; readonly endMs: number };
  /** It, with the same length of time before it. */
  readonly causes: ArgumentOf<"causes">;
  readonly sums: ArgumentOf<"series">;
}

const parameters = searchQuery({});

/** @param now milliseconds since the epoch, for a period without an end */
export const causesQuery = (now: () => number): SearchQuery<CausesQuery> => ({
  schema: parameters.schema,
  parse(raw) {
    const { filter } = parameters.parse(raw);
    const { endMs = now(), startMs = endMs - USUAL_PERIOD_MS } = filter;
    const stepMs = Math.max(1, Math.ceil((endMs - startMs) / CAUSE_STEPS));
    const lengthMs = Math.max(1, endMs - startMs);
    const both = { ...filter, startMs: startMs - lengthMs, endMs };
    return {
      filter: { ...filter, startMs, endMs },
      causes: { filter: both, originMs: startMs, stepMs, steps: CAUSE_STEPS },
      sums: {
        filter: both,
        steps: { originMs: startMs, stepMs: lengthMs, by: "model", percentiles: "none" },
      },
    };
  },
});

const count = z.int().min(0);

const causeSchema = z.strictObject({
  code: z
    .string()
    .describe("Of the call, as in a trace's attempts; of a request without a failed call, its error code."),
  provider: z.string().nullable().describe("Provider that was called; null when none was."),
  model: z.string().nullable().describe("Model that was called; null when none was."),
  status: z.int().nullable().describe("HTTP status of the call; null without one."),
  message: z
    .string()
    .nullable()
    .describe("What was said the last time; ids and numbers do not tell causes apart."),
  failed: count.describe("Requests that failed."),
  rescued: count.describe("Requests that were answered all the same, by a retry or a fallback."),
  failed_before: count.describe("Failed requests of the same length of time before."),
  rescued_before: count,
  share: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe("Of the requests in which the model was called, those with this cause; null without a model."),
  series: z.array(count).describe(`Failed and rescued ones in ${CAUSE_STEPS} steps of equal length.`),
  first_seen: z.string().describe("Arrival of the first request: ISO 8601, UTC."),
  last_seen: z.string().describe("Arrival of the last request: ISO 8601, UTC."),
  last_request_id: z.string(),
  error_code: z.string().nullable().describe("Of the last request that failed; null when none did."),
});

/** Answer of `GET /admin/traces/causes`. */
export const causeListSchema = z.strictObject({
  object: z.literal("list"),
  start_date: z.string().describe("Beginning of the period: ISO 8601, UTC."),
  end_date: z.string().describe("Its end, exclusive."),
  requests: count.describe("All requests of the period except decisions without execution."),
  failed: count.describe("Of these, those that failed."),
  requests_before: count.describe("Of the same length of time before."),
  failed_before: count,
  data: z.array(causeSchema).describe("The one with most failed requests first; at most 1,000."),
  request_id: z.string(),
});

export type CauseBody = z.infer<typeof causeSchema>;
export type CauseListBody = z.infer<typeof causeListSchema>;

const MOST_CAUSES = 1000;

interface CauseSources {
  readonly causes: readonly Cause[];
  /** By model, of the period and of the time before. */
  readonly sums: readonly SeriesPoint[];
}

export function causeListBody(
  { filter }: CausesQuery,
  { causes, sums }: CauseSources,
): Omit<CauseListBody, "request_id"> {
  const now = sums.filter(({ startMs }) => startMs >= filter.startMs);
  const before = sums.filter(({ startMs }) => startMs < filter.startMs);
  const calledWith = requestsByModel(causes, now);
  return {
    object: "list",
    start_date: new Date(filter.startMs).toISOString(),
    end_date: new Date(filter.endMs).toISOString(),
    requests: sum(now, runOf),
    failed: sum(now, failedOf),
    requests_before: sum(before, runOf),
    failed_before: sum(before, failedOf),
    data: causes.slice(0, MOST_CAUSES).map((cause) => causeBody(cause, calledWith)),
  };
}

const sum = (points: readonly SeriesPoint[], figure: (one: SeriesPoint) => number): number =>
  points.reduce((total, one) => total + figure(one), 0);

const runOf = ({ requests, decisions }: SeriesPoint): number => requests - decisions;
const failedOf = ({ errors, timeouts }: SeriesPoint): number => errors + timeouts;

/** Requests whose last call was to the model, and those in which it failed before another one was called. */
function requestsByModel(
  causes: readonly Cause[],
  byModel: readonly SeriesPoint[],
): ReadonlyMap<string | null, number> {
  const requests = new Map(byModel.map((point) => [point.group, runOf(point)]));
  for (const { model, elsewhere } of causes) requests.set(model, (requests.get(model) ?? 0) + elsewhere);
  return requests;
}

const causeBody = (cause: Cause, requests: ReadonlyMap<string | null, number>): CauseBody => ({
  code: cause.code,
  provider: cause.provider,
  model: cause.model,
  status: cause.status,
  message: cause.last.message,
  failed: cause.failed,
  rescued: cause.rescued,
  failed_before: cause.failedBefore,
  rescued_before: cause.rescuedBefore,
  share:
    cause.model === null
      ? null
      : Math.min(1, (cause.failed + cause.rescued) / Math.max(1, requests.get(cause.model) ?? 0)),
  series: [...cause.series],
  first_seen: new Date(cause.firstMs).toISOString(),
  last_seen: new Date(cause.lastMs).toISOString(),
  last_request_id: cause.last.requestId,
  error_code: cause.errorCode,
});
