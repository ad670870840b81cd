/** Opens the file of traces, says `holding` or why it cannot, and holds it until it is killed. */
import { openDuckDbStore } from "../../../../src/gateway/traces/duckdb/duckdb-store.js";
import { traceWith } from "../trace-for-test.js";

const [, , path = ""] = process.argv;
const store = openDuckDbStore(path, { queryTimeoutMs: 30_000, memoryBytes: 2 ** 28 });
try {
  await store.append([traceWith()]);
  process.stdout.write("holding\n");
  setInterval(() => {}, 1000);
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
}
