/**
 * Records traces in a folder where no file can grow beyond a limit, lifts the limit, and writes down what happened. Run under
 * `ulimit -S -f`.
 */
import { execFileSync } from "node:child_process";
import { writeSync } from "node:fs";
import { join } from "node:path";
import { recorderOf, spillIn } from "../recorder-for-test.js";
import { said, traceWith } from "../trace-for-test.js";
import { until } from "../until.js";
import { openStore } from "./database-for-test.js";

const [, , folder = ""] = process.argv;
const store = openStore(join(folder, "traces.duckdb"), { checkpointBytes: 2 ** 20 });
const list = () => store.ask("list", { filter: {}, page: { limit: 1, offset: 0 } }, { scope: "all" });
const batch = () =>
  Array.from({ length: 100 }, (_, at) =>
    traceWith({
      content: { input: said(`${Math.random()} `.repeat(80)), output: `${at}${Math.random()}`.repeat(40) },
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

const spill = spillIn(folder, { segmentBytes: 2 ** 20, startedAtMs: Date.now() });
const recorder = recorderOf({ store, spill, flushMs: 20 });
for (let round = 0; round < 30; round++) {
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
