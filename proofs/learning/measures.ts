import type { Embedder } from "../../src/engine/embedding/embedder.js";
import type { AnchorSet } from "../../src/engine/estimation/anchor-set.js";
import { canonicalText } from "../../src/engine/estimation/canonical-text.js";
import { gatherEvidence } from "../../src/engine/estimation/evidence.js";
import type { Router } from "../../src/engine/router/router.js";
import { bootstrapEstimates, type Estimate } from "../../src/foundation/bootstrap.js";
import { qualityAt, risingHull } from "../../src/workbench/metrics/hull.js";
import type { Served } from "./traffic.js";
import type { WorldPrompt } from "./world.js";

/** Mean expected quality of every model over prompts, before the router lowers uncertain gains; `[models of the world]`. */
export async function expectedMeans(
  set: AnchorSet,
  prompts: readonly WorldPrompt[],
  { models, embedder }: { readonly models: readonly string[]; readonly embedder: Embedder },
): Promise<Float64Array> {
  const columns = models.map((model) => set.models.indexOf(model));
  const sums = new Float64Array(models.length);
  const texts = prompts.map(({ text }) => canonicalText(text));
  const vectors = await embedder.embed(texts);
  vectors.forEach((vector, prompt) => {
    const difficulty = embedder.difficulty?.estimate(texts[prompt] as string, vector);
    const near = set.index.search(vector, set.parameters.neighbours);
    const { quality } = gatherEvidence(set, near, difficulty === undefined ? {} : { difficulty });
    columns.forEach((column, model) => {
      sums[model] = (sums[model] as number) + (quality[column] as number);
    });
  });
  return sums.map((sum) => sum / prompts.length);
}

export const trueMeans = (prompts: readonly WorldPrompt[], models: readonly string[]): Float64Array =>
  Float64Array.from(models, (_, model) => meanOf(prompts.map(({ quality }) => quality[model] as number)));

/** Mean score of each model on the requests that it answered; NaN where it answered none. */
export const answeredMeans = (served: readonly Served[], models: readonly string[]): Float64Array =>
  Float64Array.from(models, (_, model) =>
    meanOf(served.flatMap((each) => (each.model === model ? [each.prompt.quality[model] as number] : []))),
  );

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** What each of many cost weights chooses, `[weights][prompts]`. */
export type Choices = readonly (readonly number[])[];

export const COST_WEIGHTS = Array.from({ length: 11 }, (_, step) => step / 10);

export async function choicesOf(router: Router, prompts: readonly WorldPrompt[], models: readonly string[]) {
  const choices: number[][] = [];
  for (const costWeight of COST_WEIGHTS) {
    const decisions = await router.routeMany(
      prompts.map(({ text }) => ({ messages: [{ role: "user" as const, content: text }], costWeight })),
    );
    choices.push(decisions.map(({ selectedModel }) => models.indexOf(selectedModel)));
  }
  return choices;
}

/**
 * Quality of the later choices less that of the earlier ones at the same cost: the mean over the earlier choices' cost weights, of the
 * difference to the hull of the later ones. With random mixtures of cost weights, any cost can be had.
 */
export function gainAtEqualCost(
  prompts: readonly WorldPrompt[],
  { before, after }: { readonly before: Choices; readonly after: Choices },
): Estimate {
  const { gain } = bootstrapEstimates(
    prompts.length,
    { gain: (weights) => gainOf(curve(before, prompts, weights), curve(after, prompts, weights)) },
    { resamples: 300 },
  );
  return gain;
}

interface Point {
  readonly cost: number;
  readonly quality: number;
}

function curve(choices: Choices, prompts: readonly WorldPrompt[], weights: ArrayLike<number>): Point[] {
  return choices.map((chosen) => {
    let [cost, quality, total] = [0, 0, 0];
    chosen.forEach((model, prompt) => {
      const weight = weights[prompt] as number;
      const facts = prompts[prompt] as WorldPrompt;
      cost += weight * (facts.costUsd[model] as number);
      quality += weight * (facts.quality[model] as number);
      total += weight;
    });
    return { cost: cost / total, quality: quality / total };
  });
}

/** Both as hulls; costs below the cheapest choice of either are left out. */
function gainOf(before: readonly Point[], after: readonly Point[]): number {
  const [from, to] = [risingHull(before), risingHull(after)];
  const least = Math.max(from[0]?.cost ?? 0, to[0]?.cost ?? 0);
  const gains = before
    .filter(({ cost }) => cost >= least)
    .map(({ cost }) => qualityAt(to, cost) - qualityAt(from, cost));
  return meanOf(gains);
}

/** Mean of the absolute differences of expected qualities from the true ones. */
export const errorOf = (errors: ArrayLike<number>): number => meanOf(Array.from(errors, Math.abs));
