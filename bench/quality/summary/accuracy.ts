import { gapClosed } from "../../../src/workbench/metrics/hull.js";
import type { Figure } from "../../report/result.js";
import { figureOf, inPoints } from "./figure.js";
import type { PooledSet, Statistic } from "./pooled-set.js";
import { difference, meanQuality, oracleQuality, randomQuality } from "./statistics.js";

/** Every way of choosing at cost weight 0, ours first. */
export const METHODS: Readonly<Record<string, string>> = {
  ours: "ours, as shipped",
  knn20: "kNN, k = 20",
  label_table: "table by true label",
  best_single: "best single model",
  cheapest: "cheapest model",
  most_expensive: "most expensive model",
  random: "random model",
  oracle: "oracle (hindsight)",
};

export function statisticOf(method: string): Statistic {
  if (method === "random") return randomQuality;
  if (method === "oracle") return oracleQuality;
  return meanQuality(method);
}

/** Quality reached at cost weight 0 by every method, and how ours compares. */
export function accuracyFigures(set: PooledSet): Figure[] {
  const id = (rest: string): string => `quality/${set.name}/${rest}`;
  const figures: Figure[] = [];
  for (const [method, label] of Object.entries(METHODS)) {
    const accuracy = set.estimate(statisticOf(method));
    if (accuracy.value === null) continue;
    const facts = { label: `${label}: quality at cost weight 0`, unit: "score", better: "higher" } as const;
    figures.push(figureOf(id(`${method}/accuracy`), accuracy, facts));
    if (method === "ours") continue;
    const gain = inPoints(set.estimate(difference(statisticOf("ours"), statisticOf(method))));
    const name = method === "best_single" ? "accuracy_gain" : `accuracy_minus_${method}`;
    figures.push(
      figureOf(id(`ours/${name}`), gain, {
        label: `ours minus ${label}: quality at cost weight 0`,
        unit: "points",
        better: "higher",
        against: id(`${method}/accuracy`),
      }),
    );
  }
  return [...figures, ...shareFigures(set, id)];
}

function shareFigures(set: PooledSet, id: (rest: string) => string): Figure[] {
  const closed: Statistic = (split) => {
    const [ours, best, oracle] = ["ours", "best_single", "oracle"].map((name) => statisticOf(name)(split));
    return (weights) =>
      gapClosed(ours?.(weights) ?? Number.NaN, {
        best: best?.(weights) ?? Number.NaN,
        oracle: oracle?.(weights) ?? Number.NaN,
      });
  };
  const gain: Statistic = (split) => {
    const [ours, best] = [statisticOf("ours")(split), statisticOf("best_single")(split)];
    return (weights) => performanceGain(ours(weights), best(weights));
  };
  return [
    figureOf(id("ours/gap_closed"), set.estimate(closed), {
      label: "share of the gap from best single model to oracle that is closed",
      unit: "share",
      better: "higher",
    }),
    figureOf(id("ours/perf_gain"), set.estimate(gain), {
      label: "PerfGain: quality above the best single model, as a share of it",
      unit: "share",
      better: "higher",
    }),
  ];
}

/** PerfGain: how much better than the best single model, as a share of it. */
export function performanceGain(quality: number, best: number): number {
  return (quality - best) / best;
}
