import { clockTime, momentOf, type ZoneOffset } from "../../../foundation/time-zone.js";
import { type GroupDimension, MOST_POINTS, metadataKeyOf, type SeriesPoint, stepOffsets } from "../series.js";
import type { ArgumentOf, FeedbackSums, QueryOptions, TraceStats } from "../store.js";
import { optional, seriesPercentilesIn, statsPercentilesIn, sumsIn, text } from "../stored-rows.js";
import type { Row } from "./client.js";
import { IS_DECISION_ALONE } from "./conditions.js";
import { DAY_MS, type QuerySession } from "./queries.js";
import { identifier, joined, NOTHING, type Sql, sql } from "./sql.js";

const MAX_GROUPS = 10_000;

type Scoped = Pick<QueryOptions, "scope">;

/**
 * The exact sum of picodollars in dollars. Micro-dollars and the rest of each apart: picodollars alone would overflow at nine
 * million dollars.
 */
const dollars = (column: Sql): Sql =>
  sql`(toFloat64(ifNull(sum(intDiv(${column}, 1000000)), 0)) * 1e6 + toFloat64(ifNull(sum(modulo(${column}, 1000000)), 0))) / 1e12`;

/** Figures of any group of traces, for `sumsIn`. */
const SUMS = sql`count() AS requests,
  countIf(status = 'error' AND ifNull(error_code, '') != 'model_paused') AS errors,
  countIf(status = 'timeout') AS timeouts,
  countIf(${IS_DECISION_ALONE}) AS decisions,
  toFloat64(ifNull(sum(tokens_in), 0)) AS sum_in,
  toFloat64(ifNull(sum(tokens_out), 0)) AS sum_out,
  toFloat64(ifNull(sum(tokens_cached), 0)) AS sum_cached,
  ${dollars(sql`cost_picousd`)} AS cost,
  countIf(isNull(cost_usd) AND NOT ${IS_DECISION_ALONE}) AS without_cost,
  countIf(isNotNull(saved_picousd)) AS with_baseline,
  ${dollars(sql`baseline_picousd`)} AS baseline_cost,
  ${dollars(sql`saved_picousd`)} AS saved`;

const IS_ANSWER = sql`(status = 'success' AND kind <> 'embeddings' AND NOT ${IS_DECISION_ALONE})`;
const IS_STREAMED = sql`(${IS_ANSWER} AND streamed = 1 AND isNotNull(ttft_ms))`;

/** @param shares as a list: parameters of these functions can be literals alone */
const percentiles = (shares: Sql): Sql => sql`,
  countIf(${IS_ANSWER}) AS answers,
  quantilesExactIf(${shares})(latency_ms, ${IS_ANSWER}) AS latency,
  countIf(${IS_STREAMED}) AS streamed_answers,
  quantilesExactIf(${shares})(assumeNotNull(ttft_ms), ${IS_STREAMED}) AS ttft,
  quantilesExactIf(${shares})(latency_ms, ${IS_STREAMED}) AS streamed_latency`;

/** Of a row with `percentiles`; null where there is nothing to take them of. */
function percentilesIn<Percentiles>(row: Row, read: (value: unknown) => Percentiles) {
  const of = (count: unknown, value: unknown) => (count === 0 ? null : optional(value, read));
  return {
    latencyMs: of(row.answers, row.latency),
    ttftMs: of(row.streamed_answers, row.ttft),
    streamedLatencyMs: of(row.streamed_answers, row.streamed_latency),
  };
}

const STATS_PERCENTILES = percentiles(sql`0.5, 0.9, 0.99`);
const SERIES_PERCENTILES = percentiles(sql`0.5, 0.95`);

/** No text in JSON has an unescaped quote, so that what is found first is a member of the savings. */
const COLUMNS: Readonly<Record<string, Sql>> = {
  model: sql`model`,
  provider: sql`provider`,
  source: sql`source`,
  key: sql`principal`,
  kind: sql`kind`,
  effort: sql`effort`,
  baseline: sql`nullIf(visitParamExtractString(ifNull(savings, ''), 'baseline_model'), '')`,
  preset: sql`preset`,
};

/** The expression whose value is a dimension's; of `day`, the number of the day. */
function dimensionOf(dimension: GroupDimension, offsets?: readonly ZoneOffset[]): Sql {
  if (dimension === "day") return sql`intDiv(${clockMs(offsets)}, ${DAY_MS})`;
  const key = metadataKeyOf(dimension);
  if (key === undefined) return COLUMNS[dimension] ?? sql`NULL`;
  return sql`if(has(metadata.key, ${key}), metadata.value[indexOf(metadata.key, ${key})], NULL)`;
}

