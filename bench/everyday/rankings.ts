import { DIFFICULTY_TIERS } from "../../src/engine/index.js";
import type { SparseSet } from "../evidence/sparse-set.js";
import { meanPairwiseSpearman, spearman } from "../evidence/spearman.js";
import { sampleByHash } from "../quality/outcomes/split.js";
import { mean } from "../report/statistics.js";
import type { Routing } from "./groups.js";

/** Rank correlation needs some models to say anything. */
const FEWEST_MODELS = 8;
/** A topic's means of fewer prompts rank models by chance. */
const FEWEST_PROMPTS = 50;
const FEWEST_PROMPTS_A_MODEL = 30;

/** How alike the prompts' rankings of the candidates are: mean rank correlation over all pairs of prompts. */
export function rankingsAlike(routings: readonly Routing[]): {
  readonly mean: number;
  readonly pairs: number;
} {
  const models = [
    ...new Set(routings.flatMap(({ decisions }) => decisions[0]?.candidates.map(({ model }) => model) ?? [])),
  ];
  const rows = routings.map(({ decisions }) => {
    const expected = new Map(
      decisions[0]?.candidates.map((candidate) => [candidate.model, candidate.expectedQuality]),
    );
    return models.map((model) => expected.get(model) ?? Number.NaN);
  });
  return meanPairwiseSpearman(rows, { fewestColumns: 2 });
}

/** Rank correlation of the candidates' mean expected quality with the tier, easy ones expected to be solved: 1 is best. */
export function easeByTier(routings: readonly Routing[]): number {
  return spearman(
    routings.map(({ decisions }) =>
      mean(decisions[0]?.candidates.map((candidate) => candidate.expectedQuality) ?? []),
    ),
    routings.map(({ prompt }) => -DIFFICULTY_TIERS[prompt.tier]),
  );
}

/** How alike rankings by measured outcomes are. NaN where there is nothing to compare. */
export interface MeasuredAlike {
  /** Between topics of one set, each set counting once; sets with one topic do not count. */
  readonly withinSets: number;
  /** Between topics of two sets. */
  readonly betweenSets: number;
  /** Between two halves of one topic: as alike as noise lets rankings be that are the same. */
  readonly halves: number;
  readonly topics: number;
}

interface Topic {
  readonly set: string;
  readonly prompts: readonly number[];
}

export function measuredAlike(sets: readonly SparseSet[]): MeasuredAlike {
  const topics = sets.flatMap((set) => topicsOf(set).map((topic) => ({ topic, set })));
  const models = [...new Set(sets.flatMap(({ cells }) => cells.map(({ model }) => model)))];
  const rows = topics.map(({ topic, set }) => ({
    set: set.name,
    means: modelMeans(set, topic.prompts, models),
  }));
  const within = sets.map(({ name }) => ({
    name,
    ...meanPairwiseSpearman(
      rows.filter(({ set }) => set === name).map(({ means }) => means),
      { fewestColumns: FEWEST_MODELS },
    ),
  }));
  const all = meanPairwiseSpearman(
    rows.map(({ means }) => means),
    { fewestColumns: FEWEST_MODELS },
  );
  const known = within.filter(({ pairs }) => pairs > 0);
  const pairsWithin = known.reduce((sum, { pairs }) => sum + pairs, 0);
  const sumWithin = known.reduce((sum, benchmarkSet) => sum + benchmarkSet.mean * benchmarkSet.pairs, 0);
  const halves = topics.flatMap(({ topic, set }) => {
    const { mean: value, pairs } = halvesAlike(set, topic, models);
    return pairs > 0 ? [value] : [];
  });
  return {
    withinSets: mean(known.map((benchmarkSet) => benchmarkSet.mean)),
    betweenSets: (all.mean * all.pairs - sumWithin) / (all.pairs - pairsWithin),
    halves: mean(halves),
    topics: topics.length,
  };
}

/** Benchmarks, or their categories, with prompts enough. */
function topicsOf({ name, prompts }: SparseSet): Topic[] {
  const byName = new Map<string, number[]>();
  prompts.forEach(({ benchmark, category }, prompt) => {
    const key = `${benchmark}\n${category}`;
    const found = byName.get(key);
    if (found === undefined) byName.set(key, [prompt]);
    else found.push(prompt);
  });
  return [...byName.values()]
    .filter((found) => found.length >= FEWEST_PROMPTS)
    .map((found) => ({ set: name, prompts: found }));
}

/** Mean score of each model on some prompts; NaN where it was scored on few of them. */
function modelMeans({ cells }: SparseSet, prompts: readonly number[], models: readonly string[]): number[] {
  const wanted = new Set(prompts);
  const least = Math.min(FEWEST_PROMPTS_A_MODEL, prompts.length / 2);
  const sums = new Map<string, { sum: number; count: number }>();
  for (const { prompt, model, score } of cells) {
    if (!wanted.has(prompt)) continue;
    const found = sums.get(model) ?? { sum: 0, count: 0 };
    sums.set(model, { sum: found.sum + score, count: found.count + 1 });
  }
  return models.map((model) => {
    const found = sums.get(model);
    return found === undefined || found.count < least ? Number.NaN : found.sum / found.count;
  });
}

function halvesAlike(set: SparseSet, { prompts }: Topic, models: readonly string[]) {
  const half = new Set(
    sampleByHash(
      prompts.map((prompt) => set.prompts[prompt] as SparseSet["prompts"][number]),
      Math.floor(prompts.length / 2),
      "sextant-halves",
    ),
  );
  const part = (isFirst: (at: number) => boolean) => prompts.filter((_, at) => isFirst(at));
  const rows = [part((at) => half.has(at)), part((at) => !half.has(at))].map((group) =>
    modelMeans(set, group, models),
  );
  return meanPairwiseSpearman(rows, { fewestColumns: FEWEST_MODELS });
}
