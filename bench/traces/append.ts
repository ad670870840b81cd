import { join } from "node:path";
import { systemTimers } from "../../src/foundation/timers.js";
import { Recorder, type RecorderOptions } from "../../src/gateway/traces/recorder.js";
import { SpillFolder } from "../../src/gateway/traces/spill/spill-folder.js";
import type { TraceStore } from "../../src/gateway/traces/store.js";
import type { Trace } from "../../src/gateway/traces/trace.js";

/** Traces of a lap, which are made before its clock runs: a whole number of groups. */
const LAP = 16_384;
/** Traces that the recorder hands over at once. */
const GROUP = 2048;
/** Longer than any pause of a store, so that no batch goes through the spill folder. */
const PATIENCE_MS = 600_000;

export interface AppendOptions {
  readonly rows: number;
  /** Where the recorder would put what the store does not take. */
  readonly folder: string;
  /** Whether texts are kept. */
  readonly content: RecorderOptions["content"];
  readonly onRecorded: (trace: Trace) => void;
  readonly onWritten: (rows: number) => void;
}

/**
 * Writes that many traces as fast as the store accepts them, through the gateway's recorder: in batches as it forms
 * them, one at a time. They are generated in laps, which are not timed; work of the store after an append counts to the
 * lap.
 *
 * @returns milliseconds that it took
 * @throws Error when the store refuses any
 */
export async function appendRows(
  store: TraceStore,
  source: { next(): Trace },
  { rows, folder, content, onRecorded, onWritten }: AppendOptions,
): Promise<number> {
  let lapStarted = 0;
  let beforeLapMs = 0;
  const elapsedMs = () => beforeLapMs + performance.now() - lapStarted;
  const watched = {
    append: async (traces: readonly Trace[]) => {
      await store.append(traces);
      onWritten(traces.length);
    },
    appendMissing: (traces: readonly Trace[]) => store.appendMissing(traces),
    health: () => store.health(),
  };
  const faults: string[] = [];
  const note = ({ reason, fault }: Readonly<Record<string, unknown>>) =>
    void faults.push(String(reason ?? fault));
  const recorder = new Recorder({
    store: watched,
    spill: new SpillFolder(join(folder, "bench-spill"), {
      maxBytes: 0,
      startedAtMs: Date.now(),
    }),
    content,
    flushMs: PATIENCE_MS,
    bufferTraces: 2 * LAP,
    bufferBytes: 2 ** 30,
    timers: systemTimers,
    clock: () => performance.now(),
    log: { info: () => {}, warn: note, error: note },
  });
  // A store that is still being opened is not given anything.
  await store.appendMissing([]).catch(() => {});
  for (let made = 0; made < rows; made += LAP) {
    const lap = Array.from({ length: Math.min(LAP, rows - made) }, () => source.next());
    lap.forEach(onRecorded);
    lapStarted = performance.now();
    for (const trace of lap) recorder.record(trace);
    while (recorder.stats().buffered >= GROUP) await new Promise((resolve) => setTimeout(resolve, 1));
    // Takes its turn behind what the store does after an append.
    await store.appendMissing([]).catch(() => {});
    beforeLapMs = elapsedMs();
  }
  lapStarted = performance.now();
  await recorder.close(PATIENCE_MS);
  const { written, dropped } = recorder.stats();
  if (written !== rows || dropped > 0) {
    throw new Error(
      `only ${written} of ${rows} traces were written: ${faults[0] ?? "for an unknown reason"}`,
    );
  }
  return elapsedMs();
}
