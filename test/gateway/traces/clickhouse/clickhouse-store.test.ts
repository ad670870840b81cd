import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Timers } from "../../../../src/foundation/timers.js";
import { openClickHouseStore } from "../../../../src/gateway/traces/clickhouse/clickhouse-store.js";
import type { ExportSelection, TraceStore } from "../../../../src/gateway/traces/store.js";
import { ManualTime } from "../../../fakes/manual-time.js";

const ALL = { scope: "all" } as const;
const MEMORY_BYTES = 8 * 100_000;

type Reply = readonly object[] | "too long" | "none";

let server: Server;
let store: TraceStore;
let replyTo: (query: string, asked: number) => Reply;
let limits: string[];
beforeEach(async () => {
  let asked = 0;
  limits = [];
  server = createServer(async (question, answer) => {
    const query = await text(question);
    if (!query.startsWith("SELECT")) return void answer.end();
    if (query.includes("max(version)")) return void answer.end(JSON.stringify({ meta: [], data: [] }));
    limits.push(new URL(question.url ?? "", "http://server").searchParams.get("max_result_bytes") ?? "");
    const reply = replyTo(query, asked++);
    if (reply === "none") return;
    if (reply === "too long")
      answer.writeHead(500).end("Code: 396. DB::Exception: Too long. (TOO_MANY_BYTES)");
    else answer.end(JSON.stringify({ meta: [], data: reply }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  await store.close();
  server.close();
  server.closeAllConnections();
});

/** By default a time that stands still: no query takes too long, however slow the machine is. */
function open(timers: Timers = new ManualTime().timers): TraceStore {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  store = openClickHouseStore(url, { queryTimeoutMs: 3000, memoryBytes: MEMORY_BYTES, timers });
  return store;
}

async function exported(selection: ExportSelection): Promise<readonly string[][]> {
  const batches: string[][] = [];
  for await (const batch of store.export(selection, ALL))
    batches.push(batch.map(({ requestId }) => requestId));
  return batches;
}

const keyOf = (request_id: string) => ({ request_id, created_at_ms: 1 });

describe("An answer of ClickHouse that is longer than an eighth of the memory for searches", () => {
  const refusal = { code: "query_timeout", message: expect.stringContaining("SEXTANT_TRACE_MEMORY_BYTES") };

  it("is refused by the server, as it is asked to, while the store stays open", async () => {
    replyTo = () => "too long";
    const page = { offset: 0, limit: 10 };
    await expect(open().ask("list", { filter: {}, page }, ALL)).rejects.toMatchObject(refusal);
    await expect(exported({ filter: {} })).rejects.toMatchObject(refusal);
    expect(new Set(limits)).toEqual(new Set([String(MEMORY_BYTES / 8)]));
    expect(store.health().state).toBe("open");
  });

  it.each([{}, { most: 10 }])("is asked for in halves by an export: %j", async (selection) => {
    const ids = ["a", "b", "c", "d", "e"];
    const rowOf = (id: string) => ({ ...keyOf(id), attempts: "[]", metadata_json: "{}" });
    replyTo = (query) => {
      if (query.includes("feedback")) return [];
      if (!query.includes("PREWHERE")) return ids.map(keyOf);
      const wanted = ids.filter((id) => query.includes(`'${id}'`));
      return wanted.length > 3 ? "too long" : wanted.map(rowOf);
    };
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
    const third = new Promise<void>((resolve) => {
      replyTo = (query, asked) => {
        if (!query.includes("PREWHERE")) return ["a", "b", "c", "d"].map(keyOf);
        if (asked < 2) return "too long";
        resolve();
        return "none";
      };
    });
    open(time.timers);
    const ended = expect(exported({ filter: {} })).rejects.toMatchObject({ code: "query_timeout" });
    await third;
    await time.advance(3000);
    await ended;
  });
});
