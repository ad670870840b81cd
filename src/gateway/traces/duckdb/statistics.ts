import { MOST_POINTS, type SeriesPercentiles, type SeriesPoint } from "../series.js";
import type { ArgumentOf, QueryOptions, StatsDimension, TraceStats } from "../store.js";
import { conditionOf } from "./conditions.js";
import type { Connection, Row, Value } from "./database.js";
import { asBytes, number, optional, text } from "./values.js";

const MOST_GROUPS = 10_000;

/** A decision alone runs nothing, so that it has no cost to know. */
const IS_DECISION_ALONE = "(kind = 'router' AND status = 'success' AND tokens_in IS NULL)";

const FIGURES = `count(*) AS requests,
  count(*) FILTER (${IS_DECISION_ALONE}) AS decisions,
  count(*) FILTER (cost_usd IS NULL AND NOT ${IS_DECISION_ALONE}) AS without_cost,
  count(*) FILTER (status = 'error') AS errors,
  count(*) FILTER (status = 'timeout') AS timeouts,
  coalesce(sum(tokens_in), 0)::DOUBLE AS tokens_in,
  coalesce(sum(tokens_out), 0)::DOUBLE AS tokens_out,
  coalesce(sum(cost_usd), 0) AS cost_usd`;

const percentiles = (column: string, shares: readonly number[]): string =>
  `quantile_disc(${column}, [${shares.join(", ")}])`;

const DIMENSIONS: Readonly<Record<StatsDimension, string>> = {
  model: "model",
  provider: "provider",
  source: "source",
  key: "principal",
  day: "strftime(created_at, '%Y-%m-%d')",
};

export async function stats(
  connection: Connection,
  { filter, by }: ArgumentOf<"stats">,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<readonly TraceStats[]> {
  const { sql, parameters } = await conditionOf(connection, filter, { scope });
  const groups = by.map((dimension, at) => `${DIMENSIONS[dimension]} AS group${at}`);
  const names = by.map((_, at) => `group${at}`);
  const shares = [0.5, 0.9, 0.99];
  const summed =
    `SELECT ${[...groups, FIGURES].join(", ")}, ` +
    `${percentiles("latency_ms", shares)} AS latency, ${percentiles("ttft_ms", shares)} AS ttft ` +
    `FROM traces WHERE ${sql} ${names.length === 0 ? "" : `GROUP BY ${names.join(", ")}`} HAVING count(*) > 0 ` +
    `${names.length === 0 ? "" : `ORDER BY ${names.map((name) => `${name} NULLS LAST`).join(", ")}`} LIMIT ${MOST_GROUPS}`;
  const replaced = names.map((name) => `${asBytes(name)} AS ${name}`);
  const rows = await connection.rows(
    `SELECT *${names.length === 0 ? "" : ` REPLACE (${replaced.join(", ")})`} FROM (${summed})`,
    parameters,
  );
  return rows.map((row) => ({
    group: Object.fromEntries(by.map((dimension, at) => [dimension, optional(row[`group${at}`], text)])),
    ...figuresOf(row),
    latencyMs: statsPercentiles(row.latency),
    ttftMs: optional(row.ttft, statsPercentiles),
  }));
}

export async function series(
  connection: Connection,
  { filter, steps: { originMs, stepMs, by, percentiles: which } }: ArgumentOf<"series">,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<readonly SeriesPoint[]> {
  const { sql, parameters } = await conditionOf(connection, filter, { scope });
  const [origin, size] = [`$${parameters.length + 1}`, `$${parameters.length + 2}`];
  const shares = [0.5, 0.95];
  const [latency, ttft] = ["latency_ms", "ttft_ms"].map((column) =>
    which === "none" ? "NULL" : percentiles(column, shares),
  );
  const rows = await connection.rows(
    `SELECT * REPLACE (${asBytes("value")} AS value) FROM (` +
      `SELECT floor((epoch_ms(created_at) - ${origin}) / ${size}) AS step, ${by === undefined ? "NULL::VARCHAR" : DIMENSIONS[by]} AS value, ${FIGURES}, ` +
      `${latency} AS latency, ${ttft} AS ttft FROM traces WHERE ${sql} GROUP BY step, value ORDER BY step, value NULLS LAST LIMIT ${MOST_POINTS})`,
    [...parameters, BigInt(originMs), BigInt(stepMs)],
  );
  return rows.map((row) => ({
    startMs: originMs + number(row.step) * stepMs,
    group: optional(row.value, text),
    ...figuresOf(row),
    latencyMs: optional(row.latency, seriesPercentiles),
    ttftMs: optional(row.ttft, seriesPercentiles),
  }));
}

const figuresOf = (row: Row) => ({
  requests: number(row.requests),
  errors: number(row.errors),
  timeouts: number(row.timeouts),
  decisions: number(row.decisions),
  tokensIn: number(row.tokens_in),
  tokensOut: number(row.tokens_out),
  costUsd: number(row.cost_usd),
  requestsWithoutCost: number(row.without_cost),
});

function statsPercentiles(value: Value | undefined): TraceStats["latencyMs"] {
  const [p50 = 0, p90 = 0, p99 = 0] = Array.isArray(value) ? value.map(number) : [];
  return { p50, p90, p99 };
}

function seriesPercentiles(value: Value): SeriesPercentiles {
  const [p50 = 0, p95 = 0] = Array.isArray(value) ? value.map(number) : [];
  return { p50, p95 };
}
