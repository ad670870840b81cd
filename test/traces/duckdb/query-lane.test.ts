import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Connection, Database, Pace } from "../../../src/traces/duckdb/database.js";
import { Abandoned, QueryLane } from "../../../src/traces/duckdb/query-lane.js";
import { openDatabase } from "./database-for-test.js";

let folder = "";
let database: Database;
let lane: QueryLane;
let connections = 0;
let pace: Pace = "at once";
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "sextant-lane-"));
  database = await openDatabase(join(folder, "a.duckdb"));
  connections = 0;
  lane = new QueryLane(() => {
    connections += 1;
    return database.connect(pace);
  });
});
afterEach(async () => {
  lane.abandonAll();
  await lane.pause(async () => {});
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Would run for hours. */
const endless = (connection: Connection) =>
  connection.rows(
    "SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE a.range + b.range < 0",
  );
const quick = (connection: Connection) => connection.rows("SELECT 1 AS one");

describe.each<Pace>(["at once", "in the background"])("a lane of queries %s", (ofLane) => {
  beforeAll(() => {
    pace = ofLane;
  });

  it("answers one after the other, on one connection", async () => {
    const order: number[] = [];
    const ask = (request: number) =>
      lane.ask(request, async (connection) => {
        order.push(request);
        await quick(connection);
        order.push(request);
      });
    await Promise.all([ask(1), ask(2), ask(3)]);
    expect(order).toEqual([1, 1, 2, 2, 3, 3]);
    expect(connections).toBe(1);
  });

  it("ends a query that is abandoned while it runs, and goes on with a fresh connection", async () => {
    let running = () => {};
    const started = new Promise<void>((resolve) => {
      running = resolve;
    });
    const long = lane.ask(1, async (connection) => {
      await connection.run("BEGIN");
      running();
      return endless(connection);
    });
    const next = lane.ask(2, quick);
    await started;
    lane.abandon(1);
    await expect(long).rejects.toBeInstanceOf(Abandoned);
    expect(await next).toEqual([{ one: 1 }]);
    expect(connections).toBe(2);
  });

  it("ends a query that is abandoned before it has begun, whichever step it is at", async () => {
    for (let request = 0; request < 20; request++) {
      const long = lane.ask(request, endless);
      for (let step = 0; step < request; step++) await new Promise((resolve) => setImmediate(resolve));
      lane.abandon(request);
      await expect(long).rejects.toBeInstanceOf(Abandoned);
    }
    expect(await lane.ask(99, quick)).toEqual([{ one: 1 }]);
  });

  it("does not run a query that is abandoned while it waits", async () => {
    const long = lane.ask(1, endless);
    let ran = false;
    const waiting = lane.ask(2, async () => {
      ran = true;
    });
    lane.abandon(2);
    lane.abandon(1);
    lane.abandon(3);
    await expect(long).rejects.toBeInstanceOf(Abandoned);
    await expect(waiting).rejects.toBeInstanceOf(Abandoned);
    expect(ran).toBe(false);
  });

  it("passes faults on, and gives the next query a fresh connection", async () => {
    await expect(lane.ask(1, (connection) => connection.rows("SELECT nothing"))).rejects.toThrow(/nothing/);
    expect(await lane.ask(2, quick)).toEqual([{ one: 1 }]);
    expect(connections).toBe(2);
  });

  it("is without a connection while it is paused", async () => {
    await lane.ask(1, quick);
    const order: string[] = [];
    const paused = lane.pause(async () => void order.push("paused"));
    const after = lane.ask(2, async () => void order.push("after"));
    await Promise.all([paused, after]);
    expect(order).toEqual(["paused", "after"]);
    expect(connections).toBe(2);
  });
});
