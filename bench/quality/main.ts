/** How good are the decisions? Quality at cost weight 0, cost against quality, calibration, unseen benchmarks, beside simple rules. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbedder } from "../../src/engine/embedding/open-embedder.js";
import { describeEnvironment } from "../environment.js";
import { type BenchmarkResult, RESULT_VERSION } from "../report/result.js";
import { readEmbedderTraining, sawTestPrompts } from "./embedder-training.js";
import { type LoadedSet, loadSet } from "./load-set.js";
import { measureSeed, type SeedMeasurement } from "./measure/measure-seed.js";
import type { QualityOptions } from "./options.js";
import { splitByBenchmark } from "./outcomes/split.js";
import { accuracyFigures } from "./summary/accuracy.js";
import { costFigures } from "./summary/cost.js";
import { leaveOutFigures } from "./summary/leave-out.js";
import { embedderNotes, type SeenBy, setNotes } from "./summary/notes.js";
import { overallFigures } from "./summary/overall.js";
import { pairFigures } from "./summary/pairs.js";
import { type PooledSet, poolSet } from "./summary/pooled-set.js";
import { calibrationFigures } from "./summary/trust.js";

export interface QualityRun {
  readonly signal?: AbortSignal;
  /** Measurements done of all, and what is being done now. */
  readonly progress?: (done: number, total: number, step: string) => void;
}

/**
 * Measures every set in every split and summarises the results. Run from the package's root. 5 sets × 5 splits take about 20 minutes of one core, the sample a few
 * seconds.
 *
 * @throws OutcomeDataError, EmbedderLoadError, or the signal's reason
 */
export async function measureQuality(
  options: QualityOptions,
  { signal, progress }: QualityRun = {},
): Promise<BenchmarkResult> {
  const pooled: PooledSet[] = [];
  const loaded: LoadedSet[] = [];
  const seen: SeenBy[] = [];
  let done = 0;
  const total = options.sets.length * options.seeds.length;
  for (const source of options.sets) {
    const set = await loadSet(source);
    const measurements: SeedMeasurement[] = [];
    for (const seed of options.seeds) {
      signal?.throwIfAborted();
      const onStep = (step: string) => progress?.(done, total, `${set.name}, split ${seed}: ${step}`);
      const measured = await measureOne(set, { seed, options, signal, onStep });
      measurements.push(measured.measurement);
      seen.push(measured.seen);
      done += 1;
    }
    progress?.(done, total, `${set.name}: summing up`);
    loaded.push(set);
    pooled.push(poolSet(set, measurements));
  }
  return summarise({ pooled, loaded, seen, options });
}

interface MeasureOne {
  readonly seed: number;
  readonly options: QualityOptions;
  readonly signal: AbortSignal | undefined;
  readonly onStep: (step: string) => void;
}

async function measureOne(
  set: LoadedSet,
  { seed, options, signal, onStep }: MeasureOne,
): Promise<{ readonly measurement: SeedMeasurement; readonly seen: SeenBy }> {
  const spec = options.embedder.replaceAll("{seed}", String(seed));
  const training = await readEmbedderTraining(spec);
  const embedder = await openEmbedder(spec, {
    cacheDir: join(tmpdir(), "sextant-hub"),
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    const { id, fingerprint } = embedder;
    const seen = {
      ...{ set: set.name, seed, embedder: id, fingerprint },
      test: sawTestPrompts(training, { set: set.name, seed }),
    };
    const { rows, costs, lookup } = set;
    const measurement = await measureSeed(
      { name: set.name, seed, rows, costs, split: splitByBenchmark(rows.prompts, seed) },
      { embedder, lookup, leavesOut: options.leavesOut, signal, onStep },
    );
    return { measurement, seen };
  } finally {
    await embedder.close();
  }
}

interface Summary {
  readonly pooled: readonly PooledSet[];
  readonly loaded: readonly LoadedSet[];
  readonly seen: readonly SeenBy[];
  readonly options: QualityOptions;
}

function summarise({ pooled, loaded, seen, options }: Summary): BenchmarkResult {
  const figures = pooled.flatMap((set) => [
    ...accuracyFigures(set),
    ...pairFigures(set),
    ...costFigures(set),
    ...calibrationFigures(set),
    ...leaveOutFigures(set),
  ]);
  return {
    version: RESULT_VERSION,
    suite: "quality",
    question: "How good are the decisions, what do they save, and how far can their estimates be trusted?",
    command: options.command,
    environment: describeEnvironment(options.now),
    datasets: loaded.map(({ name, sha256, rows }) => ({
      ...{ name, sha256 },
      prompts: rows.prompts.length,
      models: rows.models.length,
    })),
    seeds: [...options.seeds],
    figures: [...overallFigures(pooled, figures), ...figures],
    notes: [...embedderNotes(seen), ...pooled.flatMap(setNotes)],
  };
}
