import { timeOfRequestId } from "../request-time.js";
import type { TraceSummary } from "../store.js";
import { jsonOf, picodollars, SUMMARY_COLUMNS, storedColumns, summaryIn, traceIn } from "../stored-rows.js";
import type { Feedback, Trace } from "../trace.js";
import type { Row } from "./client.js";
import { identifier, joined, sql } from "./sql.js";

/** What a trace has in each column, also in those that are there for filters alone. */
function writtenColumnsOf(trace: Trace) {
  const { cost_usd: costUsd, ...columns } = storedColumns(trace);
  return {
    ...columns,
    cost_picousd: costUsd === null ? null : picodollars(costUsd),
    streamed: trace.streamed ? 1 : 0,
    id_ms: timeOfRequestId(trace.requestId),
    created_at_ms: trace.createdAtMs,
    "metadata.key": Object.keys(trace.metadata),
    "metadata.value": Object.values(trace.metadata).map(String),
    metadata_json: JSON.stringify(trace.metadata),
  };
}

/** A line for `FORMAT JSONEachRow`. */
export const lineOf = (trace: Trace): string => jsonOf(writtenColumnsOf(trace));

const named = (names: readonly string[]) => joined(names.map(identifier), ", ");

/** Of a character in UTF-8. The server cuts by bytes, and this side by characters. */
const MOST_BYTES = 4;

const IN_SUMMARY = named([...SUMMARY_COLUMNS, "created_at_ms"]);

/** What to select for `summaryOf`, and for `traceOf`. */
export const summaryColumns = (inputCharacters: number) =>
  inputCharacters === 0
    ? IN_SUMMARY
    : sql`${IN_SUMMARY}, metadata_json AS metadata, substring(input_text, 1, ${MOST_BYTES * inputCharacters}) AS input_start`;

export const TRACE_COLUMNS = named([
  ...SUMMARY_COLUMNS,
  ...(["created_at_ms", "streamed", "ttft_ms", "finish_reason", "error_message", "metadata_json"] as const),
  ...(["usage", "attempts", "routing", "effort", "tool_loop_figures", "savings"] as const),
  ...(["input_text", "output_text", "reasoning_text", "context_text", "messages"] as const),
]);

export function summaryOf(row: Row, inputCharacters: number): TraceSummary {
  const { inputStart, ...summary } = summaryIn({ ...row, created_at: row.created_at_ms });
  return { ...summary, inputStart: inputStart && [...inputStart].slice(0, inputCharacters).join("") };
}

/** The trace of a row with `TRACE_COLUMNS`. */
export const traceOf = (row: Row, feedback: Feedback | undefined): Trace =>
  traceIn({ ...row, created_at: row.created_at_ms, metadata: row.metadata_json }, feedback);
