import { z } from "zod";
import { snakeCased } from "../../../foundation/snake-case.js";
import { STATS_DIMENSIONS, type StatsDimension, type TraceStats } from "../../traces/store.js";
import { nameIn, searchQuery } from "./trace-query.js";

/** The query string of `GET /admin/traces/stats`. Each dimension at most once. */
export const statsQuery = searchQuery<{ by: readonly StatsDimension[] }>({
  by: {
    description: `What to group by, separated by commas: ${STATS_DIMENSIONS.join(", ")}. Default: nothing.`,
    read(text) {
      const names = text === "" ? [] : text.split(",").map((name) => name.trim());
      const fault = (name: string) => `has ${name}, which traces are not grouped by.`;
      return [...new Set(names)].map((name) => nameIn(STATS_DIMENSIONS, name, { param: "by", fault }));
    },
  },
});

const milliseconds = z.number().min(0);
const count = z.int().min(0);
const percentiles = z.strictObject({ p50: milliseconds, p90: milliseconds, p99: milliseconds });

/** Figures of any group of traces. */
export const sums = {
  requests: count,
  errors: count,
  timeouts: count,
  decisions: count.describe("Of the requests, decisions that were not executed."),
  tokens_in: count,
  tokens_out: count,
  cost_usd: z.number().min(0).describe("Sum of the known costs."),
  requests_without_cost: count.describe(
    "Requests whose cost is not known, without those that were only decided.",
  ),
};

const groupSchema = z.strictObject({
  group: z
    .partialRecord(z.enum(STATS_DIMENSIONS), z.string().nullable())
    .describe("The values of `by` that the traces share; `day` is a date, UTC."),
  ...sums,
  latency_ms: percentiles,
  ttft_ms: percentiles.nullable().describe("Null when no request has any."),
});

/** Answer of `GET /admin/traces/stats`. */
export const traceStatsSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(groupSchema),
  request_id: z.string(),
});

export type TraceStatsBody = z.infer<typeof groupSchema>;

export const statsBody = (stats: TraceStats): TraceStatsBody => snakeCased(stats);
