import type { Router } from "../../src/engine/router/router.js";
import { seededRandom } from "../../src/foundation/random.js";
import { CORRUPTIONS } from "./corruptions.js";

export const COST_WEIGHTS = [0.1, 0.2, 0.3] as const;

export interface Candidates {
  readonly router: Router;
  readonly canRun: (model: string) => boolean;
  /** Candidates; all that can run when absent. */
  readonly models?: readonly string[];
}

/** What is chosen for some prompts at one cost weight, and for the same prompts corrupted in each way. */
export interface Choices {
  readonly costWeight: number;
  readonly own: readonly string[];
  /** By name of the corruption, in the prompts' order. */
  readonly corrupted: Readonly<Record<string, readonly string[]>>;
  /** By name of the corruption: dollars expected of its choices over those of the prompts' own, both for the prompts as they are. */
  readonly spend: Readonly<Record<string, number>>;
}

/** Decides every prompt and every corruption of it, without a call. The same seed corrupts alike. */
export async function measureRobustness(
  candidates: Candidates,
  { prompts, seed }: { readonly prompts: readonly string[]; readonly seed: number },
): Promise<Choices[]> {
  const decided = await choicesOf(candidates, prompts);
  const own = decided.models;
  const corrupted = new Map<string, readonly (readonly string[])[]>();
  for (const [kind, corrupt] of Object.entries(CORRUPTIONS)) {
    const random = seededRandom(seed);
    const texts = prompts.map((text, number) => corrupt(text, { number, random }));
    corrupted.set(kind, (await choicesOf(candidates, texts)).models);
  }
  const dollarsOf = (models: readonly string[] = []): number =>
    models.reduce((sum, model, prompt) => sum + (decided.costs[prompt]?.get(model) ?? Number.NaN), 0);
  return COST_WEIGHTS.map((costWeight, at) => {
    const kinds = [...corrupted].map(([kind, byWeight]) => ({ kind, models: byWeight[at] ?? [] }));
    return {
      costWeight,
      own: own[at] ?? [],
      corrupted: Object.fromEntries(kinds.map(({ kind, models }) => [kind, models])),
      spend: Object.fromEntries(
        kinds.map(({ kind, models }) => [kind, dollarsOf(models) / dollarsOf(own[at])]),
      ),
    };
  });
}

interface Chosen {
  /** By cost weight and prompt. */
  readonly models: readonly string[][];
  /** By prompt: what the answer of each candidate is expected to cost, in dollars. */
  readonly costs: readonly ReadonlyMap<string, number>[];
}

async function choicesOf({ router, canRun, models }: Candidates, texts: readonly string[]): Promise<Chosen> {
  const chosen: string[][] = COST_WEIGHTS.map(() => []);
  const costs: ReadonlyMap<string, number>[] = [];
  for (const content of texts) {
    const decisions = await router.routeMany(
      COST_WEIGHTS.map((costWeight) => ({
        messages: [{ role: "user" as const, content }],
        ...{ costWeight, canRun, ...(models === undefined ? {} : { models }) },
      })),
    );
    for (const [at, { selectedModel }] of decisions.entries()) chosen[at]?.push(selectedModel);
    const candidates = decisions[0]?.candidates ?? [];
    costs.push(
      new Map(candidates.map(({ model, expectedCostUsd }) => [model, expectedCostUsd ?? Number.NaN])),
    );
  }
  return { models: chosen, costs };
}

/** Share of equal entries. */
export const shareEqual = (a: readonly string[], b: readonly string[]): number =>
  a.filter((model, at) => model === b[at]).length / a.length;
