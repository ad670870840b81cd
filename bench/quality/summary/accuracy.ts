import type { Figure } from "../../report/result.js";
import { figureOf, inPoints } from "./figure.js";
import type { PooledSet, Statistic } from "./pooled-set.js";
import { difference, meanQuality, oracleQuality } from "./statistics.js";

/** Every way of choosing at cost weight 0, ours first. */
const METHODS: Readonly<Record<string, string>> = {
  ours: "ours, as shipped",
  knn20: "kNN, k = 20",
  label_table: "table by true label",
  best_single: "best single model",
  oracle: "oracle (hindsight)",
};

const statisticOf = (method: string): Statistic =>
  method === "oracle" ? oracleQuality : meanQuality(method);

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
  return figures;
}
