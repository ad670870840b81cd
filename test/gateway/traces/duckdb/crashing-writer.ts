/**
 * Records numbered traces until it is killed, some 2,000 a second, and tells on each line of its output how many had been
 * recorded and stored. It works in the log, and removes old traces, as often as it can.
 */
import { writeSync } from "node:fs";
import { join } from "node:path";
import { recorderOf, spillIn } from "../recorder-for-test.js";
import { NOON, requestIdAt, said, traceWith } from "../trace-for-test.js";
import { openStore } from "./database-for-test.js";

const [, , folder = "", from = "0", removing = ""] = process.argv;
const store = openStore(join(folder, "traces.duckdb"), { checkpointBytes: 2 ** 20 });
const spill = spillIn(folder, { segmentBytes: 2 ** 16, startedAtMs: Date.now() });
const recorder = recorderOf({ store, spill });

let number = Number(from);
await store.append([traceWith({ createdAtMs: NOON - 1, metadata: { n: -1 } })]);

setInterval(() => {
  for (let count = 0; count < 20; count++) {
    const text = `${Math.random()} `.repeat(25);
    // Counted on from life to life, as request ids are never the same.
    const requestId = requestIdAt(NOON, number + 1_000_000);
    recorder.record(
      traceWith({ requestId, metadata: { n: number }, content: { input: said(text), output: text } }),
    );
    number += 1;
  }
  const { written } = recorder.stats();
  writeSync(1, `${JSON.stringify({ recorded: number, written })}\n`);
}, 10);

while (removing !== "") {
  // One old trace each time, so that the file is written anew each time.
  await store.append([traceWith({ createdAtMs: NOON - 1, metadata: { n: -1 } })]);
  await store.removeBefore(NOON);
}
