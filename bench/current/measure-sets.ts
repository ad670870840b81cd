import type { Embedder } from "../../src/engine/embedding/embedder.js";
import { buildRouter } from "../evidence/build-router.js";
import { type EvidenceData, withoutOwnBenchmarks } from "../evidence/evidence-data.js";
import { type SparseSet, takePrompts } from "../evidence/sparse-set.js";
import { splitByBenchmark } from "../quality/outcomes/split.js";
import { expectationsOf } from "./expectations.js";
import { type SetMeans, setMeans } from "./model-means.js";
import type { CurrentOptions } from "./options.js";

/** Old sets in which models of 2024 and 2025 were scored, and that are left out whole too. */
const OLD_SETS_LEFT_OUT = ["misguided_attention", "zeroeval"];

export interface MeasureContext {
  /** Caches embeddings. */
  readonly embedder: Embedder;
  readonly options: CurrentOptions;
  readonly signal: AbortSignal | undefined;
  readonly onStep: (step: string) => void;
}

/** Expectations for the current sets' test prompts, learned from the old sets, the other prompts and published scores. */
export async function measureHeldOutPrompts(
  data: EvidenceData,
  context: MeasureContext,
): Promise<SetMeans[]> {
  const { seed } = context.options;
  const split = data.current.map((set) => {
    const { train, test } = splitByBenchmark(set.prompts, seed);
    return { train: takePrompts(set, train), test: takePrompts(set, test) };
  });
  const measured = split.map(({ test }) => test).filter((set) => isMeasured(set, context.options));
  const scores = withoutOwnBenchmarks(
    data.scores,
    measured.map(({ name }) => name),
  );
  const training = [...data.old, ...split.map(({ train }) => train)];
  return measure(training, { ...context, scores, measured, what: "held-out prompts" });
}

/** Leaves out each set in turn, together with its published benchmark. */
export async function measureLeftOutSets(data: EvidenceData, context: MeasureContext): Promise<SetMeans[]> {
  const all = [...data.old, ...data.current];
  const left = all.filter(
    (set) =>
      isMeasured(set, context.options) &&
      (data.current.includes(set) || OLD_SETS_LEFT_OUT.includes(set.name)),
  );
  const found: SetMeans[] = [];
  for (const set of left) {
    found.push(
      ...(await measure(
        all.filter((other) => other !== set),
        {
          ...context,
          scores: withoutOwnBenchmarks(data.scores, [set.name]),
          ...{ measured: [set], what: `${set.name} left out` },
        },
      )),
    );
  }
  return found;
}

const isMeasured = ({ name }: SparseSet, { sets }: CurrentOptions): boolean =>
  sets === undefined || sets.includes(name);

async function measure(
  training: readonly SparseSet[],
  context: MeasureContext & {
    readonly scores: EvidenceData["scores"];
    readonly measured: readonly SparseSet[];
    readonly what: string;
  },
): Promise<SetMeans[]> {
  const { embedder, options, scores, measured, what, signal, onStep } = context;
  const { tuning, seed } = options;
  const router = await buildRouter(training, {
    ...{ embedder, scores, tuning, seed, signal },
    onStep: (step) => onStep(`${what}: ${step}`),
  });
  const found: SetMeans[] = [];
  for (const set of measured) {
    const texts = set.prompts.map(({ text }) => text);
    onStep(`${what}: expecting ${set.name}`);
    found.push(setMeans(set, await expectationsOf(router, texts, { signal })));
  }
  // The embedder is the caller's, and closing the router would close it.
  return found;
}
