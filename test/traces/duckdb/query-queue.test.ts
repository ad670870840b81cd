import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Connection, Database } from "../../../src/traces/duckdb/database.js";
import { Cancelled, QueryQueue } from "../../../src/traces/duckdb/query-queue.js";
import { openDatabase } from "./database-for-test.js";

let folder = "";
let database: Database;
let queue: QueryQueue;
let connections = 0;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "sextant-queue-"));
  database = await openDatabase(join(folder, "a.duckdb"));
  connections = 0;
  queue = new QueryQueue(() => {
    connections += 1;
    return database.connect();
  });
});
afterEach(async () => {
  queue.cancelAll();
  await queue.pause(async () => {});
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Would run for hours. */
const endless = (connection: Connection) =>
  connection.rows(
    "SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE a.range + b.range < 0",
  );
const quick = (connection: Connection) => connection.rows("SELECT 1 AS one");

describe("The query queue", () => {
  it("answers queries one after the other, on one connection", async () => {
    const order: number[] = [];
    const ask = (request: number) =>
      queue.run(request, async (connection) => {
        order.push(request);
        await quick(connection);
        order.push(request);
      });
    await Promise.all([ask(1), ask(2), ask(3)]);
    expect(order).toEqual([1, 1, 2, 2, 3, 3]);
    expect(connections).toBe(1);
  });

  it("ends a query that is cancelled while it runs, and continues with a fresh connection", async () => {
    let running = () => {};
    const started = new Promise<void>((resolve) => {
      running = resolve;
    });
    const long = queue.run(1, async (connection) => {
      await connection.run("BEGIN");
      running();
      return endless(connection);
    });
    const next = queue.run(2, quick);
    await started;
    queue.cancel(1);
    await expect(long).rejects.toBeInstanceOf(Cancelled);
    expect(await next).toEqual([{ one: 1 }]);
    expect(connections).toBe(2);
  });

  it("ends a query that is cancelled before it has begun, at any step", async () => {
    for (let request = 0; request < 20; request++) {
      const long = queue.run(request, endless);
      for (let step = 0; step < request; step++) await new Promise((resolve) => setImmediate(resolve));
      queue.cancel(request);
      await expect(long).rejects.toBeInstanceOf(Cancelled);
    }
    expect(await queue.run(99, quick)).toEqual([{ one: 1 }]);
  });

  it("does not run a query that is cancelled while it waits", async () => {
    const long = queue.run(1, endless);
    let ran = false;
    const waiting = queue.run(2, async () => {
      ran = true;
    });
    queue.cancel(2);
    queue.cancel(1);
    queue.cancel(3);
    await expect(long).rejects.toBeInstanceOf(Cancelled);
    await expect(waiting).rejects.toBeInstanceOf(Cancelled);
    expect(ran).toBe(false);
  });

  it("passes errors on, and gives the next query a fresh connection", async () => {
    await expect(queue.run(1, (connection) => connection.rows("SELECT nothing"))).rejects.toThrow(/nothing/);
    expect(await queue.run(2, quick)).toEqual([{ one: 1 }]);
    expect(connections).toBe(2);
  });

  it("has no connection while it is paused", async () => {
    await queue.run(1, quick);
    const order: string[] = [];
    const paused = queue.pause(async () => void order.push("paused"));
    const after = queue.run(2, async () => void order.push("after"));
    await Promise.all([paused, after]);
    expect(order).toEqual(["paused", "after"]);
    expect(connections).toBe(2);
  });
});
