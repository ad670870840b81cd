import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type ClickHouseStoreOptions,
  openClickHouseStore,
} from "../../src/gateway/traces/clickhouse/clickhouse-store.js";
import { addressOf, ClickHouseClient } from "../../src/gateway/traces/clickhouse/client.js";
import { SCHEMA_VERSION } from "../../src/gateway/traces/clickhouse/schema.js";
import { sql } from "../../src/gateway/traces/clickhouse/sql.js";
import type { TraceFilter, TraceStore } from "../../src/gateway/traces/store.js";
import type { Trace } from "../../src/gateway/traces/trace.js";
import { sampleSet } from "../e2e/sample-set.js";
import { startWholeGateway, traceOf } from "../e2e/whole-gateway.js";
import { NOON, said, traceWith } from "../gateway/traces/trace-for-test.js";
import { ClickHouseProxy } from "./clickhouse-proxy.js";
import { ClickHouseServer, PASSWORD, PATIENT } from "./clickhouse-server.js";

const ALL = { scope: "all" } as const;
const FIRST = { limit: 1000, offset: 0 };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let server: ClickHouseServer;
beforeAll(async () => {
  server = await ClickHouseServer.start();
});
afterAll(() => server.stop());

const opened: TraceStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

function open(url: string, options: Partial<ClickHouseStoreOptions> = {}): TraceStore {
  const store = openClickHouseStore(url, { ...PATIENT, ...options });
  opened.push(store);
  return store;
}

const isDown = (state: string | RegExp = /./) =>
  expect.objectContaining({ code: "store_down", message: expect.stringMatching(state) });
const idsIn = async (store: TraceStore): Promise<string[]> =>
  (await store.ask("list", { filter: {}, page: FIRST }, ALL)).traces.map(({ requestId }) => requestId);
const countIn = async (store: TraceStore, filter: TraceFilter = {}): Promise<number> =>
  (await store.ask("list", { filter, page: { limit: 1, offset: 0 } }, ALL)).total;
const idsOf = (traces: readonly { readonly requestId: string }[]): string[] =>
  traces.map(({ requestId }) => requestId);

describe("Several gateways on one ClickHouse server", () => {
  it("can create the tables concurrently, and read each other's traces", async () => {
    const stores = Array.from({ length: 8 }, () => open(server.url("fleet")));
    const traces = stores.map((_, at) => traceWith({ createdAtMs: NOON + at }));
    await Promise.all(stores.map((store, at) => store.append(traces.slice(at, at + 1))));
    for (const store of stores) {
      expect(await idsIn(store)).toEqual(idsOf(traces).reverse());
      expect(store.health()).toEqual({ ok: true, state: "open" });
    }
    expect(await server.ask("SELECT max(version) FROM fleet.sextant_schema")).toBe(`${SCHEMA_VERSION}`);
  });

  it("refuse tables of another version, saying so", async () => {
    await open(server.url("newer")).append([traceWith()]);
    await server.ask("INSERT INTO newer.sextant_schema VALUES (99, now())");
    const store = open(server.url("newer"));
    const reason = `another layout \\(version 99; this Sextant reads version ${SCHEMA_VERSION}\\)`;
    await expect(store.append([traceWith()])).rejects.toEqual(isDown(new RegExp(reason)));
    expect(store.health().ok).toBe(false);
  });

  it("keep their traces apart from those in other databases", async () => {
    const [one, other] = [open(server.url("one")), open(server.url("an other`'s"))];
    await one.append([traceWith()]);
    expect([await countIn(one), await countIn(other)]).toEqual([1, 0]);
  });
});

