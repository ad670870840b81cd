/**
 * Loaded into a server by `--import`, as bench/http/loop-delay.ts is, and asked by the same signals: `max` is the longest
 * time on a processor of the main thread between two turns of its event loop, in milliseconds, to some 4 ms (the kernel
 * counts at its clock ticks). Other work on the machine does not count. Linux only.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";

const EVERY_MS = 1;

const stem = process.env.BENCH_LOOP_DELAY;
let watch: { readonly timer: NodeJS.Timeout; max: number } | undefined;

/** Of the main thread: its first figure is nanoseconds on a processor. */
const onProcessorMs = (): number => Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[0]) / 1e6;

function start(): NonNullable<typeof watch> {
  let last = onProcessorMs();
  const timer = setInterval(() => {
    const now = onProcessorMs();
    started.max = Math.max(started.max, now - last);
    last = now;
  }, EVERY_MS);
  const started = { timer, max: 0 };
  return started;
}

if (stem !== undefined) {
  const path = `${stem}.${process.pid}`;
  process.on("SIGUSR2", () => {
    if (watch === undefined) {
      watch = start();
      return;
    }
    clearInterval(watch.timer);
    writeFileSync(`${path}.part`, JSON.stringify({ p50: 0, p99: 0, max: watch.max }));
    renameSync(`${path}.part`, path);
    watch = undefined;
  });
}
