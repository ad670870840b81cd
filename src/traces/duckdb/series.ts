import { MOST_POINTS, type SeriesPoint, type SeriesSteps } from "../series.js";
import type { TraceFilter, TraceScope } from "../store.js";
import { conditionOf } from "./conditions.js";
import type { Connection, Row, Value } from "./database.js";
import { exactly, number, optional, text } from "./rows.js";

interface SeriesQuestion {
  readonly filter: TraceFilter;
  readonly steps: SeriesSteps;
  readonly scope: TraceScope;
}

const FIGURES = `count(*) AS requests,
  count(*) FILTER (status = 'error') AS errors,
  count(*) FILTER (status = 'timeout') AS timeouts,
  coalesce(sum(tokens_in), 0)::DOUBLE AS tokens_in,
  coalesce(sum(tokens_out), 0)::DOUBLE AS tokens_out,
  coalesce(sum(cost_usd), 0) AS cost_usd,
  quantile_disc(latency_ms, [0.5, 0.95]) AS latency,
  quantile_disc(ttft_ms, [0.5, 0.95]) AS ttft`;

export async function series(
  connection: Connection,
  { filter, steps: { originMs, stepMs, by }, scope }: SeriesQuestion,
): Promise<readonly SeriesPoint[]> {
  const { sql, parameters } = conditionOf(filter, scope);
  const [origin, size] = [`$${parameters.length + 1}`, `$${parameters.length + 2}`];
  const group = by === undefined ? "NULL" : exactly(by);
  const rows = await connection.rows(
    `SELECT floor((epoch_ms(created_at) - ${origin}) / ${size}) AS step, ${group} AS value, ${FIGURES} ` +
      `FROM traces WHERE ${sql} GROUP BY step, value ORDER BY step, value NULLS LAST LIMIT ${MOST_POINTS}`,
    [...parameters, BigInt(originMs), BigInt(stepMs)],
  );
  return rows.map((row) => ({ startMs: originMs + number(row.step) * stepMs, ...pointOf(row) }));
}

const pointOf = (row: Row): Omit<SeriesPoint, "startMs"> => ({
  group: optional(row.value, text),
  requests: number(row.requests),
  errors: number(row.errors),
  timeouts: number(row.timeouts),
  tokensIn: number(row.tokens_in),
  tokensOut: number(row.tokens_out),
  costUsd: number(row.cost_usd),
  latencyMs: percentilesOf(row.latency),
  ttftMs: optional(row.ttft, percentilesOf),
});

function percentilesOf(value: Value | undefined): SeriesPoint["latencyMs"] {
  const [p50, p95] = Array.isArray(value) ? value.map(number) : [];
  return { p50: p50 ?? 0, p95: p95 ?? 0 };
}
