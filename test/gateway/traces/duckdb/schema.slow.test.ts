import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { matches } from "../../../../bench/traces/matches.js";
import type { Connection, Database } from "../../../../src/gateway/traces/duckdb/database.js";
import { prepareTables } from "../../../../src/gateway/traces/duckdb/prepare-tables.js";
import {
  FEEDBACK_COLUMNS,
  LONG_TEXT_COLUMNS,
  TRACE_COLUMNS,
} from "../../../../src/gateway/traces/duckdb/schema.js";
import type { TraceFilter, TraceStore } from "../../../../src/gateway/traces/store.js";
import type { Trace } from "../../../../src/gateway/traces/trace.js";
import { promptText } from "../../../../src/gateway/traces/trace-messages.js";
import { folderForTest } from "../../../support/folders.js";
import { failedTrace, HOSTILE, NOON, routedTrace, said, traceWith, USAGE } from "../trace-for-test.js";
import { openDatabase, openStore } from "./database-for-test.js";
import { writeThirdLayout } from "./third-layout.js";

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

const ALL = { scope: "all" } as const;
const open = () => openStore(path);

async function all(store: TraceStore): Promise<Trace[]> {
  const found: Trace[] = [];
  for await (const batch of store.export({ filter: {} }, ALL)) found.push(...batch);
  return found;
}

const FAILED = {
  provider: "openai",
  model: "gpt-4o",
  status: 500,
  code: "server_error",
  message: null,
  latency_ms: 3,
};

/** As versions without messages kept them, the oldest first. */
const EARLIER: readonly Trace[] = [
  { ...traceWith(), streamed: true },
  traceWith({ kind: "completion", attempts: [FAILED, { ...FAILED, status: 200, code: "ok" }] }),
  failedTrace({ status: "timeout" }),
  routedTrace({ metadata: {}, usage: { ...USAGE, total_tokens: 40, latency_ms: 3, total_cost_usd: null } }),
  ...HOSTILE.filter(({ length }) => length < 1000).map((text) =>
    traceWith({
      source: text || "none",
      principal: text,
      finishReason: text,
      error: { code: "e", message: text },
      metadata: { [text]: text, n: 1 },
      content: { input: `system: ${text}\nuser: ${text}`, output: text },
    }),
  ),
  traceWith({ metadata: { half: "\ud800\ud800 \\\udfff" } }),
].map((trace, at) => ({
  ...trace,
  content: trace.content && { ...trace.content, input: promptText(trace.content.input) },
  createdAtMs: NOON + at,
}));

const halves = ({ metadata, ...trace }: Trace): Trace => ({
  ...trace,
  metadata: "half" in metadata ? { half: Buffer.from(String(metadata.half)).toString() } : metadata,
});

describe("A DuckDB file of the oldest layout", () => {
  beforeEach(async () => {
    await writeThirdLayout(connection, EARLIER);
    close();
  });

  it("keeps its traces, which are found as before", async () => {
    const store = open();
    const expected = EARLIER.map(halves);
    expect(await all(store)).toEqual(expected);
    for (const trace of expected) expect(await store.ask("find", trace.requestId, ALL)).toEqual(trace);
    const totalOf = async (filter: TraceFilter) =>
      (await store.ask("list", { filter, page: { limit: 1, offset: 0 } }, ALL)).total;
    for (const text of ["2 + 2", "DROP TABLE", "\u0000", "nowhere"])
      expect(await totalOf({ text })).toBe(expected.filter((trace) => matches({ text }, trace)).length);
    expect(await totalOf({ metadata: [{ key: "tenant", value: "acme" }] })).toBe(2);
    expect(await store.ask("stats", { filter: {}, by: [] }, ALL)).toMatchObject([
      { requests: EARLIER.length, timeouts: 1 },
    ]);
    await store.close();
  });

  it("takes new traces, is opened again as it is, and lets old ones go", async () => {
    const first = open();
    const content = { input: said("Why?"), output: "So.", reasoning: "Hm." };
    const [trace, long] = [
      traceWith({ content, createdAtMs: NOON + 1000 }),
      traceWith({ content: { ...content, reasoning: "Hm. ".repeat(10_000) }, createdAtMs: NOON + 1000 }),
    ];
    await first.append([trace, long]);
    const feedback = { score: 1, comment: null, givenAtMs: 1 };
    expect(await first.keepFeedback(trace.requestId, feedback, ALL)).toBe(true);
    await first.close();
    const again = open();
    expect(await again.ask("find", trace.requestId, ALL)).toEqual({ ...trace, feedback });
    expect(await again.ask("find", long.requestId, ALL)).toEqual(long);
    // Which copies all columns in their order into a new file.
    expect(await again.removeBefore(NOON + 1)).toBe(1);
    expect(await all(again)).toEqual([...EARLIER.slice(1).map(halves), { ...trace, feedback }, long]);
    await again.close();
  });
});

describe("A DuckDB file whose upgrade is cut off", () => {
  const script = new URL("cut-off-upgrade.ts", import.meta.url).pathname;

  it.each([3, 7])("after %d statements is whole, and is upgraded by the next start", async (after) => {
    const traces = Array.from({ length: 100 }, (_, at) =>
      traceWith({
        createdAtMs: NOON + at,
        content: { input: `${at} ${"x".repeat(at * 100)}`, output: "" },
      }),
    );
    await writeThirdLayout(connection, traces);
    close();
    const child = spawn(process.execPath, ["--import", "tsx", script, path, String(after)], {
      stdio: "inherit",
    });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    const store = open();
    expect(await all(store)).toEqual(traces);
    await store.close();
  });
});

it("An upgraded DuckDB file has the efforts of its decisions in their column, and none where the request named its model", async () => {
  const decided = (effort: string | null): Trace => {
    const trace = routedTrace();
    const candidates = [effort, "low"].map((one) => ({ model: "o4-mini", effort: one }));
    return { ...trace, routing: { ...trace.routing, candidates } as unknown as Trace["routing"] };
  };
  await writeThirdLayout(connection, [traceWith(), decided("high"), decided(null)]);
  close();
  const store = open();
  expect((await all(store)).map(({ effort }) => effort)).toEqual([undefined, "high", undefined]);
  await store.close();
});

describe("A DuckDB file with other tables", () => {
  const version = (number: number) =>
    `CREATE TABLE sextant_schema (version BIGINT); INSERT INTO sextant_schema VALUES (${number})`;
  it.each([
    ["a newer version", version(10), "version 10"],
    ["a version before 3", version(2), "version 2"],
    ["another program", "CREATE TABLE things (a BIGINT)", "none of Sextant's"],
  ])("of %s is refused with the remedy and left unchanged", async (_, statements, found) => {
    await connection.run(statements);
    close();
    const before = readFileSync(path);
    const store = open();
    await expect(store.append([traceWith()])).rejects.toMatchObject({
      code: "store_down",
      message:
        `Traces cannot be used: its tables are of another layout (${found}; this Sextant reads version 9). It was left as ` +
        "it is: move it away to begin a new one, or use the Sextant that wrote it. Inference goes on.",
    });
    await store.close();
    expect(readFileSync(path)).toEqual(before);
  });
});
