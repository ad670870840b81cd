import { join } from "node:path";
import { afterAll } from "vitest";
import type { TraceStore } from "../../../../src/gateway/traces/store.js";
import { traceSeriesContract } from "../../../contracts/trace-series.contract.js";
import { type StoreUnderTest, traceStoreContract } from "../../../contracts/trace-store.contract.js";
import { folderForTests } from "../../../support/folders.js";
import { openStore } from "./database-for-test.js";

/** Later than any trace. */
const END_OF_TIME = 8.64e15;

const folder = folderForTests();
const stores: TraceStore[] = [];
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
});

function openNew(): TraceStore {
  const path = join(folder, `${stores.length}.duckdb`);
  const store = openStore(path, { memoryBytes: 2 ** 29 });
  stores.push(store);
  return store;
}

const underTest: StoreUnderTest = {
  // Emptying one costs a tenth of opening another.
  open: async () => stores.findLast((store) => store.health().ok) ?? openNew(),
  dispose: async (store) => {
    if (store.health().ok) await store.removeBefore(END_OF_TIME);
  },
};

traceSeriesContract("the DuckDB store", underTest);
// At the end it closes the store.
traceStoreContract("the DuckDB store", underTest);
