import { buildRouter } from "../../bench/evidence/build-router.js";
import { type SparseSet, takePrompts } from "../../bench/evidence/sparse-set.js";
import { splitByBenchmark } from "../../bench/quality/outcomes/split.js";
import { mean } from "../../bench/report/statistics.js";
import type { Embedder } from "../../src/engine/embedding/embedder.js";
import type { Decision } from "../../src/engine/router/decision.js";
import { seededRandom } from "../../src/foundation/random.js";
import { POISONINGS, type Poisoning } from "./poison.js";

/** How decisions on held-out prompts change when the profiles are built from poisoned outcomes. */
export interface PoisonFinding {
  readonly poisoning: Poisoning;
  readonly share: number;
  readonly costWeight: number;
  readonly seed: number;
  /** Share of the decisions that changed. */
  readonly changed: number;
  /** Spend over that without poisoning, minus 1, by the expected costs of the clean profiles; NaN without costs. */
  readonly inflation: number;
  /** Change of the mean score of the chosen models' own answers. */
  readonly quality: number;
}

export interface PoisonPlan {
  readonly embedder: Embedder;
  readonly shares: readonly number[];
  readonly costWeights: readonly number[];
  readonly seeds: readonly number[];
  readonly onStep: (what: string) => void;
}

export async function measurePoisoning(set: SparseSet, plan: PoisonPlan): Promise<PoisonFinding[]> {
  const { embedder, shares, seeds, costWeights, onStep } = plan;
  const { train, test } = splitByBenchmark(set.prompts, 0);
  const [learned, heldOut] = [takePrompts(set, train), takePrompts(set, test)];
  const build = (from: SparseSet) => buildRouter([from], { embedder, tuning: "defaults", seed: 0 });
  const decide = async (from: SparseSet): Promise<Decision[][]> => {
    const router = await build(from);
    return Promise.all(
      costWeights.map((costWeight) =>
        router.routeMany(
          heldOut.prompts.map(({ text }) => ({
            messages: [{ role: "user" as const, content: text }],
            costWeight,
          })),
        ),
      ),
    );
  };
  onStep("building clean profiles");
  const clean = await decide(learned);
  const scoreOf = scoresOf(heldOut);
  const findings: PoisonFinding[] = [];
  for (const poisoning of POISONINGS)
    for (const share of shares)
      for (const seed of seeds) {
        onStep(`${set.name}: ${poisoning.label}, ${100 * share} %, draw ${seed}`);
        const poisoned = await decide(poisoning.apply(learned, { share, random: seededRandom(seed) }));
        for (const [index, costWeight] of costWeights.entries())
          findings.push({
            ...{ poisoning, share, costWeight, seed },
            ...compare(clean[index] ?? [], poisoned[index] ?? [], scoreOf),
          });
      }
  return findings;
}

/** Recorded score of a model on the held-out prompt of that number; NaN where it was not scored. */
function scoresOf({ cells }: SparseSet): (prompt: number, model: string) => number {
  const known = new Map(cells.map(({ prompt, model, score }) => [`${prompt} ${model}`, score]));
  return (prompt, model) => known.get(`${prompt} ${model}`) ?? Number.NaN;
}

export function compare(
  clean: readonly Decision[],
  poisoned: readonly Decision[],
  scoreOf: (prompt: number, model: string) => number,
): Pick<PoisonFinding, "changed" | "inflation" | "quality"> {
  let [changed, before, after] = [0, 0, 0];
  const gains: number[] = [];
  for (const [prompt, decision] of clean.entries()) {
    const chosen = poisoned[prompt]?.selectedModel ?? decision.selectedModel;
    const costOf = (model: string): number =>
      decision.candidates.find((candidate) => candidate.model === model)?.expectedCostUsd ?? Number.NaN;
    if (chosen !== decision.selectedModel) changed++;
    before += costOf(decision.selectedModel);
    after += costOf(chosen);
    const gain = scoreOf(prompt, chosen) - scoreOf(prompt, decision.selectedModel);
    if (!Number.isNaN(gain)) gains.push(gain);
  }
  return { changed: changed / clean.length, inflation: after / before - 1, quality: mean(gains) };
}
