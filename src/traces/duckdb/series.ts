import { MOST_POINTS, type SeriesPoint, type SeriesSteps } from "../series.js";
import type { TraceFilter, TraceScope } from "../store.js";
import { conditionOf } from "./conditions.js";
import type { Row, Value } from "./database.js";
import type { FileReader } from "./file-reader.js";
import { STATUSES } from "./trace-block.js";
import { exactly, number, optional, text } from "./values.js";

interface SeriesQuestion {
  readonly filter: TraceFilter;
  readonly steps: SeriesSteps;
  readonly scope: TraceScope;
}

const FIGURES = `count(*) AS requests,
  count(*) FILTER (status = ${STATUSES.indexOf("error")}) AS errors,
  count(*) FILTER (status = ${STATUSES.indexOf("timeout")}) AS timeouts,
  coalesce(sum(tokens_in), 0)::DOUBLE AS tokens_in,
  coalesce(sum(tokens_out), 0)::DOUBLE AS tokens_out,
  coalesce(sum(cost_usd), 0) AS cost_usd,
  quantile_disc(latency_ms, [0.5, 0.95]) AS latency,
  quantile_disc(ttft_ms, [0.5, 0.95]) AS ttft`;

export async function series(
  reader: FileReader,
  { filter, steps: { originMs, stepMs, by }, scope }: SeriesQuestion,
): Promise<readonly SeriesPoint[]> {
  const { sql, parameters } = await conditionOf(filter, scope, reader);
  const [origin, size] = [`$${parameters.length + 1}`, `$${parameters.length + 2}`];
  const rows = await reader.connection.rows(
    `SELECT *, ${exactly("names.name")} AS value FROM (` +
      `SELECT floor((created_ms - ${origin}) / ${size}) AS step, ${by ?? "0"} AS name_id, ${FIGURES} ` +
      `FROM traces WHERE ${sql} GROUP BY step, name_id` +
      `) LEFT JOIN names ON names.id = name_id ORDER BY step, value NULLS LAST LIMIT ${MOST_POINTS}`,
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