it("Two gateways on one ClickHouse find each other's traces, including content and metadata", async () => {
  const environment = {
    SEXTANT_SANDBOX: "true",
    SEXTANT_TRACE_STORE: "clickhouse",
    SEXTANT_CLICKHOUSE_URL: server.url("gateways"),
    SEXTANT_PROFILES: sampleSet(),
  };
  const [one, other] = [await startWholeGateway(environment), await startWholeGateway(environment)];
  const body = {
    model: "sandbox/gpt-4o-mini",
    metadata: { ticket: "T-8" },
    messages: [{ role: "user", content: "a prompt that can be found" }],
  };
  const { status, requestId } = await one.call("/v1/chat/completions", { body });
  expect(status).toBe(200);
  const found = async () =>
    (await other.call("/v1/traces?metadata.ticket=T-8&q=can%20be%20found")).json().traces;
  await expect.poll(found).toMatchObject([{ request_id: requestId }]);
  expect(await traceOf(other.call, requestId)).toMatchObject({
    input_text: "a prompt that can be found",
    metadata: { ticket: "T-8" },
  });
  await Promise.all([one.stop(), other.stop()]);
});

describe("A page of traces in ClickHouse", () => {
  it("is correct at any depth on days with many traces and on the days around them", async () => {
    const times = [
      ...Array.from({ length: 3000 }, (_, at) => NOON - DAY_MS + at),
      // Some milliseconds have several, in both directions of a minute's end.
      ...Array.from({ length: 52_000 }, (_, at) => NOON + Math.floor(at / 3) * 30),
      ...Array.from({ length: 3000 }, (_, at) => NOON + 3 * DAY_MS + at),
    ];
    const traces = times.map((createdAtMs) => traceWith({ createdAtMs, content: null, usage: null }));
    await open(server.url("deep")).append(traces);
    const expected = idsOf(traces).reverse();
    const crowded = { startMs: NOON, endMs: NOON + DAY_MS };
    const store = open(server.url("deep"));
    const pageAt = (offset: number, filter: TraceFilter = {}) =>
      store.ask("list", { filter, page: { limit: 100, offset } }, ALL);
    for (const offset of [0, 2999, 3000, 20_000, 54_950, 54_999, 55_000, 57_999, 58_000]) {
      const { traces: page, total, hasMore } = await pageAt(offset);
      expect(idsOf(page), `offset ${offset}`).toEqual(expected.slice(offset, offset + 100));
      expect({ total, hasMore }).toEqual({ total: 58_000, hasMore: offset + 100 < 58_000 });
    }
    for (const offset of [0, 51_950, 52_000]) {
      const { traces: page, total } = await pageAt(offset, crowded);
      const inDay = expected.slice(3000, 55_000).slice(offset, offset + 100);
      expect(idsOf(page), `offset ${offset}`).toEqual(inDay);
      expect(total).toBe(52_000);
    }
  });

  it("agrees with its total while others append", async () => {
    const [writer, reader] = [open(server.url("busy")), open(server.url("busy"))];
    let isOver = false;
    const writing = (async () => {
      for (let at = 0; !isOver; at++) {
        await writer.append([traceWith({ createdAtMs: NOON + at }), traceWith({ createdAtMs: NOON + at })]);
      }
    })();
    await expect.poll(() => countIn(reader)).toBeGreaterThan(0);
    for (let looks = 0; looks < 15; looks++) {
      const { traces, total, hasMore } = await reader.ask("list", { filter: {}, page: FIRST }, ALL);
      expect(total).toBe(traces.length);
      expect(hasMore).toBe(false);
      const page = await reader.ask("list", { filter: {}, page: { limit: 5, offset: 3 } }, ALL);
      expect(page.hasMore).toBe(page.total > 3 + page.traces.length);
      expect(page.total % 2).toBe(0);
    }
    isOver = true;
    await writing;
  });
});

