import type { TraceStats } from "../store.js";
import type { Row } from "./http-client.js";
import { sql } from "./sql.js";

/** A decision alone runs nothing, so that it has no cost to know. */
const IS_DECISION_ALONE = sql`(kind = 'router' AND status = 'success' AND isNull(tokens_in))`;

/** Figures of any group of traces, for `sumsOf`. */
export const SUMS = sql`count() AS requests,
  countIf(status = 'error') AS errors,
  countIf(status = 'timeout') AS timeouts,
  countIf(${IS_DECISION_ALONE}) AS decisions,
  toFloat64(ifNull(sum(tokens_in), 0)) AS sum_in,
  toFloat64(ifNull(sum(tokens_out), 0)) AS sum_out,
  ifNull(sum(cost_usd), 0) AS cost,
  countIf(isNull(cost_usd) AND NOT ${IS_DECISION_ALONE}) AS without_cost`;

export const sumsOf = (row: Row): Omit<TraceStats, "group" | "latencyMs" | "ttftMs"> => ({
  requests: Number(row.requests),
  errors: Number(row.errors),
  timeouts: Number(row.timeouts),
  decisions: Number(row.decisions),
  tokensIn: Number(row.sum_in),
  tokensOut: Number(row.sum_out),
  costUsd: Number(row.cost),
  requestsWithoutCost: Number(row.without_cost),
});