/** The time of arrival on a clock, in milliseconds. */
function clockMs(offsets: readonly ZoneOffset[] = []): Sql {
  const last = offsets.at(-1);
  if (last === undefined) return sql`created_at_ms`;
  const cases = offsets
    .slice(1)
    .map(({ fromMs }, before) => sql`created_at_ms < ${fromMs}, ${offsets[before]?.offsetMs ?? 0}`);
  if (cases.length === 0) return sql`(created_at_ms + ${last.offsetMs})`;
  return sql`(created_at_ms + multiIf(${joined(cases, ", ")}, ${last.offsetMs}))`;
}

/** Figures of traces that match, by groups; one row without dimensions, also of none. */
async function grouped(
  session: QuerySession,
  { filter, by, offsets }: ArgumentOf<"stats">,
  { scope, figures, joining = NOTHING }: Scoped & { readonly figures: Sql; readonly joining?: Sql },
) {
  const names = by.map((_, at) => identifier(`group_${at}`));
  const columns = by.map(
    (dimension, at) => sql`${dimensionOf(dimension, offsets)} AS ${names[at] ?? NOTHING}`,
  );
  const order = names.map((name) => sql`${name} NULLS LAST`);
  const grouping =
    by.length === 0 ? NOTHING : sql`GROUP BY ${joined(names, ", ")} ORDER BY ${joined(order, ", ")}`;
  const { rows } = await session.query(
    sql`SELECT ${joined([...columns, figures], ", ")} FROM ${session.tables.traces} ${joining}
      WHERE ${session.conditionOf(filter, scope)} ${grouping} LIMIT ${MAX_GROUPS}`,
  );
  return rows.map((row) => ({
    row,
    group: Object.fromEntries(
      by.map((dimension, at) => [dimension, groupValue(row[`group_${at}`], dimension)]),
    ),
  }));
}

export async function stats(
  session: QuerySession,
  asked: ArgumentOf<"stats">,
  { scope }: Scoped,
): Promise<readonly TraceStats[]> {
  const found = await grouped(session, asked, { scope, figures: sql`${SUMS}${STATS_PERCENTILES}` });
  return found
    .filter(({ row }) => row.requests !== 0)
    .map(({ row, group }) => ({ group, ...sumsIn(row), ...percentilesIn(row, statsPercentilesIn) }));
}

/** Of several for one trace the last counts, whether the server has merged the others away yet or not. */
export async function feedback(
  session: QuerySession,
  asked: ArgumentOf<"feedback">,
  { scope }: Scoped,
): Promise<readonly FeedbackSums[]> {
  const figures = sql`toFloat64(count()) AS scores, sum(score) AS scored`;
  const joining = sql`INNER JOIN (SELECT request_id, argMax(score, given_at_ms) AS score
      FROM ${session.tables.feedback} GROUP BY request_id) AS given USING (request_id)`;
  const found = await grouped(session, asked, { scope, figures, joining });
  return found
    .filter(({ row }) => row.scores !== 0)
    .map(({ row, group }) => ({ group, count: Number(row.scores), sum: Number(row.scored) }));
}

function groupValue(value: unknown, dimension: GroupDimension): string | null {
  if (dimension !== "day") return optional(value, text);
  return new Date(Number(value) * DAY_MS).toISOString().slice(0, 10);
}

export async function series(
  session: QuerySession,
  { filter, steps }: ArgumentOf<"series">,
  { scope }: Scoped,
): Promise<readonly SeriesPoint[]> {
  const { originMs, stepMs, offsets, by, top, percentiles } = steps;
  const clock = stepOffsets(steps, filter.endMs);
  const group = by === undefined ? sql`NULL` : dimensionOf(by, offsets);
  const origin = clockTime(originMs, clock);
  const figures = percentiles === "none" ? SUMS : sql`${SUMS}${SERIES_PERCENTILES}`;
  // Not `value`, which is the name of a parameter in the filter by metadata.
  const grouping = by === undefined ? sql`step` : sql`step, split_value`;
  const { traces } = session.tables;
  const matching = session.conditionOf(filter, scope);
  // IN finds no NULL.
  const known = sql`(isNull(${group}), ifNull(toString(${group}), ''))`;
  const largest =
    top === undefined
      ? NOTHING
      : sql`AND ${known} IN (SELECT ${known} FROM ${traces} WHERE ${matching} GROUP BY ${group}
          ORDER BY ifNull(sum(cost_picousd), 0) DESC, countIf(NOT ${IS_DECISION_ALONE}) DESC, ${group} NULLS LAST LIMIT ${top})`;
  const { rows } = await session.query(
    sql`SELECT toInt64(floor((${clockMs(clock)} - ${origin}) / ${stepMs})) AS step, ${group} AS split_value, ${figures}
      FROM ${traces} WHERE ${matching} ${largest}
      GROUP BY ${grouping} ORDER BY step, split_value NULLS LAST LIMIT ${MOST_POINTS}`,
  );
  return rows.map((row) => ({
    startMs: momentOf(origin + Number(row.step) * stepMs, clock),
    group: by === undefined ? null : groupValue(row.split_value, by),
    ...sumsIn(row),
    ...percentilesIn(row, seriesPercentilesIn),
  }));
}
