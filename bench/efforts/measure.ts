import { effortDialOf } from "../../src/engine/catalog/effort-dial.js";
import { bootstrapInterval } from "../evidence/bootstrap.js";
import type { SparseSet } from "../evidence/sparse-set.js";
import type { PaidAnswers } from "../frontier/paid-answers.js";
import { leastCost, leastMixedCost, meanPoints, type PromptResult } from "../frontier/saving.js";

/** The efforts of one model, answered on the same prompts at a known cost. */
export interface EffortGroup {
  readonly model: string;
  /** Its `models` are the efforts. */
  readonly answers: PaidAnswers;
}

/** Fewer prompts than this tell no efforts apart. */
const LEAST_PROMPTS = 25;

/** Models of a set with two efforts or more whose answers' costs are known, and the prompts that all of them answered. */
export function effortGroups({ cells }: SparseSet): EffortGroup[] {
  const groups = new Map<string, Map<string, Map<number, { cost: number; quality: number }>>>();
  for (const { model, prompt, score, costUsd } of cells) {
    const base = model.split(":")[0] as string;
    const isEffort = effortDialOf(base)?.variants.some((variant) => variant.model === model) === true;
    if (!isEffort || costUsd === null) continue;
    const efforts = groups.get(base) ?? new Map<string, Map<number, { cost: number; quality: number }>>();
    groups.set(base, efforts);
    const own = efforts.get(model) ?? new Map<number, { cost: number; quality: number }>();
    efforts.set(model, own);
    own.set(prompt, { cost: costUsd, quality: score });
  }
  return [...groups].sort().flatMap(([model, efforts]) => {
    const models = [...efforts.keys()].sort();
    const columns = models.map((effort) => efforts.get(effort) ?? new Map<number, never>());
    const promptIndexes = [...(columns[0]?.keys() ?? [])]
      .filter((prompt) => columns.every((own) => own.has(prompt)))
      .sort((a, b) => a - b);
    if (models.length < 2 || promptIndexes.length < LEAST_PROMPTS) return [];
    const table = (of: "cost" | "quality") =>
      promptIndexes.map((prompt) => columns.map((own) => own.get(prompt)?.[of] ?? Number.NaN));
    const answers = {
      ...{ models, promptIndexes, source: "recorded" as const },
      ...{ costUsd: table("cost"), quality: table("quality") },
    };
    return [{ model, answers }];
  });
}

/** Who spends to reach the quality of an effort: the router, or draws between the efforts that look at no prompt. */
export type Spender = "router" | "mixed";

/**
 * Share of an effort's cost that is saved at its own mean quality, at the cheapest of the cost weights, or mixtures, that reach it: 0
 * where nothing cheaper does.
 */
export function savingAgainst(results: readonly PromptResult[], effort: number, spender: Spender): number {
  const efforts = meanPoints(results, "models");
  const against = efforts[effort];
  if (against === undefined || !(against.cost > 0)) return Number.NaN;
  const least =
    spender === "router"
      ? leastCost(meanPoints(results, "settings"), against.quality)
      : leastMixedCost(efforts, against.quality);
  // Always that effort is a choice too.
  return Number.isNaN(least) ? 0 : Math.max(0, 1 - least / against.cost);
}

/** The saving with its interval: prompts are drawn anew, and the cost weight is chosen again in each draw. */
export function estimateSavingAgainst(results: readonly PromptResult[], effort: number, spender: Spender) {
  return {
    value: savingAgainst(results, effort, spender),
    interval: bootstrapInterval([results], ([drawn = []]) => savingAgainst(drawn, effort, spender)),
  };
}

/** Efforts that the router is compared with: what a request gets unasked, and the most that the tables have. */
export type Reference = "default" | "highest";

export interface PooledGroup extends EffortGroup {
  readonly results: readonly PromptResult[];
}

export interface PooledEstimate {
  /** Models that have the reference effort. */
  readonly models: number;
  /** Means over models: share of the reference's cost that is saved, and quality above the reference's. */
  readonly saving: Interval;
  readonly gain: Interval;
}

interface Interval {
  readonly value: number;
  readonly interval: { readonly low: number; readonly high: number } | undefined;
}

/** One setting of the router against always the same effort, over all models of a set. Intervals draw prompts anew, with all their answers. */
export function pooledEstimate(
  groups: readonly PooledGroup[],
  { setting, reference }: { readonly setting: number; readonly reference: Reference },
): PooledEstimate {
  const compared = groups.flatMap((group) => {
    const column = referenceColumn(group, reference);
    return column < 0 ? [] : [{ group, column }];
  });
  const prompts = [...new Set(compared.flatMap(({ group }) => group.answers.promptIndexes))];
  const rowsOf = compared.map(
    ({ group }) => new Map(group.answers.promptIndexes.map((prompt, row) => [prompt, group.results[row]])),
  );
  const meanOf = (drawn: readonly number[], of: (against: Against) => number): number => {
    let [sum, count] = [0, 0];
    compared.forEach(({ column }, at) => {
      const against = { router: { cost: 0, quality: 0 }, effort: { cost: 0, quality: 0 }, rows: 0 };
      for (const prompt of drawn) {
        const result = rowsOf[at]?.get(prompt);
        const [router, effort] = [result?.settings[setting], result?.models[column]];
        if (router === undefined || effort === undefined) continue;
        against.router.cost += router.cost;
        against.router.quality += router.quality;
        against.effort.cost += effort.cost;
        against.effort.quality += effort.quality;
        against.rows++;
      }
      if (against.rows === 0) return;
      sum += of(against);
      count++;
    });
    return sum / count;
  };
  const estimate = (of: (against: Against) => number): Interval => ({
    value: meanOf(prompts, of),
    interval: bootstrapInterval([prompts], ([drawn = []]) => meanOf(drawn, of)),
  });
  return {
    models: compared.length,
    saving: estimate(({ router, effort }) => 1 - router.cost / effort.cost),
    gain: estimate(({ router, effort, rows }) => (router.quality - effort.quality) / rows),
  };
}

/** Sums over prompts. */
interface Against {
  readonly router: { cost: number; quality: number };
  readonly effort: { cost: number; quality: number };
  rows: number;
}

/** −1 where no answers at that effort are known. */
function referenceColumn({ model, answers }: EffortGroup, reference: Reference): number {
  if (reference === "default") return answers.models.indexOf(model);
  const levels = new Map(effortDialOf(model)?.variants.map((variant) => [variant.model, variant.level]));
  const byLevel = answers.models.toSorted((a, b) => (levels.get(b) ?? 0) - (levels.get(a) ?? 0));
  return answers.models.indexOf(byLevel[0] ?? "");
}
