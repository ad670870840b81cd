/** Opens the file of traces, says `holding` or why it cannot, and holds it until it is killed. */
import { traceWith } from "../trace-for-test.js";
import { openStore } from "./database-for-test.js";

const [, , path = ""] = process.argv;
const store = openStore(path);
try {
  await store.append([traceWith()]);
  process.stdout.write("holding\n");
  setInterval(() => {}, 1000);
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
}
