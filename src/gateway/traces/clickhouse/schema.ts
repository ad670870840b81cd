import { ClickHouseFault } from "./fault.js";
import type { ClickHouseClient } from "./http-client.js";
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

/** The change from one version of the tables to the next. */
interface Migration {
  readonly statement: (tables: Tables) => Sql;
  /** A query that fails until the change has been made; for statements that fail when it has been made already. */
  readonly check?: (tables: Tables) => Sql;
}

/**
 * The migrations to version 1 of the tables, then 2, and so on. Released ones are never changed, only added
 * to. Instances may run them at the same time, so each must do no harm when it is done twice.
 *
 * Version 1. Traces lie by month, so that old ones can be dropped, and in the order of lists; `id_ms` finds a request id that
 * was not made at the time of arrival. Marks stand eight times as close as usual: one trace is read with its neighbours up to
 * the next, prompts and all. Copies of a trace are merged away, should a server that stood still for long ever make one.
 * Time is whole milliseconds, because version 18 knows no finer one than seconds.
 *
 * Version 2. Feedback has a table of its own, because nothing in a trace is ever rewritten; `created_at_ms` is that of the
 * trace. Of several for one trace the last is meant, and the others are merged away some time.
 *
 * Version 3. Reasoning that came apart from the answer. Version 18 has no `ADD COLUMN IF NOT EXISTS`.
 *
 * Version 4. The messages of the prompt (`message-columns.ts`); null in rows of before, in which `input_text` is the whole conversation.
 *
 * Version 5. The tool loop that a request is part of; null outside of one.
 *
 * Version 6. The effort of reasoning that was asked for. Rows of before have it in their decision alone: in its first
 * candidate, which is the chosen one. No text in JSON has an unescaped quote, so that it is what is found first.
 *
 * Version 7. What a routed answer saved against the baseline, its sums as whole numbers; null where nothing was compared.
 */
const MIGRATIONS: readonly Migration[] = [
  {
    statement: ({ traces }) => sql`CREATE TABLE IF NOT EXISTS ${traces} (
    request_id String,
    id_ms Int64,
    created_at_ms Int64,
    kind String,
    status String,
    model Nullable(String),
    provider Nullable(String),
    source String,
    principal String,
    streamed UInt8,
    latency_ms Float64,
    ttft_ms Nullable(Float64),
    finish_reason Nullable(String),
    tokens_in Nullable(Int64),
    tokens_out Nullable(Int64),
    cost_usd Nullable(Float64),
    error_code Nullable(String),
    error_message Nullable(String),
    metadata Nested(key String, value String),
    metadata_json String,
    usage Nullable(String),
    attempts String,
    routing Nullable(String),
    input_text Nullable(String),
    output_text Nullable(String)
  ) ENGINE = ReplacingMergeTree
  PARTITION BY toYYYYMM(toDateTime(intDiv(created_at_ms, 1000), 'UTC'))
  ORDER BY (created_at_ms, request_id)
  SETTINGS index_granularity = 1024`,
  },
  {
    statement: ({ feedback }) => sql`CREATE TABLE IF NOT EXISTS ${feedback} (
    request_id String,
    created_at_ms Int64,
    score Float64,
    comment Nullable(String),
    given_at_ms Int64
  ) ENGINE = ReplacingMergeTree(given_at_ms)
  PARTITION BY toYYYYMM(toDateTime(intDiv(created_at_ms, 1000), 'UTC'))
  ORDER BY (created_at_ms, request_id)`,
  },
  {
    statement: ({ traces }) => sql`ALTER TABLE ${traces} ADD COLUMN reasoning_text Nullable(String)`,
    check: ({ traces }) => sql`SELECT reasoning_text FROM ${traces} LIMIT 0`,
  },
  {
    statement: ({ traces }) =>
      sql`ALTER TABLE ${traces} ADD COLUMN context_text Nullable(String), ADD COLUMN messages Nullable(String)`,
    check: ({ traces }) => sql`SELECT context_text, messages FROM ${traces} LIMIT 0`,
  },
  {
    statement: ({ traces }) =>
      sql`ALTER TABLE ${traces} ADD COLUMN tool_loop Nullable(String), ADD COLUMN tool_loop_figures Nullable(String)`,
    check: ({ traces }) => sql`SELECT tool_loop, tool_loop_figures FROM ${traces} LIMIT 0`,
  },
  {
    statement: ({ traces }) =>
      sql`ALTER TABLE ${traces} ADD COLUMN effort Nullable(String)
      DEFAULT nullIf(visitParamExtractString(ifNull(routing, ''), 'effort'), '')`,
    check: ({ traces }) => sql`SELECT effort FROM ${traces} LIMIT 0`,
  },
  {
    statement: ({ traces }) =>
      sql`ALTER TABLE ${traces} ADD COLUMN savings Nullable(String), ADD COLUMN baseline_picousd Nullable(Int64), ADD COLUMN saved_picousd Nullable(Int64)`,
    check: ({ traces }) => sql`SELECT savings, baseline_picousd, saved_picousd FROM ${traces} LIMIT 0`,
  },
];

export const SCHEMA_VERSION = MIGRATIONS.length;

const TIMEOUT_MS = 10_000;

/**
 * Makes the database and the tables, or brings them to the newest version.
 *
 * @throws ClickHouseFault, also when the tables are of a newer version than this one knows; the signal's reason
 */
export async function migrate(client: ClickHouseClient, tables: Tables, signal: AbortSignal): Promise<void> {
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
  if (version > SCHEMA_VERSION) throw tooNew(version);
  for (const [at, { statement, check }] of MIGRATIONS.entries()) {
    if (at < version) continue;
    try {
      await run(statement(tables));
    } catch (error) {
      if (check === undefined) throw error;
      // Another instance may have made the change.
      await client.query(check(tables), options).catch(() => {
        throw error;
      });
    }
    await run(sql`INSERT INTO ${tables.schema} SELECT ${at + 1}, now()`);
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ClickHouseFault) || error.code === undefined) throw error;
}

const tooNew = (version: number): ClickHouseFault =>
  new ClickHouseFault(
    `has tables that were made by a newer version of Sextant (their schema is ${version}, this one knows ` +
      `${SCHEMA_VERSION}). Use that version, or another database in SEXTANT_CLICKHOUSE_URL`,
  );