describe("A ClickHouse server that dies or hangs", () => {
  let own: ClickHouseServer;
  beforeAll(async () => {
    own = await ClickHouseServer.start();
  });
  afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));
  afterAll(() => own.stop());

  it("under load has every trace whose append resolved exactly once; other appends reject with store_down", async () => {
    const store = open(own.url("load"));
    const [kept, unsure]: [Trace[], Trace[]] = [[], []];
    let isOver = false;
    const write = async () => {
      while (!isOver) {
        const batch = Array.from({ length: 20 }, () => traceWith({ createdAtMs: NOON + kept.length }));
        await store.append(batch).then(
          () => kept.push(...batch),
          (error) => {
            expect(error).toEqual(isDown(/cannot be reached/));
            unsure.push(...batch);
          },
        );
      }
    };
    const writers = [write(), write(), write()];
    await expect.poll(() => kept.length).toBeGreaterThan(200);
    await own.kill();
    await expect.poll(() => unsure.length).toBeGreaterThan(0);
    await expect.poll(() => store.health()).toMatchObject({ ok: false });
    await expect(store.ask("list", { filter: {}, page: FIRST }, ALL)).rejects.toEqual(isDown());
    const before = kept.length;
    await own.start();
    await expect.poll(() => kept.length).toBeGreaterThan(before + 200);
    isOver = true;
    await Promise.all(writers);
    expect(store.health()).toEqual({ ok: true, state: "open" });
    await store.appendMissing(unsure);
    const stored = await own.ask("SELECT request_id FROM load.sextant_traces ORDER BY request_id");
    expect(stored.split("\n")).toEqual(idsOf([...kept, ...unsure]).sort());
  });

  it("is detected as available without a request, may be down at the start of the gateway, and may come back empty", async () => {
    const store = open(own.url("quiet"));
    await store.append([traceWith()]);
    await own.kill();
    await expect(store.ask("find", "x", ALL)).rejects.toEqual(isDown());
    expect(store.health()).toMatchObject({ ok: false, state: "cannot be reached (ECONNREFUSED)" });
    const late = open(own.url("late"));
    await expect(late.append([traceWith()])).rejects.toEqual(isDown());
    await own.start();
    await expect.poll(() => store.health()).toEqual({ ok: true, state: "open" });
    await late.append([traceWith()]);
    await own.ask("DROP DATABASE late");
    await expect(late.append([traceWith()])).rejects.toEqual(isDown());
    await late.append([traceWith()]);
    expect(await countIn(late)).toBe(1);
  });

  it("times out, is probed, and is used again; nothing is stored twice", async () => {
    const [first, second] = [traceWith(), traceWith()];
    await open(own.url("still")).append([first]);
    const store = open(own.url("still"), { queryTimeoutMs: 3000, insertTimeoutMs: 3000 });
    await expect.poll(() => countIn(store).catch(() => 0)).toBe(1);
    own.freeze();
    await expect(store.append([second])).rejects.toEqual(isDown(/did not answer within 3000 ms/));
    await expect(store.ask("list", { filter: {}, page: FIRST }, ALL)).rejects.toMatchObject({
      code: "query_timeout",
    });
    await expect.poll(() => store.health()).toMatchObject({ ok: false });
    own.thaw();
    await expect.poll(() => store.health()).toEqual({ ok: true, state: "open" });
    await open(own.url("still")).appendMissing([first, second]);
    const stored = await own.ask("SELECT request_id FROM still.sextant_traces ORDER BY request_id");
    expect(stored.split("\n")).toEqual(idsOf([first, second]));
  });
});

it.each([
  ["after the answer", "broken"],
  ["before the question", "unheard"],
] as const)("An insert whose connection breaks %s stores its rows once", async (moment, database) => {
  const proxy = await ClickHouseProxy.start(server.url(database));
  try {
    const store = open(proxy.url);
    await store.append([traceWith()]);
    proxy.breakNext(moment);
    await store.append([traceWith({ createdAtMs: NOON + 1 }), traceWith({ createdAtMs: NOON + 2 })]);
    // Copies would be merged away sooner or later, so it is the inserts that show whether there were any.
    expect(proxy).toMatchObject({ broken: 1, inserts: 2 });
    const stored = `SELECT count(), uniqExact(request_id) FROM ${database}.sextant_traces`;
    expect(await server.ask(stored)).toBe("3\t3");
  } finally {
    await proxy.stop();
  }
});

