import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appendRows } from "../../../bench/traces/append.js";
import { MadeUpTraces } from "../../../bench/traces/made-up-traces.js";
import { timeLookups, timeSearches } from "../../../bench/traces/search-times.js";
import { FILTERS, SEARCHES } from "../../../bench/traces/searches.js";
import { Tally } from "../../../bench/traces/tally.js";
import { makeTexts } from "../../../bench/traces/texts.js";
import { openDuckDbStore } from "../../../src/gateway/traces/duckdb/duckdb-store.js";
import type { TraceStore } from "../../../src/gateway/traces/store.js";
import { folderForTests } from "../../support/folders.js";

const ROWS = 12_000;
const tally = new Tally(FILTERS, { rows: ROWS, ids: 50 });
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

const options = {
  cases: SEARCHES,
  rounds: 3,
  expected: (filter: object) => tally.matching(filter),
  onRound: () => {},
};

describe("The searches of `bench traces`", () => {
  it("find as many traces in a real store as the reference counts, for every filter", async () => {
    const times = await timeSearches(store, options);
    expect([...times.keys()].sort()).toEqual(SEARCHES.map(({ name }) => name).sort());
    for (const measured of times.values()) expect(measured).toHaveLength(3);
  });

  it("fail the run when a total is wrong", async () => {
    const run = timeSearches(store, { ...options, expected: () => ROWS + 1 });
    await expect(run).rejects.toThrow(/of which there are 12001/);
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
