import { join } from "node:path";
import { openDuckDbStore } from "../../../src/gateway/traces/duckdb/duckdb-store.js";
import { overviewFiguresContract } from "../../contracts/overview-figures.contract.js";
import { MemoryTraceStore } from "../../fakes/trace-store.js";
import { folderForTests } from "../../support/folders.js";

const folder = folderForTests();
let opened = 0;

overviewFiguresContract("the reference in memory", {
  open: async () => new MemoryTraceStore(),
  dispose: (store) => store.close(),
});

overviewFiguresContract("the DuckDB store", {
  open: async () => {
    opened += 1;
    return openDuckDbStore(join(folder, `${opened}.duckdb`), {
      queryTimeoutMs: 30_000,
      memoryBytes: 2 ** 29,
    });
  },
  dispose: (store) => store.close(),
});
