import { clockTime, momentOf } from "../../../foundation/time-zone.js";
import { MOST_POINTS, type SeriesPoint, stepOffsets } from "../series.js";
import type { ArgumentOf, FeedbackSums, QueryOptions, TraceStats } from "../store.js";
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
import { conditionOf, IS_DECISION_ALONE } from "./conditions.js";
import { asBytes, type Connection, type Parameter, type Row } from "./database.js";
import { clockMs, dimensionSql } from "./dimensions.js";

const MOST_GROUPS = 10_000;

const FIGURES = `count(*) AS requests,
  count(*) FILTER (${IS_DECISION_ALONE}) AS decisions,
  count(*) FILTER (cost_usd IS NULL AND NOT ${IS_DECISION_ALONE}) AS without_cost,
  count(*) FILTER (status = 'error' AND error_code IS DISTINCT FROM 'model_paused') AS errors,
  count(*) FILTER (status = 'timeout') AS timeouts,
  coalesce(sum(tokens_in), 0)::DOUBLE AS sum_in,
  coalesce(sum(tokens_out), 0)::DOUBLE AS sum_out,
  coalesce(sum(tokens_cached), 0)::DOUBLE AS sum_cached,
  coalesce(sum(cost_usd), 0) AS cost,
  count(saved_picousd) AS with_baseline,
  coalesce(sum(baseline_picousd), 0)::DOUBLE / 1e12 AS baseline_cost,
  coalesce(sum(saved_picousd), 0)::DOUBLE / 1e12 AS saved`;

const IS_ANSWER = `(status = 'success' AND kind <> 'embeddings' AND NOT ${IS_DECISION_ALONE})`;

/** Percentiles as columns `latency`, `ttft` and `streamed_latency`. */
const percentiles = (shares: readonly number[]): string => {
  const list = `[${shares.join(", ")}]`;
  const streamed = `FILTER (${IS_ANSWER} AND streamed AND ttft_ms IS NOT NULL)`;
  return (
    `quantile_disc(latency_ms, ${list}) FILTER (${IS_ANSWER}) AS latency, ` +
    `quantile_disc(ttft_ms, ${list}) ${streamed} AS ttft, quantile_disc(latency_ms, ${list}) ${streamed} AS streamed_latency`
  );
};

/** Adds values to those of a condition. */
const placing = (parameters: readonly Parameter[]) => {
  const all = [...parameters];
  return { all, placeholder: (value: Parameter) => `$${all.push(value)}` };
};

/** Figures of traces that match, by groups. @param tables that the rows are of, of which the first has the traces */
async function grouped(
  connection: Connection,
  { filter, by, offsets }: ArgumentOf<"stats">,
  { scope, figures, from }: Pick<QueryOptions, "scope"> & { readonly figures: string; readonly from: string },
) {
  const { sql, parameters } = await conditionOf(connection, filter, { scope });
  const { all, placeholder } = placing(parameters);
  const groups = by.map(
    (dimension, at) => `${dimensionSql(dimension, { placeholder, offsets })} AS group${at}`,
  );
  const names = by.map((_, at) => `group${at}`);
  const summed =
    `SELECT ${[...groups, figures].join(", ")} ` +
    `FROM (SELECT * FROM traces WHERE ${sql}) ${from} ${names.length === 0 ? "" : `GROUP BY ${names.join(", ")}`} HAVING count(*) > 0 ` +
    `${names.length === 0 ? "" : `ORDER BY ${names.map((name) => `${name} NULLS LAST`).join(", ")}`} LIMIT ${MOST_GROUPS}`;
  const replaced = names.map((name) => `${asBytes(name)} AS ${name}`);
  const rows = await connection.rows(
    `SELECT *${names.length === 0 ? "" : ` REPLACE (${replaced.join(", ")})`} FROM (${summed})`,
    all,
  );
  return rows.map((row) => ({
    row,
    group: Object.fromEntries(by.map((dimension, at) => [dimension, optional(row[`group${at}`], text)])),
  }));
}

export async function stats(
  connection: Connection,
  asked: ArgumentOf<"stats">,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<readonly TraceStats[]> {
  const figures = `${FIGURES}, ${percentiles(STATS_SHARES)}`;
  const found = await grouped(connection, asked, { scope, figures, from: "" });
  return found.map(({ row, group }) => ({
    group,
    ...sumsIn(row),
    ...percentilesIn(row, statsPercentilesIn),
  }));
}

export async function feedback(
  connection: Connection,
  asked: ArgumentOf<"feedback">,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<readonly FeedbackSums[]> {
  const figures = "count(*) AS scores, sum(score) AS scored";
  const from = "JOIN (SELECT request_id, score FROM feedback) USING (request_id)";
  const found = await grouped(connection, asked, { scope, figures, from });
  return found.map(({ row, group }) => ({ group, count: number(row.scores), sum: number(row.scored) }));
}

/** Of grouped figures, those of the largest values. Window functions take three times as long. */
const largestOf = (grouped: string, top: number): string =>
  `WITH grouped AS MATERIALIZED (${grouped}), largest AS (SELECT value AS large FROM grouped GROUP BY value ` +
  `ORDER BY sum(cost) DESC, sum(requests - decisions) DESC, value NULLS LAST LIMIT ${top}) ` +
  "SELECT * EXCLUDE (large) FROM grouped JOIN largest ON value IS NOT DISTINCT FROM large";

/** Of a row with `percentiles`. */
const percentilesIn = <Percentiles>(row: Row, read: (value: unknown) => Percentiles) => ({
  latencyMs: optional(row.latency, read),
  ttftMs: optional(row.ttft, read),
  streamedLatencyMs: optional(row.streamed_latency, read),
});

export async function series(
  connection: Connection,
  { filter, steps }: ArgumentOf<"series">,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<readonly SeriesPoint[]> {
  const { originMs, stepMs, offsets, by, top, percentiles: which } = steps;
  const clock = stepOffsets(steps, filter.endMs);
  const { sql, parameters } = await conditionOf(connection, filter, { scope });
  const { all, placeholder } = placing(parameters);
  const origin = clockTime(originMs, clock);
  const arrival = clockMs({ placeholder, offsets: clock });
  const step = `floor((${arrival} - ${placeholder(BigInt(origin))}) / ${placeholder(BigInt(stepMs))})`;
  const value = by === undefined ? "NULL::VARCHAR" : dimensionSql(by, { placeholder, offsets });
  const figures = which === "none" ? FIGURES : `${FIGURES}, ${percentiles(SERIES_SHARES)}`;
  const grouped = `SELECT ${step} AS step, ${value} AS value, ${figures} FROM traces WHERE ${sql} GROUP BY step, value`;
  const rows = await connection.rows(
    `SELECT * REPLACE (${asBytes("value")} AS value) FROM (` +
      `${top === undefined ? grouped : largestOf(grouped, top)} ORDER BY step, value NULLS LAST LIMIT ${MOST_POINTS})`,
    all,
  );
  return rows.map((row) => ({
    startMs: momentOf(origin + number(row.step) * stepMs, clock),
    group: optional(row.value, text),
    ...sumsIn(row),
    ...percentilesIn(row, seriesPercentilesIn),
  }));
}
