/** Stores pairs of traces, says how many are stored, and waits to be killed. */
import { traceWith } from "../trace-for-test.js";
import { openStore } from "./database-for-test.js";

const [, , path = "", pairs = "", mode = ""] = process.argv;
const store = openStore(path);
for (let pair = 0; pair < Number(pairs); pair++) await store.append([traceWith(), traceWith()]);
if (mode === "closed") {
  await store.close();
} else {
  const { traces } = await store.ask("list", { filter: {}, page: { limit: 1, offset: 0 } }, { scope: "all" });
  const feedback = { score: 1, comment: null, givenAtMs: 0 };
  if (mode === "feedback") await store.keepFeedback(traces[0]?.requestId ?? "", feedback, { scope: "all" });
}
process.stdout.write("stored\n");
setInterval(() => {}, 1000);
