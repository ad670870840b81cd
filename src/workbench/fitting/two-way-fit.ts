/**
 * Separates what models add to a figure from what their prompts do: a two-way analysis of variance with random effects.
 *
 * Models of a set were asked different prompts, so a model with only short ones has a low mean. Every observed cell is
 * therefore modelled as `ability[m] + interaction[m, benchmark] + level[i]`: the model's general effect, its additional
 * effect on this benchmark, and that of the prompt on all models. Effects of models without common prompts become
 * comparable through models that connect their prompts. All are shrunk by normal priors whose variances are estimated
 * (EM with Laplace variances), so that thirty-five prompts of one kind do not decide a model's effect: it is divided
 * between ability and interaction. Unit noise variance suits log2 lengths, whose residual standard deviation is about
 * one octave. Cost: O(cells) per iteration.
 */

/** One model's observations. Arrays of equal length. */
interface FitColumn {
  /** Anchor numbers. */
  readonly anchors: Uint32Array;
  /** Any finite number; NaN is skipped. */
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
  /** `[models]`; the mean is 0. */
  readonly ability: Float64Array;
  /** `[anchors]` */
  readonly level: Float32Array;
}

/** Effects that depend on few common cells converge slowly: a model measured on one benchmark, a benchmark on few models. */
const ITERATIONS = 100;
const INITIAL_VARIANCE = { ability: 1, interaction: 0.25, level: 2 };
/** Prevents a variance from collapsing to zero on very small data. */
const VARIANCE_FLOOR = 0.02;

interface State {
  readonly intercept: Float64Array;
  readonly ability: Float64Array;
  /** `[models × benchmarks]`; 0 where the model has no value on the benchmark. */
  readonly interaction: Float64Array;
  readonly level: Float64Array;
  readonly variance: { ability: number; interaction: number; level: number };
}

/** Fits the effects; deterministic. Anchors without values get their benchmark's mean level. */
export function fitTwoWay(input: FitInput): TwoWayFit {
  const state = start(input);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    updateModels(input, state);
    updateLevels(input, state);
  }
  return { ability: state.ability, level: Float32Array.from(state.level) };
}

function start(input: FitInput): State {
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
  const intercept = sum.map((total, benchmark) => total / Math.max(1, count[benchmark] as number));
  return {
    intercept,
    ability: new Float64Array(models),
    interaction: new Float64Array(models * input.benchmarkCount),
    level: Float64Array.from(input.benchmarkOf, (benchmark) => intercept[benchmark] as number),
    variance: { ...INITIAL_VARIANCE },
  };
}

/** Newton steps for every model's ability and interactions at fixed levels, then the variances of both. */
function updateModels(input: FitInput, state: State): void {
  const benchmarks = input.benchmarkCount;
  const gradient = new Float64Array(benchmarks);
  const counts = new Float64Array(benchmarks);
  const prior = 1 / state.variance.interaction;
  let abilitySquares = 0;
  let interactionSquares = 0;
  let interactions = 0;
  for (let model = 0; model < input.columns.length; model++) {
    gradient.fill(0);
    counts.fill(0);
    visitCells(input, state, {
      model,
      visit: ({ benchmark, residual }) => {
        gradient[benchmark] = (gradient[benchmark] as number) + residual;
        counts[benchmark] = (counts[benchmark] as number) + 1;
      },
    });
    const base = model * benchmarks;
    // Schur complement: the interactions are integrated out of the step of the ability.
    let g = -(state.ability[model] as number) / state.variance.ability;
    let h = 1 / state.variance.ability;
    for (let b = 0; b < benchmarks; b++) {
      const count = counts[b] as number;
      if (count === 0) continue;
      const u = state.interaction[base + b] as number;
      g += (gradient[b] as number) - (count * ((gradient[b] as number) - u * prior)) / (count + prior);
      h += count - (count * count) / (count + prior);
    }
    const step = clamp(g / h, 2);
    state.ability[model] = (state.ability[model] as number) + step;
    abilitySquares += (state.ability[model] as number) ** 2 + 1 / h;
    for (let b = 0; b < benchmarks; b++) {
      const count = counts[b] as number;
      if (count === 0) continue;
      const u = state.interaction[base + b] as number;
      const next = u + clamp(((gradient[b] as number) - count * step - u * prior) / (count + prior), 2);
      state.interaction[base + b] = next;
      interactionSquares += next ** 2 + 1 / (count + prior);
      interactions++;
    }
  }
  centreAbilities(input, state);
  state.variance.ability = Math.max(abilitySquares / input.columns.length, VARIANCE_FLOOR);
  state.variance.interaction = Math.max(interactionSquares / Math.max(interactions, 1), VARIANCE_FLOOR);
}

type VisitCell = (cell: { anchor: number; benchmark: number; residual: number }) => void;

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
    const effect = ability + (state.interaction[base + benchmark] as number);
    at.visit({ anchor, benchmark, residual: value - (effect + (state.level[anchor] as number)) });
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
  const counts = new Float64Array(input.anchorCount);
  const visit: VisitCell = ({ anchor, residual }) => {
    gradient[anchor] = (gradient[anchor] as number) + residual;
    counts[anchor] = (counts[anchor] as number) + 1;
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
    const h = (counts[anchor] as number) + prior;
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

/** A step of at most the limit. */
export const clamp = (step: number, limit: number): number => Math.max(-limit, Math.min(limit, step));
