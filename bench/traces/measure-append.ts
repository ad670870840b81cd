import { showProgress } from "../report/progress.js";
import { median } from "../report/statistics.js";
import { appendRows } from "./append.js";
import type { BenchStore } from "./bench-store.js";
import type { Context } from "./context.js";
import { forgetPeak, memoryOf } from "./machine.js";
import { MadeUpTraces } from "./made-up-traces.js";
import { FILTERS } from "./searches.js";
import type { Step } from "./statistics.js";
import { Tally } from "./tally.js";

/** Rows that are made up only to know what that costs. */
const TRIAL_ROWS = 20_000;

export interface AppendResult {
  readonly steps: readonly Step[];
  /** Rows a second of the bare appender, before and after. */
  readonly bareRates: readonly number[];
  readonly bytesPerRow: number;
  /** To work in what the store had not worked in yet. */
  readonly closeMs: number;
  /** Of this process, above what it used before the store was opened. */
  readonly peakAddedMb: number;
  /** Microseconds of processor time for a row, of all threads, without making it up. */
  readonly cpuUs: number;
  /** The same of the bare appender. */
  readonly bareCpuUs: number;
}

/** Fills an empty store and closes it, the bare appender before and after. */
export async function measureAppend(
  store: BenchStore,
  { rows, tally, context }: { readonly rows: number; readonly tally: Tally; readonly context: Context },
): Promise<AppendResult> {
  const { options, texts, bare } = context;
  const trial = new MadeUpTraces({ seed: options.seed, rows: TRIAL_ROWS, texts });
  const trialTally = new Tally(FILTERS, { rows: TRIAL_ROWS, ids: 1 });
  const { used: makingUs } = await timed(TRIAL_ROWS, async () => {
    for (let made = 0; made < TRIAL_ROWS; made++) trialTally.add(trial.next());
  });
  const appendBare = () => timed(bare.rows, () => bare.append());
  const before = await appendBare();
  await forgetPeak();
  const { nowMb } = await memoryOf("self");
  const open = store.open();
  await open.ask("list", { filter: {}, page: { limit: 1, offset: 0 } }, { scope: "all" });
  const progress = showProgress(`appending ${rows} rows`, rows);
  let written = 0;
  const { used, result } = await timed(rows, async () => {
    const steps = await appendRows(open, new MadeUpTraces({ seed: options.seed, rows, texts }), {
      rows,
      folder: store.dataDir,
      content: "stored",
      onRecorded: (trace) => tally.add(trace),
      onWritten: (count) => {
        written += count;
        progress.update(written);
      },
    });
    const closing = performance.now();
    await open.close();
    return { steps, closeMs: performance.now() - closing };
  });
  progress.stop();
  const { peakMb } = await memoryOf("self");
  const after = await appendBare();
  return {
    ...result,
    bareRates: [before.result, after.result],
    bytesPerRow: (await store.bytes()) / rows,
    peakAddedMb: peakMb - nowMb,
    cpuUs: used - makingUs,
    bareCpuUs: median([before.used, after.used]),
  };
}

/** What the task gives, and the microseconds of processor time that it used for each of the rows, all threads together. */
export async function timed<Result>(
  rows: number,
  task: () => Promise<Result>,
): Promise<{ readonly used: number; readonly result: Result }> {
  const before = process.cpuUsage();
  const result = await task();
  const { user, system } = process.cpuUsage(before);
  return { used: (user + system) / rows, result };
}
