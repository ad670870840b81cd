/**
 * Loaded into a gateway before it starts (`node --import`): answers every message with the event loop delay since the
 * last one.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";

/** Milliseconds beyond the expected interval of one millisecond. */
export interface Lag {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
}

const EVERY_MS = 1;

const delays = monitorEventLoopDelay({ resolution: EVERY_MS });
delays.enable();

/** The library measures from turn to turn: what is more than was asked for is the delay. */
const delay = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - EVERY_MS);

process.on("message", () => {
  const lag: Lag = {
    p50Ms: delay(delays.percentile(50)),
    p99Ms: delay(delays.percentile(99)),
    mostMs: delay(delays.max),
  };
  delays.reset();
  process.send?.(lag);
});
// Does not keep a stopping gateway alive.
process.channel?.unref();
