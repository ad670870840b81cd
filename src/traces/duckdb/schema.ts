import type { Connection } from "./database.js";

/**
 * The columns of the table `traces`, in its order: one for each field of a trace that is searched or summed up, and JSON for
 * what has a shape of its own.
 *
 * `created_at` is the arrival in UTC. `input_text` and `output_text` are null when content is not stored, `reasoning_text` also
 * when there was no reasoning; the bytes are those of the whole texts, of which only the beginning is in the row when they are
 * long (`long_texts`).
 */
export const TRACE_COLUMNS = {
  request_id: "VARCHAR NOT NULL",
  created_at: "TIMESTAMP NOT NULL",
  kind: "VARCHAR NOT NULL",
  status: "VARCHAR NOT NULL",
  model: "VARCHAR",
  provider: "VARCHAR",
  source: "VARCHAR NOT NULL",
  principal: "VARCHAR NOT NULL",
  streamed: "BOOLEAN NOT NULL",
  finish_reason: "VARCHAR",
  tokens_in: "BIGINT",
  tokens_out: "BIGINT",
  cost_usd: "DOUBLE",
  latency_ms: "DOUBLE NOT NULL",
  ttft_ms: "DOUBLE",
  error_code: "VARCHAR",
  error_message: "VARCHAR",
  metadata: "JSON NOT NULL",
  usage: "JSON",
  attempts: "JSON NOT NULL",
  routing: "JSON USING COMPRESSION zstd",
  input_bytes: "BIGINT",
  output_bytes: "BIGINT",
  input_text: "VARCHAR USING COMPRESSION zstd",
  output_text: "VARCHAR USING COMPRESSION zstd",
  reasoning_bytes: "BIGINT",
  reasoning_text: "VARCHAR USING COMPRESSION zstd",
} as const;

/**
 * The columns of the table `long_texts`, one row for each part of a text too long for the row of its trace.
 *
 * `field` is the column of `traces` that has the beginning. All parts of a text, from 0, make up the whole; `following` is
 * what the next part begins with, so that a search finds what crosses from one part to the next.
 */
export const LONG_TEXT_COLUMNS = {
  request_id: "VARCHAR NOT NULL",
  created_at: "TIMESTAMP NOT NULL",
  field: "VARCHAR NOT NULL",
  part: "BIGINT NOT NULL",
  text: "VARCHAR NOT NULL USING COMPRESSION zstd",
  following: "VARCHAR NOT NULL USING COMPRESSION zstd",
} as const;

/**
 * The columns of the table `feedback`, at most one row for each trace: a table of its own, so that what is given later
 * rewrites no trace. `created_at` is that of the trace, `given_at` when it was given.
 */
export const FEEDBACK_COLUMNS = {
  request_id: "VARCHAR NOT NULL",
  created_at: "TIMESTAMP NOT NULL",
  score: "DOUBLE NOT NULL",
  comment: "VARCHAR",
  given_at: "TIMESTAMP NOT NULL",
} as const;

const SCHEMA_VERSION = 5;

const table = (name: string, columns: Readonly<Record<string, string>>): string =>
  `CREATE TABLE ${name} (${Object.entries(columns)
    .map(([column, type]) => `${column} ${type}`)
    .join(", ")})`;

const addColumn = (name: keyof typeof TRACE_COLUMNS): string =>
  `ALTER TABLE traces ADD COLUMN ${name} ${TRACE_COLUMNS[name]}`;

const CREATE_TABLES = [
  "CREATE TABLE sextant_schema (version BIGINT NOT NULL)",
  table("traces", TRACE_COLUMNS),
  table("long_texts", LONG_TEXT_COLUMNS),
  table("feedback", FEEDBACK_COLUMNS),
];

/** What a file of an earlier version lacks, from version to version. Versions 1 and 2 were never released. */
const UPGRADES = [
  { from: 3, statements: [table("feedback", FEEDBACK_COLUMNS)] },
  { from: 4, statements: [addColumn("reasoning_bytes"), addColumn("reasoning_text")] },
] as const;

const OLDEST_VERSION = UPGRADES[0].from;

const upgradesFrom = (version: number): readonly string[] =>
  UPGRADES.filter(({ from }) => from >= version).flatMap(({ statements }) => statements);

/** A file with other tables than these. The message says why and what to do. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

/**
 * Creates the tables in an empty file, and adds what an older version did not have.
 *
 * @throws SchemaError when the file has other tables, or those of another version
 */
export async function prepareTables(connection: Connection): Promise<void> {
  const tables = await connection.rows(
    "SELECT table_name AS name FROM duckdb_tables() WHERE database_name = current_database()",
  );
  if (tables.length === 0) {
    await change(connection, CREATE_TABLES);
    return;
  }
  const version = tables.some(({ name }) => name === "sextant_schema")
    ? (await connection.rows("SELECT max(version) AS version FROM sextant_schema"))[0]?.version
    : undefined;
  if (Number(version) === SCHEMA_VERSION) return;
  if (Number(version) >= OLDEST_VERSION && Number(version) < SCHEMA_VERSION) {
    await change(connection, upgradesFrom(Number(version)));
    return;
  }
  const found = version === undefined ? "none of Sextant's" : `version ${version}`;
  throw new SchemaError(
    `its tables are of another layout (${found}; this Sextant reads version ${SCHEMA_VERSION}). It was left as it is: ` +
      "move it away to begin a new one, or use the Sextant that wrote it",
  );
}

/** Runs all statements or none, after which the tables have the newest version. */
const change = (connection: Connection, statements: readonly string[]): Promise<void> =>
  connection.run(
    ["BEGIN", ...statements, `INSERT INTO sextant_schema VALUES (${SCHEMA_VERSION})`, "COMMIT"].join("; "),
  );
