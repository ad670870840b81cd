import type { Connection } from "./database.js";
import { FEEDBACK_COLUMNS, LONG_TEXT_COLUMNS, TRACE_COLUMNS } from "./schema.js";

const SCHEMA_VERSION = 12;

const table = (name: string, columns: Readonly<Record<string, string>>): string =>
  `CREATE TABLE ${name} (${Object.entries(columns)
    .map(([column, type]) => `${column} ${type}`)
    .join(", ")})`;

const CREATE_TABLES = [
  "CREATE TABLE sextant_schema (version BIGINT NOT NULL)",
  table("traces", TRACE_COLUMNS),
  table("long_texts", LONG_TEXT_COLUMNS),
  table("feedback", FEEDBACK_COLUMNS),
  `INSERT INTO sextant_schema VALUES (${SCHEMA_VERSION})`,
];

/** A file with other tables than these. The message says why and what to do. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

/**
 * Creates the tables in an empty file, all or none.
 *
 * @throws SchemaError when the file has other tables, or those of another version
 */
export async function prepareTables(connection: Connection): Promise<void> {
  const tables = await connection.rows(
    "SELECT table_name AS name FROM duckdb_tables() WHERE database_name = current_database()",
  );
  if (tables.length === 0) {
    await connection.run(["BEGIN", ...CREATE_TABLES, "COMMIT"].join("; "));
    return;
  }
  const version = tables.some(({ name }) => name === "sextant_schema")
    ? (await connection.rows("SELECT max(version) AS version FROM sextant_schema"))[0]?.version
    : undefined;
  if (Number(version) === SCHEMA_VERSION) return;
  const found = version === undefined ? "none of Sextant's" : `version ${version}`;
  throw new SchemaError(
    `its tables are of another layout (${found}; this Sextant reads version ${SCHEMA_VERSION}). It was left as it is: ` +
      "move it away to begin a new one, or use the Sextant that wrote it",
  );
}
