import { join } from "node:path";
import { overviewFiguresContract } from "../../contracts/overview-figures.contract.js";
import { folderForTests } from "../../support/folders.js";
import { openStore } from "./duckdb/database-for-test.js";

const folder = folderForTests();
let opened = 0;

overviewFiguresContract("the DuckDB store", {
  open: async () => openStore(join(folder, `${opened++}.duckdb`), { memoryBytes: 2 ** 29 }),
  dispose: (store) => store.close(),
});
