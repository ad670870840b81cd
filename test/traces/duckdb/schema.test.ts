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
import type { Trace } from "../../../src/traces/trace.js";
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

/** The tables `traces` and `long_texts` of the versions 3 and 4. */
const EARLIER_TABLES = `
  CREATE TABLE sextant_schema (version BIGINT NOT NULL);
  CREATE TABLE traces (
    request_id VARCHAR NOT NULL, created_at TIMESTAMP NOT NULL, kind VARCHAR NOT NULL, status VARCHAR NOT NULL,
    model VARCHAR, provider VARCHAR, source VARCHAR NOT NULL, principal VARCHAR NOT NULL, streamed BOOLEAN NOT NULL,
    finish_reason VARCHAR, tokens_in BIGINT, tokens_out BIGINT, cost_usd DOUBLE, latency_ms DOUBLE NOT NULL, ttft_ms DOUBLE,
    error_code VARCHAR, error_message VARCHAR, metadata JSON NOT NULL, usage JSON, attempts JSON NOT NULL,
    routing JSON USING COMPRESSION zstd, input_bytes BIGINT, output_bytes BIGINT,
    input_text VARCHAR USING COMPRESSION zstd, output_text VARCHAR USING COMPRESSION zstd
  );
  CREATE TABLE long_texts (
    request_id VARCHAR NOT NULL, created_at TIMESTAMP NOT NULL, field VARCHAR NOT NULL, part BIGINT NOT NULL,
    text VARCHAR NOT NULL USING COMPRESSION zstd, following VARCHAR NOT NULL USING COMPRESSION zstd
  )`;

/** The table that version 4 added. */
const FEEDBACK_TABLE =
  "CREATE TABLE feedback (request_id VARCHAR NOT NULL, created_at TIMESTAMP NOT NULL, score DOUBLE NOT NULL, " +
  "comment VARCHAR, given_at TIMESTAMP NOT NULL)";

/** Adds a trace as the versions 3 and 4 did. */
async function addAsBefore(trace: Trace): Promise<void> {
  const { content, usage } = trace;
  const [input, output] = [content?.input ?? "", content?.output ?? ""];
  await connection.rows(
    `INSERT INTO traces VALUES ($1, $2, '${trace.kind}', '${trace.status}', '${trace.model}', '${trace.provider}',
      '${trace.source}', '${trace.principal}', false, '${trace.finishReason}', ${usage?.prompt_tokens},
      ${usage?.completion_tokens}, ${usage?.total_cost_usd}, ${trace.latencyMs}, ${trace.ttftMs}, NULL, NULL, $3, $4, $5, NULL,
      ${input.length}, ${output.length}, $6, $7)`,
    [
      ...[trace.requestId, new Date(trace.createdAtMs)],
      ...[trace.metadata, usage, trace.attempts].map((value) => JSON.stringify(value)),
      ...[input, output],
    ],
  );
}

describe("A DuckDB file of an earlier version", () => {
  it.each([
    [3, EARLIER_TABLES],
    [4, `${EARLIER_TABLES}; ${FEEDBACK_TABLE}`],
  ])("gets the tables and columns that version %i lacks, and keeps its traces", async (version, tables) => {
    const earlier = traceWith();
    await connection.run(`${tables}; INSERT INTO sextant_schema VALUES (${version})`);
    await addAsBefore(earlier);
    close();
    const open = () => openDuckDbStore(path, { queryTimeoutMs: 30_000, memoryBytes: 2 ** 28 });
    const first = open();
    const content = { input: "Why?", output: "So.", reasoning: "Hm." };
    const [trace, long] = [
      traceWith({ content }),
      traceWith({ content: { ...content, reasoning: "Hm. ".repeat(10_000) } }),
    ];
    await first.append([trace, long]);
    const feedback = { score: 1, comment: null, givenAtMs: 1 };
    expect(await first.keepFeedback(trace.requestId, feedback, { scope: "all" })).toBe(true);
    await first.close();
    const again = open();
    expect(await again.find(trace.requestId, { scope: "all" })).toEqual({ ...trace, feedback });
    expect(await again.find(long.requestId, { scope: "all" })).toEqual(long);
    expect(await again.find(earlier.requestId, { scope: "all" })).toEqual(earlier);
    // Which copies all columns in their order into a new file.
    await again.append([traceWith({ createdAtMs: 0 })]);
    expect(await again.removeBefore(1)).toBe(1);
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
      "CREATE TABLE sextant_schema (version BIGINT); INSERT INTO sextant_schema VALUES (6)",
      "version 6",
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
        `Traces cannot be used: its tables are of another layout (${found}; this Sextant reads version 5). It was left as ` +
        "it is: move it away to begin a new one, or use the Sextant that wrote it. Inference goes on.",
    });
    await store.close();
    expect(readFileSync(path)).toEqual(before);
  });
});
