import { join } from "node:path";
import { systemTimers } from "../../src/timers.js";
import { Recorder } from "../../src/traces/recorder.js";
import { SpillFolder } from "../../src/traces/spill/spill-folder.js";
import type { TraceStore } from "../../src/traces/store.js";
import type { Trace } from "../../src/traces/trace.js";
import type { Step } from "./statistics.js";

/** Traces that wait for the store at most: enough that it never waits for them. */
const AHEAD = 8192;
/** Traces made in one go, so that handing over others goes on in between. */
const SLICE = 64;
/** Longer than any pause of a store, so that nothing goes around it. */
const PATIENCE_MS = 600_000;

export interface AppendOptions {
  readonly rows: number;
  /** Where the recorder would put what the store does not take. */
  readonly folder: string;
  readonly onRecorded: (trace: Trace) => void;
  readonly onWritten: (rows: number) => void;
}

/**
 * Has that many traces written as fast as the store takes them, by the recorder of the gateway: in groups as it forms them,
 * one at a time. The next are made meanwhile.
 *
 * @returns when how many had been written
 * @throws Error when the store refuses any
 */
export async function appendRows(
  store: TraceStore,
  source: { next(): Trace },
  { rows, folder, onRecorded, onWritten }: AppendOptions,
): Promise<Step[]> {
  const steps: Step[] = [];
  let wake = () => {};
  const started = performance.now();
  const watched = {
    append: async (traces: readonly Trace[]) => {
      try {
        await store.append(traces);
        steps.push({ atMs: performance.now() - started, rows: traces.length });
        onWritten(traces.length);
      } finally {
        wake();
      }
    },
    appendMissing: (traces: readonly Trace[]) => store.appendMissing(traces),
  };
  const faults: string[] = [];
  const note = ({ reason }: Readonly<Record<string, unknown>>) => void faults.push(String(reason));
  const recorder = new Recorder({
    store: watched,
    spill: SpillFolder.find(join(folder, "bench-spill"), {
      maxBytes: 0,
      processId: process.pid,
      startedAtMs: Date.now(),
      isAlive: () => true,
    }),
    content: "stored",
    flushMs: PATIENCE_MS,
    bufferTraces: 4 * AHEAD,
    bufferBytes: 2 ** 30,
    timers: systemTimers,
    log: { info: () => {}, warn: note, error: note },
  });
  for (let made = 0; made < rows; ) {
    if (recorder.stats().buffered >= AHEAD) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    for (const end = Math.min(rows, made + SLICE); made < end; made++) {
      const trace = source.next();
      onRecorded(trace);
      recorder.record(trace);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  await recorder.close(PATIENCE_MS);
  const { written, dropped } = recorder.stats();
  if (written !== rows || dropped > 0) {
    throw new Error(
      `only ${written} of ${rows} traces were written: ${faults[0] ?? "for an unknown reason"}`,
    );
  }
  return steps;
}
