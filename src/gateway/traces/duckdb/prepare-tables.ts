import type { Connection } from "./database.js";
import { FEEDBACK_COLUMNS, LONG_TEXT_COLUMNS, TRACE_COLUMNS } from "./schema.js";

const SCHEMA_VERSION = 9;

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

/** Rows of before have the effort in their decision alone: in its first candidate, which is the chosen one. */
const EFFORTS_OF_DECISIONS =
  `UPDATE traces SET effort = nullif(regexp_extract(routing, '"effort":(?:"([^"]*)"|null)', 1), '') ` +
  `WHERE contains(routing, '"effort":"')`;

/** What a file of an earlier version lacks, from version to version. */
const UPGRADES = [
  { from: 3, statements: [table("feedback", FEEDBACK_COLUMNS)] },
  { from: 4, statements: [addColumn("reasoning_bytes"), addColumn("reasoning_text")] },
  {
    from: 5,
    statements: (["context_bytes", "context_text", "messages_bytes", "messages"] as const).map(addColumn),
  },
  { from: 6, statements: [addColumn("tool_loop"), addColumn("tool_loop_figures")] },
  { from: 7, statements: [addColumn("effort"), EFFORTS_OF_DECISIONS] },
  {
    from: 8,
    statements: (["savings", "baseline_picousd", "saved_picousd"] as const).map(addColumn),
  },
] as const;

const OLDEST_VERSION = UPGRADES[0].from;

/** A file with other tables than these. The message says why and what to do. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

/**
 * Creates the tables in an empty file, and brings those of every older version to the newest, version by version: a crash leaves the
 * file whole, at the version that it had reached.
 *
 * @throws SchemaError when the file has other tables, or those of another version
 */
export async function prepareTables(connection: Connection): Promise<void> {
  const tables = await connection.rows(
    "SELECT table_name AS name FROM duckdb_tables() WHERE database_name = current_database()",
  );
  if (tables.length === 0) {
    await change(connection, CREATE_TABLES, SCHEMA_VERSION);
    return;
  }
  const version = tables.some(({ name }) => name === "sextant_schema")
    ? (await connection.rows("SELECT max(version) AS version FROM sextant_schema"))[0]?.version
    : undefined;
  if (Number(version) === SCHEMA_VERSION) return;
  if (Number(version) >= OLDEST_VERSION && Number(version) < SCHEMA_VERSION) {
    // Of a table that it changed rows of, the library refuses to change the columns in the same transaction.
    for (const { from, statements } of UPGRADES) {
      if (from >= Number(version)) await change(connection, statements, from + 1);
    }
    return;
  }
  const found = version === undefined ? "none of Sextant's" : `version ${version}`;
  throw new SchemaError(
    `its tables are of another layout (${found}; this Sextant reads version ${SCHEMA_VERSION}). It was left as it is: ` +
      "move it away to begin a new one, or use the Sextant that wrote it",
  );
}

/** Runs all statements or none, after which the tables have that version. */
const change = (connection: Connection, statements: readonly string[], version: number): Promise<void> =>
  connection.run(
    ["BEGIN", ...statements, `INSERT INTO sextant_schema VALUES (${version})`, "COMMIT"].join("; "),
  );
