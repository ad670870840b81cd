/**
 * Records numbered traces until it is killed, some 2,000 a second, and tells on each line of its output when how many had been
 * recorded and stored. It works in the log, and removes old traces, as often as it can.
 */
import { writeSync } from "node:fs";
import { join } from "node:path";
import { systemTimers } from "../../../../src/foundation/timers.js";
import { openDuckDbStore } from "../../../../src/gateway/traces/duckdb/duckdb-store.js";
import { Recorder } from "../../../../src/gateway/traces/recorder.js";
import { SpillFolder } from "../../../../src/gateway/traces/spill/spill-folder.js";
import { NOON, requestIdAt, traceWith } from "../trace-for-test.js";

const [, , folder = "", from = "0", removing = ""] = process.argv;
const store = openDuckDbStore(join(folder, "traces.duckdb"), {
  queryTimeoutMs: 30_000,
  memoryBytes: 2 ** 28,
  checkpointBytes: 2 ** 20,
});
const ignore = () => {};
const recorder = new Recorder({
  store,
  spill: SpillFolder.find(join(folder, "spill"), {
    maxBytes: 2 ** 30,
    segmentBytes: 2 ** 16,
    processId: process.pid,
    startedAtMs: Date.now(),
    isAlive: () => false,
  }),
  content: "stored",
  flushMs: 100,
  bufferTraces: 100_000,
  bufferBytes: 2 ** 30,
  maxTextCharacters: 1_000_000,
  timers: systemTimers,
  log: { info: ignore, warn: ignore, error: ignore },
});

let number = Number(from);
await store.append([traceWith({ createdAtMs: NOON - 1, metadata: { n: -1 } })]);

setInterval(() => {
  for (let count = 0; count < 20; count++) {
    const text = `${Math.random()} `.repeat(25);
    // Counted on from life to life, as request ids are never the same.
    const requestId = requestIdAt(NOON, number + 1_000_000);
    recorder.record(
      traceWith({ requestId, metadata: { n: number }, content: { input: text, output: text } }),
    );
    number += 1;
  }
  const { written, spilled } = recorder.stats();
  writeSync(1, `${JSON.stringify({ atMs: performance.now(), recorded: number, written, spilled })}\n`);
}, 10);

while (removing !== "") {
  // One old trace each time, so that the file is written anew each time.
  await store.append([traceWith({ createdAtMs: NOON - 1, metadata: { n: -1 } })]);
  await store.removeBefore(NOON);
}
