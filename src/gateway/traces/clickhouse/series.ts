import { MOST_POINTS, type SeriesDimension, type SeriesPercentiles, type SeriesPoint } from "../series.js";
import type { ArgumentOf, QueryOptions } from "../store.js";
import type { Row } from "./http-client.js";
import type { QuerySession } from "./queries.js";
import { optional, text } from "./rows.js";
import { type Sql, sql } from "./sql.js";
import { SUMS, sumsOf } from "./sums.js";

const DIMENSIONS: Readonly<Record<SeriesDimension, Sql>> = {
  model: sql`model`,
  provider: sql`provider`,
  source: sql`source`,
  key: sql`principal`,
};

const PERCENTILES = sql`,
  quantilesExact(0.5, 0.95)(latency_ms) AS latency,
  countIf(isNotNull(ttft_ms)) AS with_ttft,
  quantilesExactIf(0.5, 0.95)(assumeNotNull(ttft_ms), isNotNull(ttft_ms)) AS ttft`;

export async function series(
  session: QuerySession,
  { filter, steps: { originMs, stepMs, by, percentiles } }: ArgumentOf<"series">,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<readonly SeriesPoint[]> {
  const group = by === undefined ? sql`NULL` : DIMENSIONS[by];
  const figures = percentiles === "none" ? SUMS : sql`${SUMS}${PERCENTILES}`;
  const grouping = by === undefined ? sql`step` : sql`step, value`;
  const { rows } = await session.query(
    sql`SELECT toInt64(floor((created_at_ms - ${originMs}) / ${stepMs})) AS step, ${group} AS value, ${figures}
      FROM ${session.tables.traces} WHERE ${session.conditionOf(filter, scope)}
      GROUP BY ${grouping} ORDER BY step, value NULLS LAST LIMIT ${MOST_POINTS}`,
  );
  return rows.map((row) => ({ startMs: originMs + Number(row.step) * stepMs, ...pointOf(row) }));
}

const pointOf = (row: Row): Omit<SeriesPoint, "startMs"> => ({
  group: optional(row.value, text),
  ...sumsOf(row),
  latencyMs: percentilesOf(row.latency),
  ttftMs: row.with_ttft === 0 ? null : percentilesOf(row.ttft),
});

/** Null when they were not asked for. */
function percentilesOf(value: unknown): SeriesPercentiles | null {
  if (!Array.isArray(value)) return null;
  const [p50 = 0, p95 = 0] = value.map(Number);
  return { p50, p95 };
}
