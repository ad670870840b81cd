import { MOST_POINTS, type SeriesPoint } from "../series.js";
import type { ArgumentOf, QueryOptions, StatsDimension, TraceStats } from "../store.js";
import { optional, seriesPercentilesIn, statsPercentilesIn, sumsIn, text } from "../stored-rows.js";
import type { Row } from "./http-client.js";
import { DAY_MS, type QuerySession } from "./queries.js";
import { identifier, joined, NOTHING, type Sql, sql } from "./sql.js";

const MAX_GROUPS = 10_000;

type Scoped = Pick<QueryOptions, "scope">;

/** A decision alone runs nothing, so that it has no cost to know. */
const IS_DECISION_ALONE = sql`(kind = 'router' AND status = 'success' AND isNull(tokens_in))`;

/** Figures of any group of traces, for `sumsIn`. */
const SUMS = sql`count() AS requests,
  countIf(status = 'error') AS errors,
  countIf(status = 'timeout') AS timeouts,
  countIf(${IS_DECISION_ALONE}) AS decisions,
  toFloat64(ifNull(sum(tokens_in), 0)) AS sum_in,
  toFloat64(ifNull(sum(tokens_out), 0)) AS sum_out,
  ifNull(sum(cost_usd), 0) AS cost,
  countIf(isNull(cost_usd) AND NOT ${IS_DECISION_ALONE}) AS without_cost`;

/** @param shares as a list: parameters of these functions can be literals alone */
const percentiles = (shares: Sql): Sql => sql`,
  quantilesExact(${shares})(latency_ms) AS latency,
  countIf(isNotNull(ttft_ms)) AS with_ttft,
  quantilesExactIf(${shares})(assumeNotNull(ttft_ms), isNotNull(ttft_ms)) AS ttft`;

const STATS_PERCENTILES = percentiles(sql`0.5, 0.9, 0.99`);
const SERIES_PERCENTILES = percentiles(sql`0.5, 0.95`);

const DIMENSIONS: Readonly<Record<StatsDimension, Sql>> = {
  model: sql`model`,
  provider: sql`provider`,
  source: sql`source`,
  key: sql`principal`,
  day: sql`intDiv(created_at_ms, ${DAY_MS})`,
};

export async function stats(
  session: QuerySession,
  { filter, by }: ArgumentOf<"stats">,
  { scope }: Scoped,
): Promise<readonly TraceStats[]> {
  const groups = by.map((dimension) => ({ dimension, name: identifier(`group_${dimension}`) }));
  const columns = groups.map(({ dimension, name }) => sql`${DIMENSIONS[dimension]} AS ${name}`);
  const names = groups.map(({ name }) => name);
  const order = names.map((name) => sql`${name} NULLS LAST`);
  const grouping =
    by.length === 0 ? NOTHING : sql`GROUP BY ${joined(names, ", ")} ORDER BY ${joined(order, ", ")}`;
  const { rows } = await session.query(
    sql`SELECT ${joined([...columns, SUMS], ", ")}${STATS_PERCENTILES} FROM ${session.tables.traces}
      WHERE ${session.conditionOf(filter, scope)} ${grouping} LIMIT ${MAX_GROUPS}`,
  );
  return rows
    .filter(({ requests }) => requests !== 0)
    .map((row) => ({
      group: Object.fromEntries(by.map((dimension) => [dimension, groupValue(row, dimension)])),
      ...sumsIn(row),
      latencyMs: statsPercentilesIn(row.latency),
      ttftMs: row.with_ttft === 0 ? null : statsPercentilesIn(row.ttft),
    }));
}

function groupValue(row: Row, dimension: StatsDimension): string | null {
  if (dimension !== "day") return optional(row[`group_${dimension}`], text);
  return new Date(Number(row.group_day) * DAY_MS).toISOString().slice(0, 10);
}

export async function series(
  session: QuerySession,
  { filter, steps: { originMs, stepMs, by, percentiles } }: ArgumentOf<"series">,
  { scope }: Scoped,
): Promise<readonly SeriesPoint[]> {
  const group = by === undefined ? sql`NULL` : DIMENSIONS[by];
  const figures = percentiles === "none" ? SUMS : sql`${SUMS}${SERIES_PERCENTILES}`;
  const grouping = by === undefined ? sql`step` : sql`step, value`;
  const { rows } = await session.query(
    sql`SELECT toInt64(floor((created_at_ms - ${originMs}) / ${stepMs})) AS step, ${group} AS value, ${figures}
      FROM ${session.tables.traces} WHERE ${session.conditionOf(filter, scope)}
      GROUP BY ${grouping} ORDER BY step, value NULLS LAST LIMIT ${MOST_POINTS}`,
  );
  return rows.map((row) => ({
    startMs: originMs + Number(row.step) * stepMs,
    group: optional(row.value, text),
    ...sumsIn(row),
    latencyMs: optional(row.latency, seriesPercentilesIn),
    ttftMs: row.with_ttft === 0 ? null : optional(row.ttft, seriesPercentilesIn),
  }));
}
