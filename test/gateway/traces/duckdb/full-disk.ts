/**
 * Records traces in a folder where no file can grow beyond a limit, lifts the limit, and writes down what happened. Run under
 * `ulimit -S -f`.
 */
import { execFileSync } from "node:child_process";
import { writeSync } from "node:fs";
import { join } from "node:path";
import { systemTimers } from "../../../../src/foundation/timers.js";
import { openDuckDbStore } from "../../../../src/gateway/traces/duckdb/duckdb-store.js";
import { Recorder } from "../../../../src/gateway/traces/recorder.js";
import { SpillFolder } from "../../../../src/gateway/traces/spill/spill-folder.js";
import { traceWith } from "../trace-for-test.js";
import { until } from "../until.js";

const [, , folder = ""] = process.argv;
const store = openDuckDbStore(join(folder, "traces.duckdb"), {
  queryTimeoutMs: 30_000,
  memoryBytes: 2 ** 28,
  checkpointBytes: 2 ** 20,
});
const list = () => store.ask("list", { filter: {}, page: { limit: 1, offset: 0 } }, { scope: "all" });
const batch = () =>
  Array.from({ length: 100 }, (_, at) =>
    traceWith({
      content: { input: `${Math.random()} `.repeat(80), output: `${at}${Math.random()}`.repeat(40) },
    }),
  );

let acknowledged = 0;
let refused = "";
while (refused === "" && acknowledged < 100_000) {
  await store.append(batch()).then(
    () => {
      acknowledged += 100;
    },
    (error: Error) => {
      refused = error.message;
    },
  );
}
// A file that was full while its log was worked in is opened again, which takes a moment.
let foundWhileFull = -1;
while (foundWhileFull < 0) {
  foundWhileFull = await list().then(
    ({ total }) => total,
    () => -1,
  );
}

const report = () => {};
const recorder = new Recorder({
  store,
  spill: SpillFolder.find(join(folder, "spill"), {
    maxBytes: 2 ** 30,
    segmentBytes: 2 ** 20,
    processId: process.pid,
    startedAtMs: Date.now(),
    isAlive: () => true,
  }),
  content: "stored",
  flushMs: 20,
  bufferTraces: 100_000,
  bufferBytes: 2 ** 30,
  maxTextCharacters: 1_000_000,
  timers: systemTimers,
  log: { info: report, warn: report, error: report },
});
for (let round = 0; round < 60; round++) {
  for (const trace of batch()) recorder.record(trace);
  await until(() => recorder.stats().buffered === 0);
}
execFileSync("prlimit", ["--pid", String(process.pid), "--fsize=unlimited:unlimited"]);
await until(() => recorder.stats().spillBytes === 0 && recorder.stats().buffered === 0);
const { recorded, dropped } = recorder.stats();
const foundAfterwards = (await list()).total - acknowledged;
await recorder.close(1000);
await store.close();
writeSync(1, JSON.stringify({ acknowledged, refused, foundWhileFull, recorded, dropped, foundAfterwards }));
