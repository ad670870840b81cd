import { rounded } from "../../evidence/figure.js";
import type { Figure } from "../../report/result.js";
import type { PooledSet } from "./pooled-set.js";

/** Over all sets: mean quality, and the least favourable value of some figures. */
export function overallFigures(sets: readonly PooledSet[], figures: readonly Figure[]): Figure[] {
  if (sets.length < 2) return [];
  const of = (rest: string): Figure[] =>
    sets.flatMap(({ name }) => figures.find(({ id }) => id === `quality/${name}/${rest}`) ?? []);
  const worst = (rest: string, { largest }: { readonly largest: number }): Figure[] => {
    const found = of(rest).filter(({ value }) => value !== null);
    const [first, ...others] = found;
    if (first === undefined) return [];
    const bad = others.reduce((a, b) => (largest * (b.value ?? 0) > largest * (a.value ?? 0) ? b : a), first);
    const set = bad.id.split("/")[1] ?? "";
    const note = bad.note === undefined ? set : `${set}: ${bad.note}`;
    return [{ ...bad, id: `quality/all/${rest}`, label: `worst of all sets: ${bad.label}`, note }];
  };
  return [
    ...["ours", "best_single", "knn20", "label_table"].flatMap((method) =>
      meanFigure(of(`${method}/accuracy`), method),
    ),
    ...worst("ours/left_out_worst", { largest: -1 }),
    ...worst("ours/ece", { largest: 1 }),
    ...worst("ours/spend_error", { largest: 1 }),
  ];
}

function meanFigure(figures: readonly Figure[], method: string): Figure[] {
  if (figures.length === 0) return [];
  const value = figures.reduce((sum, figure) => sum + (figure.value ?? 0), 0) / figures.length;
  const splits = Math.min(...figures.map(({ samples }) => samples?.length ?? 0));
  const samples = Array.from({ length: splits }, (_, split) =>
    rounded(figures.reduce((sum, figure) => sum + (figure.samples?.[split] ?? 0), 0) / figures.length),
  );
  return [
    {
      id: `quality/all/${method}/accuracy`,
      label: `${method}: mean over the sets of quality at cost weight 0`,
      value: rounded(value),
      unit: "score",
      better: "higher",
      samples,
    },
  ];
}
