import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appendRows } from "../../../bench/traces/append.js";
import { MadeUpTraces } from "../../../bench/traces/made-up-traces.js";
import { timeLookups, timeSearches } from "../../../bench/traces/search-times.js";
import { SEARCHES } from "../../../bench/traces/searches.js";
import { Tally } from "../../../bench/traces/tally.js";
import { makeTexts } from "../../../bench/traces/texts.js";
import { openDuckDbStore } from "../../../src/gateway/traces/duckdb/duckdb-store.js";
import type { TraceStore } from "../../../src/gateway/traces/store.js";
import { folderForTests } from "../../support/folders.js";

const ROWS = 12_000;
const tally = new Tally({ rows: ROWS, ids: 50 });
const folder = folderForTests();
let store: TraceStore;

beforeAll(async () => {
  store = openDuckDbStore(join(folder, "traces.duckdb"), { queryTimeoutMs: 30_000, memoryBytes: 2 ** 28 });
  const texts = {
    prompts: makeTexts({ count: 128, median: 40, spread: 0.5, seed: 1 }),
    answers: makeTexts({ count: 127, median: 40, spread: 0.5, seed: 2 }),
  };
  await appendRows(store, new MadeUpTraces({ seed: 1, rows: ROWS, texts }), {
    rows: ROWS,
    folder,
    content: "stored",
    onRecorded: (trace) => tally.add(trace),
    onWritten: () => {},
  });
});
afterAll(async () => {
  await store.close();
});

describe("The searches of `bench traces`", () => {
  it("are answered by a real store, each as often as there are rounds", async () => {
    const times = await timeSearches(store, { cases: SEARCHES, rounds: 3, onRound: () => {} });
    expect([...times.keys()].sort()).toEqual(SEARCHES.map(({ name }) => name).sort());
    for (const measured of times.values()) expect(measured).toHaveLength(3);
  });

  it("look up existing ids, and fail the run when one is missing", async () => {
    expect(tally.ids.length).toBeGreaterThanOrEqual(50);
    const times = await timeLookups(store, { ids: tally.ids, present: "present" });
    expect(times).toHaveLength(tally.ids.length);
    const absent = "req_01ARZ3NDEKTSV4RRFFQ69G5FAV";
    await expect(timeLookups(store, { ids: [absent], present: "present" })).rejects.toThrow(absent);
    await expect(timeLookups(store, { ids: tally.ids, present: "absent" })).rejects.toThrow(/absent/);
  });
});
