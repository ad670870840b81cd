import { z } from "zod";
import type { StatsDimension } from "../../traces/store.js";
import { TRACE_PARAMETERS } from "../../traces/trace-query.js";
import { usageSchema } from "./completion.js";
import { attemptSchema, routingSchema } from "./decision.js";
import { EXPORT_FORMAT_NAMES } from "./export-formats.js";
import { STATS_DIMENSIONS } from "./stats-query.js";

const milliseconds = z.number().min(0);
const count = z.int().min(0);
const status = z.enum(["success", "error", "timeout"]);
const kind = z.enum(["chat", "completion", "router"]);

const summary = {
  request_id: z.string().describe("Id of the request, as its reply had it."),
  model: z.string().nullable().describe("Model that answered or was tried last; null when none was."),
  provider: z.string().nullable().describe("Provider that answered or was tried last; null when none was."),
  tokens_in: count.nullable().describe("Prompt tokens; null when nothing was generated."),
  tokens_out: count.nullable(),
  cost_usd: z.number().min(0).nullable().describe("Null where no price is known."),
  latency_ms: milliseconds.describe("From the arrival of the request to the end of the answer."),
  status,
  created_at: z.string().describe("Arrival of the request: ISO 8601, UTC."),
};

/** Answer of `GET /v1/traces`. */
export const traceListSchema = z.strictObject({
  traces: z.array(z.strictObject(summary)).readonly().describe("Newest first."),
  total: count.describe("All that match, on this page or not."),
  has_more: z.boolean().describe("Whether any follow this page."),
  request_id: z.string(),
});

/** Answer of `GET /v1/traces/{request_id}`. */
export const traceSchema = z.strictObject({
  ...summary,
  input_text: z.string().optional().describe("Absent when the content was not stored."),
  output_text: z.string().optional().describe("Absent when the content was not stored."),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).describe("Its tags."),
  source: z.string(),
  kind: kind.describe("What was asked for."),
  ttft_ms: milliseconds.nullable().describe("To the first content; null when there was none."),
  finish_reason: z.string().nullable(),
  attempts: z.array(attemptSchema).readonly().describe("Every upstream call, in order."),
  routing: routingSchema.nullable().describe("How the model was chosen, when it was."),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  usage: usageSchema.nullable(),
});

const percentiles = z.strictObject({ p50: milliseconds, p90: milliseconds, p99: milliseconds });

const group = z
  .partialRecord(z.enum(STATS_DIMENSIONS as [StatsDimension, ...StatsDimension[]]), z.string().nullable())
  .describe("The values of `by` that the traces share; `day` is a date, UTC.");

/** Answer of `GET /admin/traces/stats`. */
export const traceStatsSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(
    z.strictObject({
      group,
      requests: count,
      errors: count,
      timeouts: count,
      tokens_in: count,
      tokens_out: count,
      cost_usd: z.number().min(0).describe("Sum of the known costs."),
      requests_without_cost: count.describe("Requests whose cost is not known."),
      latency_ms: percentiles,
      ttft_ms: percentiles.nullable().describe("Null when no request has any."),
    }),
  ),
  request_id: z.string(),
});

/**
 * Parameters for the OpenAPI document alone: `parseTraceQuery` checks them, with words of its own. `metadata.<key>`, which has
 * no one name, is in the description of the routes.
 */
const documented = Object.fromEntries(
  Object.entries(TRACE_PARAMETERS).map(([name, { description }]) => [
    name,
    z.string().optional().describe(description),
  ]),
);

export const traceQuerySchema = z.object(documented);

const { limit: _limit, offset: _offset, ...filters } = documented;

export const exportQuerySchema = z.object({
  format: z
    .string()
    .optional()
    .describe(`Form of the file: ${EXPORT_FORMAT_NAMES.join(", ")}. Default: jsonl.`),
  ...filters,
});

export const statsQuerySchema = z.object({
  by: z
    .string()
    .optional()
    .describe(`What to group by, separated by commas: ${STATS_DIMENSIONS.join(", ")}. Default: nothing.`),
  ...filters,
});
