/** Writes to the store of a folder until it is killed, or once it is refused; a line for each number that it has written whole. */
import { writeSync } from "node:fs";
import { SqliteStore } from "../../../src/gateway/storage/sqlite-store.js";

const [, , dataDir = "", padding = "0"] = process.argv;
const store = new SqliteStore(dataDir);
const filling = ".".repeat(Number(padding));
for (let number = 1; ; number++) {
  try {
    await store.append("numbers", `${number}${filling}`);
    await store.update({ kind: "count", key: String(process.pid) }, () => String(number));
    store.add({ period: "2026-01", name: "all", amount: 1 });
  } catch (fault) {
    writeSync(1, `${(fault as Error).message}\n`);
    break;
  }
  writeSync(1, `${number}\n`);
}
