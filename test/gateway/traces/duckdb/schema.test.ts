import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Connection, Database } from "../../../../src/gateway/traces/duckdb/database.js";
import { prepareTables } from "../../../../src/gateway/traces/duckdb/prepare-tables.js";
import {
  FEEDBACK_COLUMNS,
  LONG_TEXT_COLUMNS,
  TRACE_COLUMNS,
} from "../../../../src/gateway/traces/duckdb/schema.js";
import { folderForTest } from "../../../support/folders.js";
import { routedTrace, traceWith } from "../trace-for-test.js";
import { openDatabase, openStore } from "./database-for-test.js";

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

it("The tables of a new DuckDB file have the documented columns, with types that any client understands", async () => {
  // Again as when it is opened again.
  for (let time = 0; time < 2; time++) await prepareTables(connection);
  expect(await connection.rows("SELECT version FROM sextant_schema")).toHaveLength(1);
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

it("Figures by preset are of a column, and need no decision to be read", async () => {
  close();
  const { routing, ...trace } = routedTrace();
  const store = openStore(path);
  await store.append([{ ...trace, routing: routing && { ...routing, preset: "support" } }]);
  await store.close();
  database = await openDatabase(path);
  connection = await database.connect();
  await connection.run("UPDATE traces SET routing = NULL");
  close();
  const again = openStore(path);
  const asked = { filter: {}, by: ["preset"] } as const;
  expect(await again.ask("stats", asked, { scope: "all" })).toMatchObject([{ group: { preset: "support" } }]);
  await again.close();
});

describe("A DuckDB file with other tables", () => {
  const version = (number: number) =>
    `CREATE TABLE sextant_schema (version BIGINT); INSERT INTO sextant_schema VALUES (${number})`;
  it.each([
    ["a newer version", version(13), "version 13"],
    ["an earlier version", version(8), "version 8"],
    ["another program", "CREATE TABLE things (a BIGINT)", "none of Sextant's"],
  ])("of %s is refused with the remedy and left unchanged", async (_, statements, found) => {
    await connection.run(statements);
    close();
    const before = readFileSync(path);
    const store = openStore(path);
    await expect(store.append([traceWith()])).rejects.toMatchObject({
      code: "store_down",
      message:
        `Traces cannot be used: its tables are of another layout (${found}; this Sextant reads version 12). It was left as ` +
        "it is: move it away to begin a new one, or use the Sextant that wrote it. Inference continues.",
    });
    await store.close();
    expect(readFileSync(path)).toEqual(before);
  });
});
