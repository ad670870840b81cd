import type { Router } from "../../src/engine/router/router.js";
import type { CostQuality } from "../../src/workbench/metrics/hull.js";
import { CATALOG } from "../evidence/build-router.js";
import type { SparseSet } from "../evidence/sparse-set.js";
import { gapToHull, meanPoints, type PromptResult, realOverExpected } from "../frontier/saving.js";
import { sampleByHash } from "../quality/outcomes/split.js";
import { mean } from "../report/statistics.js";

/** Sets whose recorded dollars are those of an agent's whole task. */
const AGENTS_SETS = ["bc_bench", "clawwork_gdpval", "next_evals", "nuxt_evals", "openhands_index"];
export const DIAL_WEIGHTS = [0.1, 0.2, 0.3, 0.4, 0.5] as const;

/** Share of the prompts that a model must have been paid for. */
const COVERAGE = 0.7;
const FEWEST_MODELS = 3;
const FEWEST_PROMPTS = 6;
const MOST_PROMPTS = 300;

/** What was chosen for the prompts of a set among the models that were paid for answering them. */
export interface SetDial {
  readonly per: "call" | "task";
  readonly models: number;
  readonly prompts: number;
  /** By `DIAL_WEIGHTS`: points above random mixing of single models at the same real cost, and real over expected dollars. */
  readonly above: readonly number[];
  readonly realOverExpected: readonly number[];
}

/** Undefined for a set with dollars of fewer than three models. */
export async function measureDial(set: SparseSet, router: Router): Promise<SetDial | undefined> {
  const known = new Set(router.profiles().map(({ model }) => model));
  const sampled = new Set(sampleByHash(set.prompts, MOST_PROMPTS, "sextant-dial"));
  const paid = new Map<string, Map<number, CostQuality>>();
  for (const { prompt, model, score, costUsd } of set.cells) {
    if (!sampled.has(prompt) || costUsd === null || costUsd <= 0) continue;
    if (!known.has(model) || CATALOG.lookup(model).price === null) continue;
    const answers = paid.get(model) ?? new Map<number, CostQuality>();
    paid.set(model, answers.set(prompt, { cost: costUsd, quality: score }));
  }
  for (const [model, answers] of paid) if (answers.size <= COVERAGE * sampled.size) paid.delete(model);
  const per = AGENTS_SETS.includes(set.name) ? "task" : "call";
  const results: PromptResult[] = [];
  for (const prompt of sampled) {
    const models = [...paid.keys()].filter((model) => paid.get(model)?.has(prompt));
    if (models.length < FEWEST_MODELS) continue;
    const messages = [{ role: "user" as const, content: set.prompts[prompt]?.text ?? "" }];
    const [prepared] = await router.prepareMany([{ messages, models, per, costWeight: DIAL_WEIGHTS[0] }]);
    const settings = DIAL_WEIGHTS.flatMap((weight) => {
      const decision = prepared?.decideAt(weight);
      const answer = paid.get(decision?.selectedModel ?? "")?.get(prompt);
      return answer === undefined
        ? []
        : [{ ...answer, expectedUsd: decision?.expectedCostUsd ?? Number.NaN }];
    });
    results.push({ settings, models: [] });
  }
  if (results.length < FEWEST_PROMPTS) return undefined;
  const singles = [...paid.values()].map((answers) => meanOf([...answers.values()]));
  return {
    ...{ per, models: paid.size, prompts: results.length },
    above: meanPoints(results, "settings").map((point) => 100 * gapToHull(point, singles)),
    realOverExpected: DIAL_WEIGHTS.map((_, setting) => realOverExpected(results, setting)),
  };
}

const meanOf = (answers: readonly CostQuality[]): CostQuality => ({
  cost: mean(answers.map(({ cost }) => cost)),
  quality: mean(answers.map(({ quality }) => quality)),
});
