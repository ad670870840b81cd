import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { columnsOf } from "../../../src/traces/duckdb/block-columns.js";
import type { Connection, Database } from "../../../src/traces/duckdb/database.js";
import { MIGRATIONS, migrate } from "../../../src/traces/duckdb/schema.js";
import { BlockWriter } from "../../../src/traces/duckdb/trace-block.js";
import { openDatabase } from "./database-for-test.js";

let folder = "";
let database: Database;
let connection: Connection;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "sextant-schema-"));
  database = await openDatabase(join(folder, "a.duckdb"));
  connection = await database.connect();
});
afterEach(() => {
  connection.close();
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

const versions = async () =>
  (await connection.rows("SELECT version FROM sextant_schema ORDER BY 1")).map(({ version }) =>
    Number(version),
  );

const FIRST = "CREATE TABLE things (a BIGINT)";
const SECOND = "ALTER TABLE things ADD COLUMN b VARCHAR; UPDATE things SET b = 'old'";

describe("the schema", () => {
  it("has the columns that traces are written to, as many and of their types", async () => {
    await migrate(connection);
    const columns = await connection.rows(
      "SELECT data_type AS type FROM information_schema.columns " +
        "WHERE table_name = 'traces' ORDER BY ordinal_position",
    );
    const { block } = new BlockWriter(0).finish();
    const written = columnsOf(block, { names: [], slots: [] }).traces;
    expect(columns).toEqual(written.map(({ type }) => ({ type })));
    expect(await versions()).toEqual(MIGRATIONS.map((_, at) => at + 1));
  });

  it("of an older file is brought to the newest version, with what is in it", async () => {
    await migrate(connection, [FIRST]);
    await connection.run("INSERT INTO things VALUES (1)");
    await migrate(connection, [FIRST, SECOND]);
    expect(await connection.rows("SELECT * FROM things")).toEqual([{ a: 1n, b: "old" }]);
    expect(await versions()).toEqual([1, 2]);
  });

  it("of the newest version is left alone", async () => {
    await migrate(connection, [FIRST]);
    await migrate(connection, [FIRST]);
    expect(await versions()).toEqual([1]);
  });

  it("of a newer version is refused, and left alone", async () => {
    await migrate(connection, [FIRST, SECOND]);
    await expect(migrate(connection, [FIRST])).rejects.toThrow(
      "it was written by a newer version of Sextant (its schema is 2, this one knows 1). Use that version, or move the file away",
    );
    expect(await versions()).toEqual([1, 2]);
  });

  it("stays at its version when a step fails, with nothing of the step done", async () => {
    await migrate(connection, [FIRST]);
    const broken = "ALTER TABLE things ADD COLUMN b VARCHAR; SELECT * FROM nowhere";
    await expect(migrate(connection, [FIRST, broken])).rejects.toThrow(/nowhere/);
    connection.close();
    connection = await database.connect();
    expect(await versions()).toEqual([1]);
    await migrate(connection, [FIRST, SECOND]);
    expect(await versions()).toEqual([1, 2]);
  });
});
