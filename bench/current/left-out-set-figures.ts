import { figureOf } from "../evidence/figure.js";
import type { Figure } from "../report/result.js";
import { mean, median } from "../report/statistics.js";
import { DIAL_WEIGHTS, type SetDial } from "./dial.js";
import type { LeftOutSet } from "./measure-sets.js";
import { FEWEST_MODELS, levelOf, shareWithin, slopeOf } from "./model-means.js";

const ANSWERS = { call: "single answers", task: "agents' tasks" };

const path = (rest: string): string => `current/left_out/${rest}`;
const label = (rest: string): string => `sets left out whole: ${rest}`;

/**
 * How far expectations are off for a kind of prompt of which nothing was learned: their level, the size of differences between models,
 * the choices along the cost weight, and their dollars.
 */
export function leftOutSetFigures(all: readonly LeftOutSet[]): Figure[] {
  const sets = all.filter(({ known }) => known.length >= FEWEST_MODELS);
  const missing = "no set of which enough models are known";
  const levelErrors = sets.map(({ known }) => Math.abs(levelError(known)));
  const above = sets.flatMap(({ dial }) => dial?.above ?? []);
  const slopes = sets.map(({ known }) => slopeOf(known)).filter(Number.isFinite);
  const level = { unit: "share", better: "lower", missing } as const;
  const slope = { unit: "ratio", missing, id: path("slope/median"), value: median(slopes) } as const;
  const dial = { unit: "points", better: "higher", missing } as const;
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
    figureOf({
      ...{ ...dial, id: path("dial/least"), value: Math.min(...above) },
      label: label("quality above random mixing at the same cost, least of weights and sets"),
    }),
    figureOf({
      ...{ ...dial, id: path("dial/mean"), value: mean(above) },
      label: label("quality above random mixing at the same cost, mean over weights and sets"),
    }),
    ...(["call", "task"] as const).flatMap((per) => dollarFigures(sets, per)),
    ...sets.flatMap(setFigures),
  ];
}

const levelError = (known: LeftOutSet["known"]): number => levelOf(known).expected - levelOf(known).measured;

function dollarFigures(sets: readonly LeftOutSet[], per: SetDial["per"]): Figure[] {
  const ratios = sets.flatMap(({ dial }) => (dial?.per === per ? dial.realOverExpected : []));
  const facts = { unit: "ratio", missing: "no set with dollars" } as const;
  return [
    figureOf({
      ...{ ...facts, id: path(`dollars/${per}/least`), better: "higher" },
      ...{ value: Math.min(...ratios), label: label(`real over expected dollars of ${ANSWERS[per]}, least`) },
    }),
    figureOf({
      ...{ ...facts, id: path(`dollars/${per}/greatest`), better: "lower" },
      ...{
        value: Math.max(...ratios),
        label: label(`real over expected dollars of ${ANSWERS[per]}, greatest`),
      },
    }),
  ];
}

function setFigures({ set, known, dial }: LeftOutSet): Figure[] {
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
    ...(dial === undefined ? [] : DIAL_WEIGHTS.flatMap((_, at) => dialFigures(set, { dial, at }))),
  ];
}

function dialFigures(set: string, { dial, at }: { readonly dial: SetDial; readonly at: number }): Figure[] {
  const weight = DIAL_WEIGHTS[at];
  const note = `${dial.models} models, ${dial.prompts} ${dial.per === "task" ? "tasks" : "prompts"}`;
  const facts = { better: "neither", missing: "a choice has no expected cost", note } as const;
  return [
    figureOf({
      ...{ ...facts, id: path(`${set}/dial/${weight}`), unit: "points", value: dial.above[at] ?? Number.NaN },
      label: `${set}: quality above random mixing at cost weight ${weight}`,
    }),
    figureOf({
      ...{ ...facts, id: path(`${set}/dollars/${weight}`), unit: "ratio" },
      ...{
        value: dial.realOverExpected[at] ?? Number.NaN,
        label: `${set}: real over expected dollars at ${weight}`,
      },
    }),
  ];
}
