/**
 * Loaded into a server by `--import`: measures the delay of its event loop. The first SIGUSR2 starts the measurement,
 * the second writes `{ p50, p99, max }` in milliseconds to the file BENCH_LOOP_DELAY, and so on alternately.
 * Inactive in between.
 */
import { renameSync, writeFileSync } from "node:fs";
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";

/** Milliseconds between the timers that are watched: a delay is what a timer is late beyond them. */
const RESOLUTION_MS = 1;

const path = process.env.BENCH_LOOP_DELAY;
let watch: IntervalHistogram | undefined;

/** The histogram holds whole intervals: the delay is what is over the one that was asked for. */
const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);

if (path !== undefined) {
  process.on("SIGUSR2", () => {
    if (watch === undefined) {
      watch = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      watch.enable();
      return;
    }
    watch.disable();
    const found = { p50: late(watch.percentile(50)), p99: late(watch.percentile(99)), max: late(watch.max) };
    watch = undefined;
    writeFileSync(`${path}.part`, JSON.stringify(found));
    renameSync(`${path}.part`, path);
  });
}
