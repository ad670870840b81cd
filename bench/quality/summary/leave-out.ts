import { weightedMean } from "../../../src/workbench/metrics/choices.js";
import type { Figure } from "../../report/result.js";
import type { PartKind } from "../measure/leave-out.js";
import { figureOf, inPoints } from "./figure.js";
import type { Estimate, PooledSet, Statistic } from "./pooled-set.js";
import { qualityReached } from "./statistics.js";

/** Benchmarks that were routed without having been learned: ours minus the best single model of the others. */
export function leaveOutFigures(set: PooledSet): Figure[] {
  const [first] = set.splits;
  if (first?.measurement.choices["left_out/ours"] === undefined) return [];
  const { partKind: kind } = set;
  const names = set.splits.flatMap(({ rows }) => rows.prompts.map((prompt) => prompt[kind]));
  const parts = [...new Set(names)].toSorted();
  const all = inPoints(set.estimate(ahead(kind, null)));
  if (all.value === null) return [];
  const estimates = parts
    .map((part) => ({ part, estimate: inPoints(set.estimate(ahead(kind, part))) }))
    .filter(
      (found): found is typeof found & { estimate: { value: number } } => found.estimate.value !== null,
    );
  const worst = estimates.reduce((a, b) => (b.estimate.value < a.estimate.value ? b : a));
  const facts = { unit: "points", better: "higher" } as const;
  const id = (rest: string): string => `quality/${set.name}/ours/${rest}`;
  const note = `the embedder may know other prompts of the ${kind} left out`;
  return [
    figureOf(id("left_out"), all, {
      ...facts,
      label: `each ${kind} left out: ours minus the best single model of the others`,
      note,
    }),
    figureOf(id("left_out_worst"), worst.estimate, {
      ...facts,
      label: `worst ${kind} left out: ours minus the best single model of the others`,
      note: `${worst.part}, ${testsOf(set, worst.part)} prompts tested in the split with most; ${note}`,
    }),
    ...estimates.map(({ part, estimate }) => leftOutFigure(id(`left_out/${part}`), part, estimate)),
  ];
}

function leftOutFigure(id: string, part: string, estimate: Estimate): Figure {
  return figureOf(id, estimate, {
    label: `${part} left out: ours minus the best single model of the others`,
    unit: "points",
    better: "higher",
  });
}

/** In the split that tests most of it. */
function testsOf({ splits, partKind }: PooledSet, part: string): number {
  return Math.max(
    ...splits.map(({ rows }) => rows.prompts.filter((prompt) => prompt[partKind] === part).length),
  );
}

/** @param part null = all of them */
function ahead(kind: PartKind, part: string | null): Statistic {
  return (split) => {
    const names = split.rows.prompts.map((prompt) => prompt[kind]);
    const ours = qualityReached(split, "left_out/ours");
    const single = qualityReached(split, "left_out/single");
    const ahead = ours.map((quality, index) =>
      part === null || names[index] === part ? quality - (single[index] ?? Number.NaN) : Number.NaN,
    );
    return (weights) => weightedMean(ahead, weights);
  };
}
