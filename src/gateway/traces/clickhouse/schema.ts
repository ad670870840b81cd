import type { ClickHouseClient } from "./client.js";
import { ClickHouseFault } from "./fault.js";
import { identifier, type Sql, sql } from "./sql.js";

/** The names that queries need. */
export interface Tables {
  readonly database: Sql;
  readonly traces: Sql;
  readonly feedback: Sql;
  readonly schema: Sql;
  /** Conditions on the server's own tables about parts and mutations: those of `traces`, and of `feedback`. */
  readonly ofTraces: Sql;
  readonly ofFeedback: Sql;
}

const TRACES = "sextant_traces";
const FEEDBACK = "sextant_feedback";
const SCHEMA = "sextant_schema";

export function tablesIn(database: string): Tables {
  const within = (table: string): Sql => sql`${identifier(database)}.${identifier(table)}`;
  return {
    database: identifier(database),
    traces: within(TRACES),
    feedback: within(FEEDBACK),
    schema: within(SCHEMA),
    ofTraces: sql`database = ${database} AND table = ${TRACES}`,
    ofFeedback: sql`database = ${database} AND table = ${FEEDBACK}`,
  };
}

/**
 * Traces lie by month, so that old ones can be dropped, and in the order of lists; `id_ms` finds a request id that was not
 * made at the time of arrival. Marks stand eight times as close as usual: one trace is read with its neighbours up to the
 * next, prompts and all. Copies of a trace are merged away, should a server that stood still for long ever make one. Costs
 * are whole picodollars: the server reads whole numbers exactly, and decimals not to the last bit. `messages` and
 * `context_text`: `message-columns.ts`.
 */
const createTraces = ({ traces }: Tables): Sql => sql`CREATE TABLE IF NOT EXISTS ${traces} (
    request_id String,
    id_ms Int64,
    created_at_ms Int64,
    kind String,
    status String,
    model Nullable(String),
    requested_model Nullable(String),
    provider Nullable(String),
    source String,
    principal String,
    streamed UInt8,
    latency_ms Float64,
    ttft_ms Nullable(Float64),
    finish_reason Nullable(String),
    tokens_in Nullable(Int64),
    tokens_out Nullable(Int64),
    tokens_cached Nullable(Int64),
    cost_picousd Nullable(Int64),
    cost_usd Nullable(Float64) ALIAS cost_picousd / 1e12,
    error_code Nullable(String),
    error_message Nullable(String),
    metadata Nested(key String, value String),
    metadata_json String,
    usage Nullable(String),
    attempts String,
    routing Nullable(String),
    preset Nullable(String),
    input_text Nullable(String),
    output_text Nullable(String),
    reasoning_text Nullable(String),
    context_text Nullable(String),
    messages Nullable(String),
    tool_loop Nullable(String),
    tool_loop_figures Nullable(String),
    effort Nullable(String),
    savings Nullable(String),
    baseline_picousd Nullable(Int64),
    saved_picousd Nullable(Int64)
  ) ENGINE = ReplacingMergeTree
  PARTITION BY toYYYYMM(toDateTime(intDiv(created_at_ms, 1000), 'UTC'))
  ORDER BY (created_at_ms, request_id)
  SETTINGS index_granularity = 1024`;

/**
 * Feedback has a table of its own, because nothing in a trace is ever rewritten; `created_at_ms` is that of the trace. Of
 * several for one trace the last is meant, and the others are merged away some time.
 */
const createFeedback = ({ feedback }: Tables): Sql => sql`CREATE TABLE IF NOT EXISTS ${feedback} (
    request_id String,
    created_at_ms Int64,
    score Float64,
    comment Nullable(String),
    given_at_ms Int64
  ) ENGINE = ReplacingMergeTree(given_at_ms)
  PARTITION BY toYYYYMM(toDateTime(intDiv(created_at_ms, 1000), 'UTC'))
  ORDER BY (created_at_ms, request_id)`;

export const SCHEMA_VERSION = 12;

const TIMEOUT_MS = 10_000;

/**
 * Makes the database and the tables. Instances may do so at the same time.
 *
 * @throws ClickHouseFault, also when the tables are of another version; the signal's reason
 */
export async function prepareTables(
  client: ClickHouseClient,
  tables: Tables,
  signal: AbortSignal,
): Promise<void> {
  const options = { timeoutMs: TIMEOUT_MS };
  // What has been sent is waited for: the server may begin with it after it was cancelled.
  const run = async (statement: Sql) => {
    signal.throwIfAborted();
    await client.command(statement, options);
  };
  // A user may have access to a database without the right to create one.
  await run(sql`CREATE DATABASE IF NOT EXISTS ${tables.database}`).catch(ignoreRefusal);
  await run(
    sql`CREATE TABLE IF NOT EXISTS ${tables.schema} (version Int64, applied_at DateTime) ENGINE = MergeTree ORDER BY version`,
  );
  const { rows } = await client.query(sql`SELECT max(version) AS version FROM ${tables.schema}`, options);
  const version = Number(rows[0]?.version ?? 0);
  if (version === SCHEMA_VERSION) return;
  if (version !== 0) throw otherLayout(version);
  await run(createTraces(tables));
  await run(createFeedback(tables));
  await run(sql`INSERT INTO ${tables.schema} SELECT ${SCHEMA_VERSION}, now()`);
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ClickHouseFault) || error.code === undefined) throw error;
}

const otherLayout = (version: number): ClickHouseFault =>
  new ClickHouseFault(
    `has tables of another layout (version ${version}; this Sextant reads version ${SCHEMA_VERSION}). Name another ` +
      "database in SEXTANT_CLICKHOUSE_URL, or use the Sextant that made them",
  );
