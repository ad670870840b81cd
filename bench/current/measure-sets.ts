import type { Embedder } from "../../src/engine/embedding/embedder.js";
import type { Router } from "../../src/engine/router/router.js";
import { buildRouter } from "../evidence/build-router.js";
import { type EvidenceData, withoutOwnBenchmarks } from "../evidence/evidence-data.js";
import { type SparseSet, takePrompts } from "../evidence/sparse-set.js";
import { splitByBenchmark } from "../quality/outcomes/split.js";
import { expectationsOf } from "./expectations.js";
import { type SetMeans, setMeans } from "./model-means.js";

/** Old sets in which models of 2024 and 2025 were scored, and that are left out whole too. */
const OLD_SETS_LEFT_OUT = ["misguided_attention", "zeroeval"];

/** Of the split of prompts and of the builds. */
export const SEED = 0;

export interface MeasureContext {
  /** Caches embeddings. */
  readonly embedder: Embedder;
  readonly signal: AbortSignal | undefined;
  readonly onStep: (step: string) => void;
}

/** Expectations for the current sets' test prompts, learned from the old sets, the other prompts and published scores. */
export async function measureHeldOutPrompts(
  data: EvidenceData,
  context: MeasureContext,
): Promise<SetMeans[]> {
  const split = data.current.map((set) => {
    const { train, test } = splitByBenchmark(set.prompts, SEED);
    return { train: takePrompts(set, train), test: takePrompts(set, test) };
  });
  const measured = split.map(({ test }) => test);
  const scores = withoutOwnBenchmarks(
    data.scores,
    measured.map(({ name }) => name),
  );
  const training = [...data.old, ...split.map(({ train }) => train)];
  const what = "held-out prompts";
  const router = await build(training, { ...context, scores, what });
  const found: SetMeans[] = [];
  for (const set of measured) found.push(await compare(set, router, { ...context, what }));
  return found;
}

/** Leaves out each set in turn, together with its published benchmark. */
export async function measureLeftOutSets(data: EvidenceData, context: MeasureContext): Promise<SetMeans[]> {
  const all = [...data.old, ...data.current];
  const left = all.filter((set) => data.current.includes(set) || OLD_SETS_LEFT_OUT.includes(set.name));
  const found: SetMeans[] = [];
  for (const set of left) {
    const what = `${set.name} left out`;
    const router = await build(
      all.filter((other) => other !== set),
      { ...context, what, scores: withoutOwnBenchmarks(data.scores, [set.name]) },
    );
    found.push(await compare(set, router, { ...context, what }));
  }
  return found;
}

interface BuildContext extends MeasureContext {
  readonly scores: EvidenceData["scores"];
  readonly what: string;
}

/** A router that learned from some sets. The embedder is the caller's: closing the router would close it. */
function build(training: readonly SparseSet[], context: BuildContext): Promise<Router> {
  const { what, onStep, embedder, scores, signal } = context;
  return buildRouter(training, {
    ...{ embedder, scores, tuning: "defaults", seed: SEED, signal },
    onStep: (step) => onStep(`${what}: ${step}`),
  });
}

async function compare(
  set: SparseSet,
  router: Router,
  { what, signal, onStep }: MeasureContext & { readonly what: string },
): Promise<SetMeans> {
  onStep(`${what}: expecting ${set.name}`);
  const texts = set.prompts.map(({ text }) => text);
  return setMeans(set, await expectationsOf(router, texts, { signal }));
}
