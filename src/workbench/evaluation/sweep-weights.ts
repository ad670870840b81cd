/** Cost weights to begin with: 0, 0.05, … 1. */
const FIRST_WEIGHTS: readonly number[] = Array.from({ length: 21 }, (_, step) => step / 20);

/** Most weights that are added where quality changes. */
const MOST_ADDED = 20;

/** Neighbouring weights whose quality differs by more than that get one half way between them: a point. */
const LARGEST_STEP = 0.01;
/** Weights are no closer than an eighth of the first ones. */
const CLOSEST = 0.05 / 8;

export interface SweptWeight<Choice> {
  readonly costWeight: number;
  /** The decisions. */
  readonly choice: Choice;
  /** Mean over the prompts. */
  readonly quality: number;
}

export interface SweepOptions {
  /** Most cost weights that are added to the first 21. Default: 20. */
  readonly mostAdded?: number;
  /** A cost weight that is decided at in any case. */
  readonly including?: number | undefined;
}

/**
 * Decides along the cost weight, in finer steps where quality changes most: one set loses most between 0 and 0.05, another
 * nothing before 0.6.
 *
 * @param decide is called once for each cost weight
 * @returns by cost weight, ascending from 0 to 1
 */
export function sweepWeights<Choice>(
  decide: (costWeight: number) => Omit<SweptWeight<Choice>, "costWeight">,
  { mostAdded = MOST_ADDED, including }: SweepOptions = {},
): readonly SweptWeight<Choice>[] {
  const sweep: SweptWeight<Choice>[] = [];
  for (const costWeight of FIRST_WEIGHTS) sweep.push({ costWeight, ...decide(costWeight) });
  for (let added = 0; added < mostAdded; added++) {
    const step = coarsestStep(sweep);
    if (step === undefined) break;
    const [from, to] = [sweep[step], sweep[step + 1]] as [SweptWeight<Choice>, SweptWeight<Choice>];
    const costWeight = rounded((from.costWeight + to.costWeight) / 2);
    sweep.splice(step + 1, 0, { costWeight, ...decide(costWeight) });
  }
  if (including === undefined || sweep.some(({ costWeight }) => costWeight === including)) return sweep;
  const included = { costWeight: including, ...decide(including) };
  return [...sweep, included].sort((a, b) => a.costWeight - b.costWeight);
}

/** Index of the weight behind which quality changes most; undefined when every step is fine enough. */
function coarsestStep(sweep: readonly SweptWeight<unknown>[]): number | undefined {
  let coarsest: { readonly step: number; readonly change: number } | undefined;
  for (const [step, { costWeight, quality }] of sweep.slice(0, -1).entries()) {
    const next = sweep[step + 1] as SweptWeight<unknown>;
    const change = Math.abs(next.quality - quality);
    const isFine = change <= LARGEST_STEP || next.costWeight - costWeight < 1.5 * CLOSEST;
    if (!isFine && change > (coarsest?.change ?? 0)) coarsest = { step, change };
  }
  return coarsest?.step;
}

const rounded = (weight: number): number => Math.round(weight * 1e5) / 1e5;
