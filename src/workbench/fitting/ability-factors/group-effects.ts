import { type FactorPrior, type GroupEffect, RANK } from "../ability-factors.js";
import { type FitState, linear, quadratic } from "./fit-state.js";

/** Prior of each model's factors from its family, base model and covariates, without its own evidence. */
export function updateModelPriors(state: FitState): void {
  for (let factor = 0; factor < RANK; factor++) {
    const sums = groupSums(state, factor);
    for (let model = 0; model < state.models; model++) {
      const covariates = state.covariates[model] as Float64Array;
      const found = baseWithout(state, sums, { factor, base: state.base.of[model] as number, model });
      const prior = state.priors[model] as GroupEffect;
      prior.mean[factor] = found.mean + linear(covariates, state.weights, factor);
      prior.variance[factor] =
        found.variance +
        (state.variance.variant[factor] as number) +
        quadratic(state.weightCovariance[factor], covariates);
    }
  }
}

/** Effects of all families and base models at the end of a fit. */
export function groupEffects(state: FitState): Pick<FactorPrior, "families" | "bases"> {
  const empty = (): GroupEffect => ({ mean: new Float64Array(RANK), variance: new Float64Array(RANK) });
  const families = new Map(state.family.names.map((name) => [name, empty()]));
  const bases = new Map(state.base.names.map((name) => [name, empty()]));
  for (let factor = 0; factor < RANK; factor++) {
    const sums = groupSums(state, factor);
    state.family.names.forEach((name, family) => {
      put(families.get(name), factor, familyWithout(state, sums, { factor, family, base: -1 }));
    });
    state.base.names.forEach((name, base) => {
      put(bases.get(name), factor, baseWithout(state, sums, { factor, base, model: -1 }));
    });
  }
  return { families, bases };
}

function put(
  into: GroupEffect | undefined,
  factor: number,
  { mean, variance }: { readonly mean: number; readonly variance: number },
): void {
  if (into === undefined) return;
  into.mean[factor] = mean;
  into.variance[factor] = variance;
}

/** Evidence of the models' own answers and scores about one factor beyond the covariates, by base model and family. */
interface GroupSums {
  /** Precision and precision-weighted sum by model, base model and family. */
  readonly model: { readonly precision: Float64Array; readonly sum: Float64Array };
  readonly base: { readonly precision: Float64Array; readonly sum: Float64Array };
  readonly family: { readonly precision: Float64Array; readonly sum: Float64Array };
  /** Family of each base model. */
  readonly familyOf: Uint32Array;
}

function groupSums(state: FitState, factor: number): GroupSums {
  const empty = (length: number) => ({
    precision: new Float64Array(length),
    sum: new Float64Array(length),
  });
  const sums = {
    model: empty(state.models),
    base: empty(state.base.names.length),
    family: empty(state.family.names.length),
    familyOf: new Uint32Array(state.base.names.length),
  };
  const variant = state.variance.variant[factor] as number;
  for (let model = 0; model < state.models; model++) {
    const base = state.base.of[model] as number;
    sums.familyOf[base] = state.family.of[model] as number;
    const prior = state.priors[model] as GroupEffect;
    const priorVariance = prior.variance[factor] as number;
    const variance = (state.covariance[model] as Float64Array)[factor * RANK + factor] as number;
    // The model's own evidence: the posterior without the prior.
    const own = variance > 0 ? 1 / variance - 1 / priorVariance : 0;
    if (own < 1e-6) continue;
    const mean = (state.factors[model] as Float64Array)[factor] as number;
    const value = (mean / variance - (prior.mean[factor] as number) / priorVariance) / own;
    const precision = 1 / (variant + 1 / own);
    const beyond = value - linear(state.covariates[model] as Float64Array, state.weights, factor);
    sums.model.precision[model] = precision;
    sums.model.sum[model] = precision * beyond;
    sums.base.precision[base] = (sums.base.precision[base] as number) + precision;
    sums.base.sum[base] = (sums.base.sum[base] as number) + precision * beyond;
  }
  for (let base = 0; base < sums.familyOf.length; base++) {
    const family = sums.familyOf[base] as number;
    const weight = weightInFamily(state, sums, { factor, base });
    const precision = sums.base.precision[base] as number;
    if (precision === 0) continue;
    sums.family.precision[family] = (sums.family.precision[family] as number) + weight;
    sums.family.sum[family] =
      (sums.family.sum[family] as number) + (weight * (sums.base.sum[base] as number)) / precision;
  }
  return sums;
}

function weightInFamily(
  state: FitState,
  sums: Pick<GroupSums, "base">,
  { factor, base }: { readonly factor: number; readonly base: number },
): number {
  const precision = sums.base.precision[base] as number;
  return precision === 0 ? 0 : 1 / ((state.variance.base[factor] as number) + 1 / precision);
}

/** Posterior of a family's effect without one of its base models; of the whole family for base −1. */
function familyWithout(
  state: FitState,
  sums: GroupSums,
  { factor, family, base }: { readonly factor: number; readonly family: number; readonly base: number },
): { readonly mean: number; readonly variance: number } {
  let precision = (sums.family.precision[family] as number) + 1 / (state.variance.family[factor] as number);
  let sum = sums.family.sum[family] as number;
  if (base >= 0 && (sums.base.precision[base] as number) > 0) {
    const weight = weightInFamily(state, sums, { factor, base });
    precision -= weight;
    sum -= (weight * (sums.base.sum[base] as number)) / (sums.base.precision[base] as number);
  }
  return { mean: sum / precision, variance: 1 / precision };
}

/** Posterior of a base model's effect without one of its variants, including its family's; with all of them for model −1. */
function baseWithout(
  state: FitState,
  sums: GroupSums,
  { factor, base, model }: { readonly factor: number; readonly base: number; readonly model: number },
): { readonly mean: number; readonly variance: number } {
  const family = familyWithout(state, sums, { factor, family: sums.familyOf[base] as number, base });
  const prior = 1 / (family.variance + (state.variance.base[factor] as number));
  const without = (of: "precision" | "sum") =>
    (sums.base[of][base] as number) - (model < 0 ? 0 : (sums.model[of][model] as number));
  const precision = prior + Math.max(0, without("precision"));
  return { mean: (prior * family.mean + without("sum")) / precision, variance: 1 / precision };
}