describe("A cancelled ClickHouse query", () => {
  const running = () => server.ask("SELECT count() FROM system.processes WHERE query LIKE '%never_ends%'");
  const endless = sql`SELECT count() AS never_ends FROM system.numbers`;

  it("ends on the server too, when it is aborted or times out", async () => {
    const client = new ClickHouseClient(addressOf(server.url("default")), PATIENT);
    const controller = new AbortController();
    const asking = client.query(endless, { timeoutMs: 20_000, signal: controller.signal });
    // Its own look is among the processes.
    await expect.poll(running).toBe("2");
    controller.abort(new Error("gone"));
    await expect(asking).rejects.toThrow("gone");
    await expect.poll(running).toBe("1");
    await expect(client.query(endless, { timeoutMs: 100 })).rejects.toThrow("did not answer within 100 ms");
    await client.close();
    expect(await running()).toBe("1");
  });

  it("has a time limit on the server, in case this process dies", async () => {
    const client = new ClickHouseClient(addressOf(server.url("default")), PATIENT);
    const asked = sql`SELECT value FROM system.settings WHERE name = 'max_execution_time'`;
    expect((await client.query(asked, { timeoutMs: 20_000 })).rows).toEqual([{ value: "21" }]);
  });

  it("is refused an answer that is longer than may be read, and the server stays in use", async () => {
    const client = new ClickHouseClient(addressOf(server.url("default")), {
      ...PATIENT,
      maxAnswerBytes: 1e5,
    });
    const numbers = (most: number) =>
      client.query(sql`SELECT number FROM system.numbers LIMIT ${most}`, { timeoutMs: 20_000 });
    await expect(numbers(1e6)).rejects.toMatchObject({ code: 396, isAboutTheQuery: true });
    expect((await numbers(1e3)).rows).toHaveLength(1000);
  });

  it("is read-only", async () => {
    const client = new ClickHouseClient(addressOf(server.url("default")), PATIENT);
    await expect(client.query(sql`CREATE DATABASE injected`, { timeoutMs: 20_000 })).rejects.toThrow();
    expect(await server.ask("SELECT count() FROM system.databases WHERE name = 'injected'")).toBe("0");
  });
});

describe("Removing traces from ClickHouse", () => {
  it("drops whole months and rewrites only the month of the cut-off", async () => {
    const store = open(server.url("months"));
    const moments = ["2019-07-01", "2025-12-31T23:59:59.999Z", "2026-01-01", "2026-01-20", "2026-02-01"];
    const traces = moments.map((moment) => traceWith({ createdAtMs: Date.parse(moment) }));
    await store.append(traces);
    const parts = () =>
      server.ask(
        "SELECT DISTINCT partition FROM system.parts WHERE database = 'months' AND table = 'sextant_traces' " +
          "AND active ORDER BY partition",
      );
    expect(await parts()).toBe("201907\n202512\n202601\n202602");
    expect(await store.removeBefore(Date.parse("2026-01-20T00:00:00Z"))).toBe(3);
    expect(await idsIn(store)).toEqual(idsOf(traces.slice(3)).reverse());
    expect(await parts()).toBe("202601\n202602");
    expect(await store.removeBefore(Date.parse("2026-02-01T00:00:00Z"))).toBe(1);
    expect(await parts()).toBe("202602");
    const mutations = "SELECT count() FROM system.mutations WHERE database = 'months'";
    expect(await server.ask(mutations)).toBe("1");
  });
});

