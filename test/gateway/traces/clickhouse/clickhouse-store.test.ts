import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemTimers, type Timers } from "../../../../src/foundation/timers.js";
import { openClickHouseStore } from "../../../../src/gateway/traces/clickhouse/clickhouse-store.js";
import type { ExportSelection, TraceStore } from "../../../../src/gateway/traces/store.js";
import { ManualTime } from "../../../fakes/manual-time.js";
import { type ReplyParts, reply, UpstreamServer } from "../../../fakes/upstream-server.js";

const ALL = { scope: "all" } as const;
const MEMORY_BYTES = 8 * 100_000;

let server: UpstreamServer;
let store: TraceStore;
beforeEach(async () => {
  server = await UpstreamServer.start();
});
afterEach(async () => {
  await store.close();
  await server.close();
});

/** What the false ClickHouse answers to queries; commands succeed. */
function answer(parts: (query: string, asked: number) => ReplyParts): void {
  let asked = 0;
  server.answer((exchange) => {
    const { body } = exchange.request;
    if (!/^SELECT/.test(body) || body.includes("max(version)")) return reply({ body: rows([]) })(exchange);
    return reply(parts(body, asked++))(exchange);
  });
}

const rows = (data: readonly object[]): string => JSON.stringify({ meta: [], data });

function open(timers: Timers = systemTimers): TraceStore {
  store = openClickHouseStore(server.origin, { queryTimeoutMs: 3000, memoryBytes: MEMORY_BYTES, timers });
  return store;
}

async function exported(selection: ExportSelection): Promise<readonly string[][]> {
  const batches: string[][] = [];
  for await (const batch of store.export(selection, ALL))
    batches.push(batch.map(({ requestId }) => requestId));
  return batches;
}

describe("An answer of ClickHouse that is longer than an eighth of the memory for searches", () => {
  const long = rows([{ matches: "7".repeat(200_000) }]);
  const refusal = { code: "query_timeout", message: expect.stringContaining("SEXTANT_TRACE_MEMORY_BYTES") };

  it.each<[string, ReplyParts]>([
    ["plain", { body: long }],
    ["compressed", { body: gzipSync(long), headers: { "content-encoding": "gzip" } }],
  ])("is not read, and its query is ended, while the store stays open: %s", async (_, parts) => {
    answer(() => parts);
    const page = { offset: 0, limit: 10 };
    await expect(open().ask("list", { filter: {}, page }, ALL)).rejects.toMatchObject(refusal);
    await expect(exported({ filter: {} })).rejects.toMatchObject(refusal);
    await expect.poll(() => server.requests.some(({ body }) => body.startsWith("KILL QUERY"))).toBe(true);
    expect(store.health().state).toBe("open");
  });

  it.each([{}, { most: 10 }])("is asked for in halves by an export: %j", async (selection) => {
    const ids = ["a", "b", "c", "d", "e"];
    const keyOf = (request_id: string) => ({ request_id, created_at_ms: 1 });
    const rowOf = (id: string) => ({
      ...keyOf(id),
      attempts: "[]",
      metadata_json: "{}",
      kind: id.repeat(30_000),
    });
    let days = 0;
    answer((query) => {
      if (query.includes(" AS day ")) return { body: rows(days++ === 0 ? [{ day: 0 }] : []) };
      if (query.includes("feedback")) return { body: rows([]) };
      if (!query.includes("PREWHERE")) return { body: rows(ids.map(keyOf)) };
      return { body: rows(ids.filter((id) => query.includes(`'${id}'`)).map(rowOf)) };
    });
    open();
    expect(await exported({ filter: {}, ...selection })).toEqual([
      ["a", "b", "c"],
      ["d", "e"],
    ]);
  });
});

describe("A batch of an export from ClickHouse", () => {
  it("has the time of a search, however many queries it takes", async () => {
    const time = new ManualTime();
    const eighth = new Promise<void>((resolve) => {
      answer((query, asked) => {
        if (asked === 8) resolve();
        return { body: rows(query.includes(" AS day ") ? [{ day: 1 }] : []) };
      });
    });
    open(time.timers);
    const ended = expect(exported({ filter: {} })).rejects.toMatchObject({ code: "query_timeout" });
    await eighth;
    await time.advance(3000);
    await ended;
  });
});
