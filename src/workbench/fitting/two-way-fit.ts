/**
 * Separates the scores of models from the difficulty of their prompts: a two-way random-effects fit.
 *
 * Models of a set were scored on different prompts, so a model with only easy ones has a high mean. Every observed cell
 * is therefore modelled as `link⁻¹(ability[m] + interaction[m, benchmark] + level[i])`: the model's general ability,
 * its additional ability on this benchmark, and the ease of the prompt for all models. Abilities of models without
 * common prompts become comparable through models that connect their prompts. All effects are shrunk by normal priors
 * whose variances are estimated (EM with Laplace variances), so that thirty-five trick questions do not make a model
 * the best at everything: their effect is divided between ability and interaction.
 *
 * With the logistic link this is the Rasch model of item-response theory with a random item and interaction effect (De
 * Boeck & Wilson, "Explanatory Item Response Models", 2004, ch. 2 and 6); with the identity link it is a two-way
 * analysis of variance with random effects. Cost: O(cells) per iteration.
 */

/** One model's observations. Arrays of equal length. */
interface FitColumn {
  /** Anchor numbers. */
  readonly anchors: Uint32Array;
  /** Observed values; in [0, 1] for the logistic link, any finite number for the identity link. NaN is skipped. */
  readonly values: Float32Array;
}

export interface FitInput {
  readonly anchorCount: number;
  /** Benchmark of each anchor, `[anchorCount]`. */
  readonly benchmarkOf: Uint16Array;
  readonly benchmarkCount: number;
  readonly columns: readonly FitColumn[];
}

export interface TwoWayFit {
  /** `[models]`, on the link's scale, mean near 0 plus the common intercept. */
  readonly ability: Float64Array;
  /** Posterior variance of `ability`, `[models]`. */
  readonly abilityVariance: Float64Array;
  /** `[anchors]`, on the link's scale: the higher, the easier (or the longer, for lengths). */
  readonly level: Float32Array;
  /** Variance of the model × benchmark interaction, ≥ 0. */
  readonly interactionVariance: number;
}

export interface Link {
  /** Linear predictor → expected value. */
  readonly mean: (predictor: number) => number;
  /** Expected value → Fisher weight of one observation. */
  readonly weight: (mean: number) => number;
  /** Value → a starting predictor. */
  readonly start: (mean: number) => number;
}

export const logisticLink: Link = {
  mean: (predictor) => 1 / (1 + Math.exp(-predictor)),
  weight: (mean) => Math.max(mean * (1 - mean), 1e-4),
  start: (mean) => Math.log((mean + 0.01) / (1.01 - mean)),
};

/** Unit noise variance suits log2 lengths, whose residual standard deviation is about one octave. */
export const identityLink: Link = { mean: (predictor) => predictor, weight: () => 1, start: (mean) => mean };

/** Effects that depend on few common cells converge slowly: a model measured on one benchmark, a benchmark on few models. */
const ITERATIONS = 100;
const INITIAL_VARIANCE = { ability: 1, interaction: 0.25, level: 2 };
/** Prevents a variance from collapsing to zero on very small data. */
const VARIANCE_FLOOR = 0.02;

interface State {
  readonly link: Link;
  readonly intercept: Float64Array;
  readonly ability: Float64Array;
  readonly abilityVariance: Float64Array;
  /** `[models × benchmarks]`, NaN where the model was not scored on the benchmark. */
  readonly interaction: Float64Array;
  readonly level: Float64Array;
  readonly variance: { ability: number; interaction: number; level: number };
}

/** Fits the effects; deterministic. Anchors without scores get their benchmark's mean level. */
export function fitTwoWay(input: FitInput, link: Link): TwoWayFit {
  const state = start(input, link);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    updateModels(input, state);
    updateLevels(input, state);
  }
  return {
    ability: state.ability,
    abilityVariance: state.abilityVariance,
    level: Float32Array.from(state.level),
    interactionVariance: state.variance.interaction,
  };
}

function start(input: FitInput, link: Link): State {
  const models = input.columns.length;
  const sum = new Float64Array(input.benchmarkCount);
  const count = new Float64Array(input.benchmarkCount);
  for (const { anchors, values } of input.columns) {
    for (let cell = 0; cell < anchors.length; cell++) {
      const value = values[cell] as number;
      if (Number.isNaN(value)) continue;
      const benchmark = input.benchmarkOf[anchors[cell] as number] as number;
      sum[benchmark] = (sum[benchmark] as number) + value;
      count[benchmark] = (count[benchmark] as number) + 1;
    }
  }
  const intercept = sum.map((total, benchmark) => {
    const observed = count[benchmark] as number;
    return observed === 0 ? 0 : link.start(total / observed);
  });
  return {
    link,
    intercept,
    ability: new Float64Array(models),
    abilityVariance: new Float64Array(models).fill(INITIAL_VARIANCE.ability),
    interaction: new Float64Array(models * input.benchmarkCount).fill(Number.NaN),
    level: Float64Array.from(input.benchmarkOf, (benchmark) => intercept[benchmark] as number),
    variance: { ...INITIAL_VARIANCE },
  };
}

