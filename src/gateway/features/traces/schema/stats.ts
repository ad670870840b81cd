import { z } from "zod";
import { snakeCased } from "../../../../foundation/snake-case.js";
import { TRACE_DIMENSIONS, type TraceDimension } from "../../../traces/series.js";
import type { ArgumentOf, TraceStats } from "../../../traces/store.js";
import { type TimeZone, timeZoneParameter } from "./time-zone-parameter.js";
import { dimensionIn, searchQuery } from "./trace-query.js";

/** The query string of `GET /admin/traces/stats`. Each dimension at most once. */
export const statsQuery = searchQuery<{ by: readonly TraceDimension[]; time_zone: TimeZone | undefined }>({
  by: {
    description: `What to group by, separated by commas: ${TRACE_DIMENSIONS.join(", ")}, metadata.<key>. Default: nothing.`,
    read(text) {
      const names = text === "" ? [] : text.split(",").map((name) => name.trim());
      const fault = (name: string) => `has ${name}, which traces are not grouped by.`;
      return [...new Set(names)].map((name) => dimensionIn(TRACE_DIMENSIONS, name, { param: "by", fault }));
    },
  },
  time_zone: timeZoneParameter("Whose days `day` means"),
});

/**
 * What the store is asked.
 *
 * @param nowMs milliseconds since the epoch, where the filter has no end
 */
export const statsQuestion = (
  { filter, by, time_zone: timeZone }: ReturnType<typeof statsQuery.parse>,
  nowMs: number,
): ArgumentOf<"stats"> => ({ filter, by, offsets: timeZone?.offsets(filter, nowMs) });

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
  tokens_cached: count.describe("Of `tokens_in`, those that providers read from their prompt caches."),
  cost_usd: z.number().min(0).describe("Sum of the known costs."),
  requests_without_cost: count.describe(
    "Requests whose cost is not known, without those that were only decided.",
  ),
  requests_with_baseline: count.describe(
    "Routed answers whose cost was compared with that of `baseline_model`; the next two figures are of these.",
  ),
  baseline_cost_usd: z
    .number()
    .min(0)
    .describe("What the baseline would have cost for the same tokens and caches, summed to the nano-dollar."),
  saved_usd: z.number().describe("That less what was billed; negative where routing cost more."),
};

const groupSchema = z.strictObject({
  group: z
    .record(z.string(), z.string().nullable())
    .describe("The values of `by` that the traces share, by the names that were given; `day` is a date."),
  ...sums,
  latency_ms: percentiles
    .nullable()
    .describe(
      "Of successful requests but embeddings and decisions that were not executed; null without any.",
    ),
  ttft_ms: percentiles.nullable().describe("Of those of them that were streamed; null without any."),
  streamed_latency_ms: percentiles.nullable().describe("Of the same requests as `ttft_ms`."),
});

/** Answer of `GET /admin/traces/stats`. */
export const traceStatsSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(groupSchema),
  request_id: z.string(),
});

export type TraceStatsBody = z.infer<typeof groupSchema>;

/** The names in a group are the clients', and stay as they are. */
export const statsBody = ({ group, ...figures }: TraceStats): TraceStatsBody => ({
  group: { ...group },
  ...snakeCased(figures),
});
