import type { Figure } from "../../report/result.js";
import { partsOf } from "../measure/leave-out.js";
import { figureOf, inPoints } from "./figure.js";
import type { Estimate, PooledSet, Statistic } from "./pooled-set.js";
import { qualityReached, weightedMean } from "./statistics.js";

/** Benchmarks that were routed without having been learned: ours minus the best single model of the others. */
export function leaveOutFigures(set: PooledSet): Figure[] {
  const [first] = set.splits;
  if (first?.measurement.choices["left_out/ours"] === undefined) return [];
  const { kind, names } = partsOf(first.rows.prompts);
  const parts = [...new Set(names)].toSorted();
  const all = inPoints(set.estimate(ahead(null)));
  if (all.value === null) return [];
  const each = parts
    .map((part) => ({ part, estimate: inPoints(set.estimate(ahead(part))) }))
    .filter(
      (found): found is typeof found & { estimate: { value: number } } => found.estimate.value !== null,
    );
  const worst = each.reduce((a, b) => (b.estimate.value < a.estimate.value ? b : a));
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
      note: `${worst.part}, ${testsOf(set, worst.part)} prompts tested in a split; ${note}`,
    }),
    ...each.map(({ part, estimate }) => leftOutFigure(id(`left_out/${part}`), part, estimate)),
  ];
}

function leftOutFigure(id: string, part: string, estimate: Estimate): Figure {
  return figureOf(id, estimate, {
    label: `${part} left out: ours minus the best single model of the others`,
    unit: "points",
    better: "higher",
  });
}

function testsOf(set: PooledSet, part: string): number {
  const names = partsOf(set.splits[0]?.rows.prompts ?? []).names;
  return names.filter((name) => name === part).length;
}

/** @param part null = all of them */
function ahead(part: string | null): Statistic {
  return (split) => {
    const { names } = partsOf(split.rows.prompts);
    const ours = qualityReached(split, "left_out/ours");
    const single = qualityReached(split, "left_out/single");
    const ahead = ours.map((quality, place) =>
      part === null || names[place] === part ? quality - (single[place] ?? Number.NaN) : Number.NaN,
    );
    return (weights) => weightedMean(ahead, weights);
  };
}
