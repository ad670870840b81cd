import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Connection, Database } from "../../../../src/gateway/traces/duckdb/database.js";
import { QueryQueue } from "../../../../src/gateway/traces/duckdb/query-queue.js";
import { folderForTest } from "../../../support/folders.js";
import { openDatabase } from "./database-for-test.js";

let database: Database;
let queue: QueryQueue;
let connections = 0;
beforeEach(async () => {
  database = await openDatabase(join(folderForTest(), "a.duckdb"));
  connections = 0;
  queue = new QueryQueue(() => {
    connections += 1;
    return database.connect();
  });
});
afterEach(async () => {
  await queue.pause(async () => {});
  database.close();
});

/** Would run for hours. */
const endless = (connection: Connection) =>
  connection.rows(
    "SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE a.range + b.range < 0",
  );
const { signal } = new AbortController();
const GONE = new Error("gone");
const quick = (connection: Connection) => connection.rows("SELECT 1 AS one");

describe("The query queue", () => {
  it("ends a query that is aborted while it runs, and continues with a fresh connection", async () => {
    let running = () => {};
    const started = new Promise<void>((resolve) => {
      running = resolve;
    });
    const abort = new AbortController();
    const long = queue.run(async (connection) => {
      await connection.run("BEGIN");
      running();
      return endless(connection);
    }, abort.signal);
    const next = queue.run(quick, signal);
    await started;
    abort.abort(GONE);
    await expect(long).rejects.toBe(GONE);
    expect(await next).toEqual([{ one: 1 }]);
    expect(connections).toBe(2);
  });

  it("ends a query that is aborted before it has begun, at any step", async () => {
    for (let steps = 0; steps < 20; steps++) {
      const abort = new AbortController();
      const long = queue.run(endless, abort.signal);
      for (let step = 0; step < steps; step++) await new Promise((resolve) => setImmediate(resolve));
      abort.abort(GONE);
      await expect(long).rejects.toBe(GONE);
    }
    expect(await queue.run(quick, signal)).toEqual([{ one: 1 }]);
  });

  it("does not run a query that is aborted while it waits", async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const long = queue.run(endless, first.signal);
    let ran = false;
    const waiting = queue.run(async () => {
      ran = true;
    }, second.signal);
    second.abort(GONE);
    first.abort(GONE);
    await expect(long).rejects.toBe(GONE);
    await expect(waiting).rejects.toBe(GONE);
    expect(ran).toBe(false);
  });

  it("passes errors on, and gives the next query a fresh connection", async () => {
    await expect(queue.run((connection) => connection.rows("SELECT nothing"), signal)).rejects.toThrow(
      /nothing/,
    );
    expect(await queue.run(quick, signal)).toEqual([{ one: 1 }]);
    expect(connections).toBe(2);
  });

  it("has no connection while it is paused", async () => {
    await queue.run(quick, signal);
    const order: string[] = [];
    const paused = queue.pause(async () => void order.push("paused"));
    const after = queue.run(async () => void order.push("after"), signal);
    await Promise.all([paused, after]);
    expect(order).toEqual(["paused", "after"]);
    expect(connections).toBe(2);
  });
});