/** Newton steps for every model's ability and interactions at fixed levels, then the variances of both. */
function updateModels(input: FitInput, state: State): void {
  const benchmarks = input.benchmarkCount;
  const gradient = new Float64Array(benchmarks);
  const curvature = new Float64Array(benchmarks);
  let abilitySquares = 0;
  let interactionSquares = 0;
  let interactions = 0;
  for (let model = 0; model < input.columns.length; model++) {
    gradient.fill(0);
    curvature.fill(0);
    visitCells(input, state, {
      model,
      visit: ({ benchmark, residual, weight }) => {
        gradient[benchmark] = (gradient[benchmark] as number) + residual;
        curvature[benchmark] = (curvature[benchmark] as number) + weight;
      },
    });
    const base = model * benchmarks;
    // Schur complement: the interactions are integrated out of the step of the ability.
    let g = -(state.ability[model] as number) / state.variance.ability;
    let h = 1 / state.variance.ability;
    for (let b = 0; b < benchmarks; b++) {
      const hb = curvature[b] as number;
      if (hb === 0) continue;
      const prior = 1 / state.variance.interaction;
      const u = orZero(state.interaction[base + b]);
      g += (gradient[b] as number) - (hb * ((gradient[b] as number) - u * prior)) / (hb + prior);
      h += hb - (hb * hb) / (hb + prior);
    }
    const step = clamp(g / h, 2);
    state.ability[model] = (state.ability[model] as number) + step;
    state.abilityVariance[model] = 1 / h;
    abilitySquares += (state.ability[model] as number) ** 2 + 1 / h;
    for (let b = 0; b < benchmarks; b++) {
      const hb = curvature[b] as number;
      if (hb === 0) continue;
      const prior = 1 / state.variance.interaction;
      const u = orZero(state.interaction[base + b]);
      const next = u + clamp(((gradient[b] as number) - hb * step - u * prior) / (hb + prior), 2);
      state.interaction[base + b] = next;
      interactionSquares += next ** 2 + 1 / (hb + prior);
      interactions++;
    }
  }
  centreAbilities(input, state);
  state.variance.ability = Math.max(abilitySquares / input.columns.length, VARIANCE_FLOOR);
  state.variance.interaction = Math.max(interactionSquares / Math.max(interactions, 1), VARIANCE_FLOOR);
}

/** The contribution of one cell to the gradient and the curvature of the log-likelihood. */
type VisitCell = (cell: { anchor: number; benchmark: number; residual: number; weight: number }) => void;

function visitCells(
  input: FitInput,
  state: State,
  at: { readonly model: number; readonly visit: VisitCell },
): void {
  const { anchors, values } = input.columns[at.model] as FitColumn;
  const ability = state.ability[at.model] as number;
  const base = at.model * input.benchmarkCount;
  for (let cell = 0; cell < anchors.length; cell++) {
    const value = values[cell] as number;
    if (Number.isNaN(value)) continue;
    const anchor = anchors[cell] as number;
    const benchmark = input.benchmarkOf[anchor] as number;
    const skill = ability + orZero(state.interaction[base + benchmark]);
    const mean = state.link.mean(skill + (state.level[anchor] as number));
    at.visit({ anchor, benchmark, residual: value - mean, weight: state.link.weight(mean) });
  }
}

/** Moves the mean ability into the levels, because only differences of abilities are identified and their prior has mean 0. */
function centreAbilities(input: FitInput, state: State): void {
  let mean = 0;
  for (const ability of state.ability) mean += ability / state.ability.length;
  for (let model = 0; model < state.ability.length; model++)
    state.ability[model] = (state.ability[model] as number) - mean;
  for (let anchor = 0; anchor < input.anchorCount; anchor++)
    state.level[anchor] = (state.level[anchor] as number) + mean;
  for (let b = 0; b < input.benchmarkCount; b++) state.intercept[b] = (state.intercept[b] as number) + mean;
}

/** One Newton step for every anchor's level at fixed models, then the benchmarks' means and the variance. */
function updateLevels(input: FitInput, state: State): void {
  const gradient = new Float64Array(input.anchorCount);
  const curvature = new Float64Array(input.anchorCount);
  const visit: VisitCell = ({ anchor, residual, weight }) => {
    gradient[anchor] = (gradient[anchor] as number) + residual;
    curvature[anchor] = (curvature[anchor] as number) + weight;
  };
  for (let model = 0; model < input.columns.length; model++) visitCells(input, state, { model, visit });
  const prior = 1 / state.variance.level;
  const sum = new Float64Array(input.benchmarkCount);
  const count = new Float64Array(input.benchmarkCount);
  let squares = 0;
  for (let anchor = 0; anchor < input.anchorCount; anchor++) {
    const b = input.benchmarkOf[anchor] as number;
    const centre = state.intercept[b] as number;
    const level = state.level[anchor] as number;
    const h = (curvature[anchor] as number) + prior;
    const next = level + clamp(((gradient[anchor] as number) - (level - centre) * prior) / h, 2);
    state.level[anchor] = next;
    squares += (next - centre) ** 2 + 1 / h;
    sum[b] = (sum[b] as number) + next;
    count[b] = (count[b] as number) + 1;
  }
  for (let b = 0; b < input.benchmarkCount; b++) {
    if ((count[b] as number) > 0) state.intercept[b] = (sum[b] as number) / (count[b] as number);
  }
  state.variance.level = Math.max(squares / Math.max(input.anchorCount, 1), VARIANCE_FLOOR);
}

function orZero(value: number | undefined): number {
  return value === undefined || Number.isNaN(value) ? 0 : value;
}

function clamp(step: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, step));
}
