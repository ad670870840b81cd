import { MOST_POINTS, type SeriesPoint } from "../series.js";
import type { ArgumentOf, QueryOptions, StatsDimension, TraceStats } from "../store.js";
import {
  number,
  optional,
  SERIES_SHARES,
  STATS_SHARES,
  seriesPercentilesIn,
  statsPercentilesIn,
  sumsIn,
  text,
} from "../stored-rows.js";
import { conditionOf } from "./conditions.js";
import { asBytes, type Connection } from "./database.js";

const MOST_GROUPS = 10_000;

/** A decision alone runs nothing, so that it has no cost to know. */
const IS_DECISION_ALONE = "(kind = 'router' AND status = 'success' AND tokens_in IS NULL)";

const FIGURES = `count(*) AS requests,
  count(*) FILTER (${IS_DECISION_ALONE}) AS decisions,
  count(*) FILTER (cost_usd IS NULL AND NOT ${IS_DECISION_ALONE}) AS without_cost,
  count(*) FILTER (status = 'error') AS errors,
  count(*) FILTER (status = 'timeout') AS timeouts,
  coalesce(sum(tokens_in), 0)::DOUBLE AS sum_in,
  coalesce(sum(tokens_out), 0)::DOUBLE AS sum_out,
  coalesce(sum(cost_usd), 0) AS cost`;

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
  const summed =
    `SELECT ${[...groups, FIGURES].join(", ")}, ` +
    `${percentiles("latency_ms", STATS_SHARES)} AS latency, ${percentiles("ttft_ms", STATS_SHARES)} AS ttft ` +
    `FROM traces WHERE ${sql} ${names.length === 0 ? "" : `GROUP BY ${names.join(", ")}`} HAVING count(*) > 0 ` +
    `${names.length === 0 ? "" : `ORDER BY ${names.map((name) => `${name} NULLS LAST`).join(", ")}`} LIMIT ${MOST_GROUPS}`;
  const replaced = names.map((name) => `${asBytes(name)} AS ${name}`);
  const rows = await connection.rows(
    `SELECT *${names.length === 0 ? "" : ` REPLACE (${replaced.join(", ")})`} FROM (${summed})`,
    parameters,
  );
  return rows.map((row) => ({
    group: Object.fromEntries(by.map((dimension, at) => [dimension, optional(row[`group${at}`], text)])),
    ...sumsIn(row),
    latencyMs: statsPercentilesIn(row.latency),
    ttftMs: optional(row.ttft, statsPercentilesIn),
  }));
}

export async function series(
  connection: Connection,
  { filter, steps: { originMs, stepMs, by, percentiles: which } }: ArgumentOf<"series">,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<readonly SeriesPoint[]> {
  const { sql, parameters } = await conditionOf(connection, filter, { scope });
  const [origin, size] = [`$${parameters.length + 1}`, `$${parameters.length + 2}`];
  const [latency, ttft] = ["latency_ms", "ttft_ms"].map((column) =>
    which === "none" ? "NULL" : percentiles(column, SERIES_SHARES),
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
    ...sumsIn(row),
    latencyMs: optional(row.latency, seriesPercentilesIn),
    ttftMs: optional(row.ttft, seriesPercentilesIn),
  }));
}
