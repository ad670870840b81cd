import { timeOfRequestId } from "../request-time.js";
import type { TraceSummary } from "../store.js";
import { SUMMARY_COLUMNS, storedColumns, summaryIn, traceIn } from "../stored-rows.js";
import type { Feedback, Trace } from "../trace.js";
import type { Row } from "./http-client.js";
import type { RowBinary } from "./row-binary.js";
import { identifier, joined, sql } from "./sql.js";

/** How a value of each type of column is written. */
const WRITE = {
  string: (row: RowBinary, value: unknown) => row.string(value as string),
  strings: (row: RowBinary, value: unknown) => row.strings(value as readonly string[]),
  flag: (row: RowBinary, value: unknown) => row.uint8(value === true ? 1 : 0),
  int: (row: RowBinary, value: unknown) => row.int64(value as number),
  float: (row: RowBinary, value: unknown) => row.float64(value as number),
  optionalString: (row: RowBinary, value: unknown) =>
    row.nullable(value as string | null, (given) => row.string(given)),
  optionalInt: (row: RowBinary, value: unknown) =>
    row.nullable(value as number | null, (given) => row.int64(given)),
  optionalFloat: (row: RowBinary, value: unknown) =>
    row.nullable(value as number | null, (given) => row.float64(given)),
};

/** What a trace has in each column, also in those that are there for filters alone. */
const writtenColumnsOf = (trace: Trace) => ({
  ...storedColumns(trace),
  id_ms: timeOfRequestId(trace.requestId),
  created_at_ms: trace.createdAtMs,
  "metadata.key": Object.keys(trace.metadata),
  "metadata.value": Object.values(trace.metadata).map(String),
  metadata_json: JSON.stringify(trace.metadata),
});

/** The columns with their types, in the order in which they are written. */
const COLUMNS: Readonly<Record<keyof ReturnType<typeof writtenColumnsOf>, keyof typeof WRITE>> = {
  request_id: "string",
  id_ms: "int",
  created_at_ms: "int",
  kind: "string",
  status: "string",
  model: "optionalString",
  provider: "optionalString",
  source: "string",
  principal: "string",
  streamed: "flag",
  latency_ms: "float",
  ttft_ms: "optionalFloat",
  finish_reason: "optionalString",
  tokens_in: "optionalInt",
  tokens_out: "optionalInt",
  cost_usd: "optionalFloat",
  error_code: "optionalString",
  error_message: "optionalString",
  "metadata.key": "strings",
  "metadata.value": "strings",
  metadata_json: "string",
  usage: "optionalString",
  attempts: "string",
  routing: "optionalString",
  input_text: "optionalString",
  output_text: "optionalString",
  reasoning_text: "optionalString",
  context_text: "optionalString",
  messages: "optionalString",
  tool_loop: "optionalString",
  tool_loop_figures: "optionalString",
  effort: "optionalString",
  savings: "optionalString",
  baseline_picousd: "optionalInt",
  saved_picousd: "optionalInt",
};

const NAMES = Object.keys(COLUMNS) as readonly (keyof typeof COLUMNS)[];

export function writeTrace(row: RowBinary, trace: Trace): void {
  const columns = writtenColumnsOf(trace);
  for (const name of NAMES) WRITE[COLUMNS[name]](row, columns[name]);
}

const named = (names: readonly string[]) => joined(names.map(identifier), ", ");

/** What `writeTrace` fills. */
export const WRITTEN_COLUMNS = named(NAMES);
/** Of a character in UTF-8. Version 18 counts characters of four bytes wrongly, so that it cuts by bytes. */
const MOST_BYTES = 4;

const IN_SUMMARY = named([...SUMMARY_COLUMNS, "created_at_ms"]);

/** What to select for `summaryOf`, and for `traceOf`. */
export const summaryColumns = (inputCharacters: number) =>
  inputCharacters === 0
    ? IN_SUMMARY
    : sql`${IN_SUMMARY}, substring(input_text, 1, ${MOST_BYTES * inputCharacters}) AS input_start`;

const ONLY_FOR_FILTERS = ["id_ms", "metadata.key", "metadata.value"];
export const TRACE_COLUMNS = named(NAMES.filter((name) => !ONLY_FOR_FILTERS.includes(name)));

export function summaryOf(row: Row, inputCharacters: number): TraceSummary {
  const { inputStart, ...summary } = summaryIn({ ...row, created_at: row.created_at_ms });
  return { ...summary, inputStart: inputStart && [...inputStart].slice(0, inputCharacters).join("") };
}

/** The trace of a row with `TRACE_COLUMNS`. */
export const traceOf = (row: Row, feedback: Feedback | undefined): Trace =>
  traceIn({ ...row, created_at: row.created_at_ms, metadata: row.metadata_json }, feedback);
