import { z } from "zod";
import { SERIES_DIMENSIONS } from "./series-query.js";
import { statsQuerySchema } from "./traces.js";

const milliseconds = z.number().min(0);
const count = z.int().min(0);
const { by: _by, ...filters } = statsQuerySchema.shape;
const percentiles = z.strictObject({ p50: milliseconds, p95: milliseconds });

/** Parameters for the OpenAPI document alone: `parseSeriesQuery` checks them. */
export const seriesQuerySchema = z.object({
  step: z.string().describe("Length of a step in whole seconds. Steps are counted from `start_date`."),
  by: z
    .string()
    .optional()
    .describe(`A series for each value of one of: ${SERIES_DIMENSIONS.join(", ")}. Default: one of all.`),
  ...filters,
});

/** Answer of `GET /admin/traces/series`. */
export const seriesSchema = z.strictObject({
  object: z.literal("list"),
  step: z.int().describe("Seconds."),
  start_date: z.string().describe("Beginning of the first step: ISO 8601, UTC."),
  end_date: z.string().describe("End of the last step, exclusive."),
  data: z
    .array(
      z.strictObject({
        start: z.string().describe("Beginning of the step: ISO 8601, UTC."),
        group: z.string().nullable().describe("The value of `by`; null for none."),
        requests: count,
        errors: count,
        timeouts: count,
        tokens_in: count,
        tokens_out: count,
        cost_usd: z.number().min(0).describe("Sum of the known costs."),
        latency_ms: percentiles,
        ttft_ms: percentiles.nullable().describe("Null when no request has any."),
      }),
    )
    .describe("Steps with requests, by time; of one step by value, null last. At most 10,000."),
  request_id: z.string(),
});
