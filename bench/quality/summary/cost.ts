import { reachedBy, weightedMean } from "../../../src/workbench/metrics/choices.js";
import { averageImprovement, costSaved } from "../../../src/workbench/metrics/hull.js";
import { rounded } from "../../evidence/figure.js";
import type { Figure } from "../../report/result.js";
import { sweepTradeOffs } from "../baselines/sweep.js";
import { pricesOf } from "../measure/baselines.js";
import { COST_WEIGHTS } from "../measure/ours.js";
import { figureOf } from "./figure.js";
import type { Estimate, PooledSet, SplitResult, Statistic } from "./pooled-set.js";
import { difference, singlePoints, sweepPoints } from "./statistics.js";

/** Routers with a cost weight. */
const SWEPT = ["ours", "knn20", "label_table", "oracle"] as const;
const RESAMPLES = 300;

/** Cost against quality along each router's cost weight, over the models whose cost is known. */
export function costFigures(set: PooledSet): Figure[] {
  const { costs } = set;
  if (costs === null) return [];
  const id = (rest: string): string => `quality/${set.name}/${rest}`;
  const zero = aiqOf(set, null);
  const figures = [
    figureOf(id("zero_router/aiq"), set.estimate(zero, RESAMPLES), {
      label: "zero router (hull of single models): AIQ",
      unit: "score",
      better: "higher",
    }),
  ];
  for (const method of SWEPT) {
    const aiq = aiqOf(set, method);
    figures.push(
      figureOf(id(`${method}/aiq`), set.estimate(aiq, RESAMPLES), {
        label: `${method}: AIQ`,
        unit: "score",
        better: "higher",
      }),
      figureOf(id(`${method}/aiq_gain`), set.estimate(difference(aiq, zero), RESAMPLES), {
        label: `${method}: AIQ above the zero router`,
        unit: "score",
        better: "higher",
        against: id("zero_router/aiq"),
      }),
      figureOf(id(`${method}/cost_save`), set.estimate(savedBy(set, method), RESAMPLES), {
        label: `${method}: CostSave, cost saved within half a point of the best single model`,
        unit: "share",
        better: "higher",
        note: "the setting is read off the test prompts, as the metric is defined",
        missing: "no setting comes within half a point of the best single model",
      }),
    );
  }
  return [...figures, ...spendFigures(set, id)];
}

function sweepOf(split: SplitResult, set: PooledSet, method: string): readonly Int16Array[] | undefined {
  if (method !== "oracle") return split.measurement.sweeps[method];
  const { costs } = set;
  if (costs === null || split.costUsd === null) return undefined;
  const cost = split.costUsd.map((usd) => (Number.isNaN(usd) ? Number.POSITIVE_INFINITY : usd));
  const prices = pricesOf({ priced: costs.priced, train: split.costUsd, test: split.costUsd });
  return sweepTradeOffs({ quality: split.rows.quality, cost }, split.rows, prices);
}

/** @param method null = the single models alone */
function aiqOf(set: PooledSet, method: string | null): Statistic {
  return (split) => {
    const singles = singlePoints(split, set.costs?.priced ?? []);
    const sweep = method === null ? undefined : sweepOf(split, set, method);
    if (method !== null && sweep === undefined) return () => Number.NaN;
    const points = sweep === undefined ? singles : sweepPoints(split, sweep);
    return (weights) => averageImprovement(points(weights), singles(weights));
  };
}

/** Against the priced model that is best on the test prompts: the one to beat. */
function savedBy(set: PooledSet, method: string): Statistic {
  return (split) => {
    const singles = singlePoints(split, set.costs?.priced ?? []);
    const sweep = sweepOf(split, set, method);
    if (sweep === undefined) return () => Number.NaN;
    const points = sweepPoints(split, sweep);
    return (weights) => {
      const best = singles(weights).reduce((a, b) => (b.quality > a.quality ? b : a));
      return costSaved(points(weights), best);
    };
  };
}

/** Measured over expected dollars of the chosen models, minus 1, at one cost weight. */
function spendErrorAt(step: number): Statistic {
  return (split) => {
    const choice = split.measurement.sweeps.ours?.[step];
    const promised = split.measurement.numbers[`promised/${step}`] ?? Number.NaN;
    if (choice === undefined || split.costUsd === null) return () => Number.NaN;
    const spent = reachedBy(choice, split.costUsd, split.rows.models.length);
    return (weights) => weightedMean(spent, weights) / promised - 1;
  };
}

function spendFigures(set: PooledSet, id: (rest: string) => string): Figure[] {
  const errors = COST_WEIGHTS.map((_, step) => set.estimate(spendErrorAt(step)));
  const known = errors.filter(({ value }) => value !== null);
  if (known.length === 0) return [];
  const worst = known.reduce((a, b) => (Math.abs(b.value ?? 0) > Math.abs(a.value ?? 0) ? b : a));
  const worstStep = errors.indexOf(worst);
  const mean = known.reduce((sum, { value }) => sum + Math.abs(value ?? 0), 0) / known.length;
  const figures = errors.map((error, step) =>
    figureOf(id(`ours/spend_error_at_${(COST_WEIGHTS[step] ?? 0).toFixed(4)}`), error, {
      label: `measured over expected dollars, minus 1, at cost weight ${COST_WEIGHTS[step]}`,
      unit: "share",
      better: "neither",
    }),
  );
  const whole: Figure = {
    ...figureOf(id("ours/spend_error"), magnitude(worst), {
      label: "largest error of the expected dollars at any cost weight",
      unit: "share",
      better: "lower",
      note: `at cost weight ${COST_WEIGHTS[worstStep]}; mean over all weights ${rounded(mean)}`,
    }),
  };
  return [whole, ...figures];
}

function magnitude({ value, low, high, samples }: Estimate): Estimate {
  const turned = (value ?? 0) < 0;
  return {
    value: value === null ? null : Math.abs(value),
    low: turned ? -high : low,
    high: turned ? -low : high,
    samples: samples.map((sample) => (turned ? -sample : sample)),
  };
}