it("A full batch of the recorder is a single insert, because each insert has a high fixed cost", async () => {
  const proxy = await ClickHouseProxy.start(server.url("batches"));
  try {
    const store = open(proxy.url);
    await store.append(Array.from({ length: 2048 }, (_, at) => traceWith({ createdAtMs: NOON + at })));
    expect(proxy.inserts).toBe(1);
  } finally {
    await proxy.stop();
  }
});

describe("Traces removed from ClickHouse", () => {
  it("are no longer in the server's files after its clean-up, and others remain", async () => {
    const store = open(server.url("gone"));
    const traces = ["2025-12-05", "2026-01-10", "2026-01-20"].map((day, at) =>
      traceWith({ createdAtMs: Date.parse(day), content: { input: said(MARKERS[at] ?? ""), output: "" } }),
    );
    await store.append(traces);
    const areOnDisk = () => MARKERS.map((marker) => isOnDisk(server.folderOf("gone"), marker));
    expect(areOnDisk()).toEqual([true, true, true]);
    expect(await store.removeBefore(Date.parse("2026-01-15"))).toBe(2);
    await expect.poll(areOnDisk).toEqual([false, false, true]);
    expect(await idsIn(store)).toEqual(idsOf(traces.slice(2)));
  });
});

/** Too unlike each other to be shortened by compression. */
const MARKERS = ["k7Qz0vXw2LpR9sTb", "m4JdHc8YnUe1GfAo", "Zi5WqB3xPyKr6VtN"];

/** Whether any file below has the text in it. */
function isOnDisk(folder: string, text: string): boolean {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).some((name) => {
    try {
      const file = join(folder, name);
      return statSync(file).isFile() && readFileSync(file).includes(text);
    } catch {
      // The server has just deleted it.
      return false;
    }
  });
}

describe("Error messages of the ClickHouse store", () => {
  const MARKER = "zebra-crossing-at-midnight";

  it("contain neither password nor address", async () => {
    const wrong = server.url("guarded", "guarded").replace(encodeURIComponent(PASSWORD), "wrong-password");
    const store = open(wrong);
    await expect(store.append([traceWith()])).rejects.toEqual(isDown(/refuses the user/));
    const error = await store.ask("find", "x", ALL).catch((thrown) => thrown);
    const said = [store.health().state, ...chainOf(error)].join("\n");
    for (const secret of ["wrong-password", "127.0.0.1", "Basic"]) expect(said).not.toContain(secret);
    const right = open(server.url("guarded", "guarded"));
    await right.append([traceWith()]);
    expect(await countIn(right)).toBe(1);
  });

  it("contain neither search texts nor stored texts", async () => {
    const store = open(server.url("said"));
    await store.append([traceWith({ content: { input: said(MARKER), output: "" } })]);
    await server.ask("DROP TABLE said.sextant_traces");
    const listing = store.ask("list", { filter: { text: MARKER, model: MARKER }, page: FIRST }, ALL);
    const errors = [
      await listing.catch((thrown) => thrown),
      await store.append([traceWith({ model: MARKER })]).catch((thrown) => thrown),
    ];
    expect(errors[0]).toEqual(isDown(/reports error 60/));
    expect(errors.flatMap(chainOf).join("\n")).not.toContain(MARKER);
  });

  it("name a user without write permission, and a server of another kind at the address", async () => {
    const reader = open(server.url("forbidden", "reader"));
    await expect(reader.append([traceWith()])).rejects.toEqual(
      isDown(/reports error \d+: it refuses the user/),
    );
    const elsewhere = await ClickHouseProxy.start(server.url("x"));
    elsewhere.answerAlways(404, "<html>nothing here</html>");
    try {
      await expect(open(elsewhere.url).append([traceWith()])).rejects.toEqual(
        isDown(/answers as something else would. Check SEXTANT_CLICKHOUSE_URL/),
      );
    } finally {
      await elsewhere.stop();
    }
  });
});

/** All that an error and its causes would show in a log. */
function chainOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  return [error.message, error.stack ?? "", JSON.stringify(error), ...chainOf(error.cause)];
}
