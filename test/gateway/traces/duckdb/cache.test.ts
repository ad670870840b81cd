import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RequestHandler } from "../../../../src/gateway/traces/duckdb/request-handler.js";
import { rowsOf } from "../../../../src/gateway/traces/duckdb/rows.js";
import { TraceFile } from "../../../../src/gateway/traces/duckdb/trace-file.js";
import { FakeClock } from "../../../fakes/clock.js";
import { folderForTests } from "../../../support/folders.js";
import { said, traceWith } from "../trace-for-test.js";
import { until } from "../until.js";
import { openDatabase } from "./database-for-test.js";

const MB = 2 ** 20;
const folder = folderForTests();
const context = { signal: new AbortController().signal };

it("The cache of a database is evicted down to a size, or whole, and keeps the rows that are not in the file yet", async () => {
  const database = await openDatabase(join(folder, "cache.duckdb"));
  const connection = await database.connect();
  await connection.run(
    "CREATE TABLE texts AS SELECT i, sha256(i::VARCHAR) || sha256((i + 1)::VARCHAR) AS text FROM range(200000) numbers(i)",
  );
  await connection.run("CHECKPOINT");
  await connection.rows("SELECT count(*) FROM texts WHERE text LIKE '%abcdef%'");
  await database.evictCache(64 * MB);
  expect(await database.cachedBytes()).toBeGreaterThan(12 * MB);
  await database.evictCache(4 * MB);
  expect(await database.cachedBytes()).toBeLessThanOrEqual(4 * MB);
  expect(await database.cachedBytes()).toBeGreaterThan(0);
  await connection.run("CREATE TABLE rows AS SELECT i FROM range(100000) numbers(i)");
  await database.evictAll();
  expect(await database.cachedBytes()).toBe(0);
  const [row] = await connection.rows(
    "SELECT count(*)::INTEGER AS rows, sum(i)::DOUBLE AS sum, current_setting('memory_limit') AS most FROM rows",
  );
  expect(row).toEqual({ rows: 100_000, sum: 4_999_950_000, most: "256.0 MiB" });
  connection.close();
  database.close();
});

const open = (name: string, options: { readonly cacheBytes: number; readonly checkpointBytes: number }) => {
  const path = join(folder, name);
  return TraceFile.open({ path, threads: 1, memoryBytes: 2 ** 28, scratchDir: `${path}.tmp`, ...options });
};
const rows = (count: number) => [rowsOf(Array.from({ length: count }, () => traceWith()))];

describe("The file of traces", () => {
  it("lets go of all that is in memory after a checkpoint and after 500 queries, else beyond the cache's size", async () => {
    const file = await open("evicted.duckdb", { cacheBytes: 64 * MB, checkpointBytes: 1 });
    const connection = await file.connect();
    const bytesAfter = async (queries: number) => {
      await connection.rows("SELECT sum(length(output_text)) FROM traces");
      await file.evict(queries);
      return file.cachedBytes();
    };
    await file.append(rows(1024));
    await file.checkpointIfDue();
    expect(await bytesAfter(10)).toBe(0);
    expect(await bytesAfter(20)).toBeGreaterThan(0);
    expect(await bytesAfter(509)).toBeGreaterThan(0);
    expect(await bytesAfter(510)).toBe(0);
    connection.close();
    file.close();
  });

  it("removes what killed processes left outside of memory, and at the end its own", async () => {
    const scratchDir = join(folder, "scratch.duckdb.tmp");
    for (const left of [scratchDir, `${scratchDir}-0f0f`]) {
      mkdirSync(left);
      writeFileSync(join(left, "duckdb_temp_block-4611686018427388008.block"), "a prompt");
    }
    const scratch = () => readdirSync(folder).filter((name) => name.startsWith("scratch.duckdb.tmp"));
    const file = await open("scratch.duckdb", { cacheBytes: MB, checkpointBytes: 2 ** 30 });
    expect(scratch()).toEqual([]);
    await file.append(rows(3000));
    await file.evict(500);
    expect(scratch()).toHaveLength(1);
    file.close();
    expect(scratch()).toEqual([]);
  });

  it("compresses each group of rows once, and joins none", async () => {
    const file = await open("groups.duckdb", { cacheBytes: MB, checkpointBytes: 2 ** 30 });
    const batch = rows(1024);
    for (let appended = 0; appended < 3 * 7168; appended += 1024) {
      await file.append(batch);
      await file.checkpointIfDue();
    }
    const connection = await file.connect();
    const groups = await connection.rows(
      "SELECT sum(count)::INTEGER AS rows FROM pragma_storage_info('traces') " +
        "WHERE column_name = 'kind' AND segment_type <> 'VALIDITY' GROUP BY row_group_id",
    );
    connection.close();
    file.close();
    expect(groups.map(({ rows }) => rows)).toEqual([7168, 7168, 7168]);
  });
});

describe("The thread that keeps traces", () => {
  let clock: FakeClock;
  let file: TraceFile;
  let handler: RequestHandler;
  const question = { filter: { text: "no such text" }, page: { limit: 10, offset: 0 } };
  const search = () => handler.methods.ask({ name: "list", argument: question, scope: "all" }, context);
  const writesToEnd = () => handler.methods.missing({ requestIds: ["none"], fromMs: 0, toMs: 1 }, context);
  beforeEach(async () => {
    clock = new FakeClock();
    file = await open(`${randomBytes(8).toString("hex")}.duckdb`, { cacheBytes: MB, checkpointBytes: 1 });
    handler = new RequestHandler(file, clock);
    // The library may put a checkpoint off.
    await until(async () => {
      const traces = Array.from({ length: 400 }, () =>
        traceWith({ content: { input: said(randomBytes(5000).toString("hex")), output: "" } }),
      );
      await file.append([rowsOf(traces)]);
      await file.checkpointIfDue();
      await search();
      return (await file.cachedBytes()) > 2 * MB;
    });
  });
  afterEach(() => handler.close());

  it("lets go of what checkpoints and searches left in memory once nothing is asked", async () => {
    await until(async () => {
      clock.advance(10_000);
      await writesToEnd();
      return (await file.cachedBytes()) <= MB;
    });
  });

  it("lets go of all of it right after a checkpoint, while there are no rows outside the file", async () => {
    await until(async () => {
      handler.methods.collect({ batch: 1, rows: rowsOf([traceWith()]) }, context);
      await handler.methods.append(1, context);
      await writesToEnd();
      return (await file.cachedBytes()) === 0;
    });
  });

  it("searches with all of its memory while it lets go of the cache", async () => {
    for (let round = 0; round < 20; round += 1) {
      clock.advance(10_000);
      // Between those that are asked at once and those that come some steps later, some fall into the eviction.
      for (let step = 0; step < round; step += 1) await new Promise(setImmediate);
      await expect(search()).resolves.toMatchObject({ traces: [] });
    }
  });
});
