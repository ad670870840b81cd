import { figureOf } from "../evidence/figure.js";
import type { Figure } from "../report/result.js";
import { median } from "../report/statistics.js";
import { FEWEST_MODELS, levelOf, type SetMeans, shareWithin, slopeOf } from "./model-means.js";

const path = (rest: string): string => `current/left_out/${rest}`;
const label = (rest: string): string => `sets left out whole: ${rest}`;

/**
 * How far expectations are off for a kind of prompt of which nothing was learned: their level, and the size of differences between
 * models.
 */
export function leftOutSetFigures(all: readonly SetMeans[]): Figure[] {
  const sets = all.filter(({ known }) => known.length >= FEWEST_MODELS);
  const missing = "no set of which enough models are known";
  const levelErrors = sets.map(({ known }) => Math.abs(levelError(known)));
  const slopes = sets.map(({ known }) => slopeOf(known)).filter(Number.isFinite);
  const level = { unit: "share", better: "lower", missing } as const;
  const slope = { unit: "ratio", missing, id: path("slope/median"), value: median(slopes) } as const;
  return [
    figureOf({
      ...{ ...level, id: path("level_error/median"), value: median(levelErrors) },
      label: label("median error of a set's expected mean"),
    }),
    figureOf({
      ...{ ...level, id: path("level_error/greatest"), value: Math.max(...levelErrors) },
      ...{ label: label("greatest error of a set's expected mean") },
    }),
    figureOf({
      ...{ ...slope, better: "higher" },
      label: label("real differences between models over expected, median"),
    }),
    ...sets.flatMap(setFigures),
  ];
}

const levelError = (known: SetMeans["known"]): number => levelOf(known).expected - levelOf(known).measured;

function setFigures({ set, known }: SetMeans): Figure[] {
  const { expected, measured } = levelOf(known);
  const facts = { better: "neither", missing: "all expected alike" } as const;
  return [
    figureOf({
      ...{ ...facts, id: path(`${set}/level_error`), unit: "share", value: expected - measured },
      ...{
        label: `${set}: expected less measured mean`,
        note: `${expected.toFixed(2)} − ${measured.toFixed(2)}`,
      },
    }),
    figureOf({
      ...{ ...facts, id: path(`${set}/slope`), unit: "ratio", value: slopeOf(known) },
      label: `${set}: real differences between models over expected`,
    }),
    figureOf({
      ...{ ...facts, id: path(`${set}/within_2`), unit: "share", value: shareWithin(known, 2) },
      label: `${set}: measured means within two standard errors`,
    }),
  ];
}
