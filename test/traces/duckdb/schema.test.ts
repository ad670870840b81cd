import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Connection, Database } from "../../../src/traces/duckdb/database.js";
import { openDuckDbStore } from "../../../src/traces/duckdb/duckdb-store.js";
import {
  FEEDBACK_COLUMNS,
  LONG_TEXT_COLUMNS,
  prepareTables,
  TRACE_COLUMNS,
} from "../../../src/traces/duckdb/schema.js";
import { folderForTest } from "../../support/folders.js";
import { traceWith } from "../trace-for-test.js";
import { openDatabase } from "./database-for-test.js";

let folder = "";
let path = "";
let database: Database;
let connection: Connection;
beforeEach(async () => {
  folder = folderForTest();
  path = join(folder, "a.duckdb");
  database = await openDatabase(path);
  connection = await database.connect();
});

function close(): void {
  connection.close();
  database.close();
}

describe("The tables of a new DuckDB file", () => {
  it("have the documented columns, with types that any client understands", async () => {
    await prepareTables(connection);
    const columns = await connection.rows(
      "SELECT table_name || '.' || column_name AS name, data_type AS type FROM duckdb_columns() " +
        "WHERE database_name = current_database() AND table_name <> 'sextant_schema' ORDER BY table_name, column_index",
    );
    expect(columns.map(({ name }) => name)).toEqual([
      ...Object.keys(FEEDBACK_COLUMNS).map((column) => `feedback.${column}`),
      ...Object.keys(LONG_TEXT_COLUMNS).map((column) => `long_texts.${column}`),
      ...Object.keys(TRACE_COLUMNS).map((column) => `traces.${column}`),
    ]);
    expect(new Set(columns.map(({ type }) => type))).toEqual(
      new Set(["VARCHAR", "TIMESTAMP", "BOOLEAN", "BIGINT", "DOUBLE", "JSON"]),
    );
    close();
  });

  it("are unchanged when the file is opened again", async () => {
    await prepareTables(connection);
    await prepareTables(connection);
    expect(await connection.rows("SELECT version FROM sextant_schema")).toHaveLength(1);
    close();
  });
});

describe("A DuckDB file without the feedback table", () => {
  it("gets that table and keeps its traces", async () => {
    const trace = traceWith();
    await prepareTables(connection);
    await connection.run("DROP TABLE feedback; UPDATE sextant_schema SET version = 3");
    close();
    const store = openDuckDbStore(path, { queryTimeoutMs: 30_000, memoryBytes: 2 ** 28 });
    await store.append([trace]);
    const feedback = { score: 1, comment: null, givenAtMs: 1 };
    expect(await store.keepFeedback(trace.requestId, feedback, { scope: "all" })).toBe(true);
    await store.close();
    const again = openDuckDbStore(path, { queryTimeoutMs: 30_000, memoryBytes: 2 ** 28 });
    expect(await again.find(trace.requestId, { scope: "all" })).toEqual({ ...trace, feedback });
    await again.close();
  });
});

describe("A DuckDB file with other tables", () => {
  it.each([
    [
      "an older version",
      "CREATE TABLE sextant_schema (version BIGINT); INSERT INTO sextant_schema VALUES (1), (2)",
      "version 2",
    ],
    [
      "a newer version",
      "CREATE TABLE sextant_schema (version BIGINT); INSERT INTO sextant_schema VALUES (5)",
      "version 5",
    ],
    ["another program", "CREATE TABLE things (a BIGINT)", "none of Sextant's"],
  ])("of %s is refused with the remedy and left unchanged", async (_, statements, found) => {
    await connection.run(statements);
    close();
    const before = readFileSync(path);
    const store = openDuckDbStore(path, { queryTimeoutMs: 30_000, memoryBytes: 2 ** 28 });
    await expect(store.append([traceWith()])).rejects.toMatchObject({
      code: "store_down",
      message:
        `Traces cannot be used: its tables are of another layout (${found}; this Sextant reads version 4). It was left as ` +
        "it is: move it away to begin a new one, or use the Sextant that wrote it. Inference goes on.",
    });
    await store.close();
    expect(readFileSync(path)).toEqual(before);
  });
});
