import {
  type ChosenWeight,
  chooseWeights,
  MAX_LOSSES,
  type WeighedStep,
  weighedStep,
} from "../../evaluation/choose-weight.js";
import type { EvaluatedSweep, Evaluation } from "../../evaluation/evaluate.js";
import { calibrationChart, frontierChart } from "../charts.js";
import { type Element, element } from "../element.js";
import { costChange, counted, points } from "../figures.js";
import { cell, columnHead, emptyRow, note, rowHead, section, table } from "../section.js";

/** What a report shows of prompts that the set was not built with. */
export interface HeldOut {
  readonly evaluation: Evaluation;
  /** Cost weights by how many points of quality they may lose against the best that is reached; empty without costs. */
  readonly weights: readonly { readonly maxLoss: number; readonly chosen: ChosenWeight }[];
  /** The knee of cost and quality; null without costs. */
  readonly knee: ChosenWeight | null;
  /** The cost weight that is saved in the set; null where none is, and without costs. */
  readonly tuned: WeighedStep | null;
}

/**
 * An evaluation with the cost weights that `profile tune` would save.
 *
 * @param options.tuned cost weight that is saved in the set, which the sweep includes
 */
export function withWeights(
  { evaluation, sweep }: EvaluatedSweep,
  { seed, tuned }: { readonly seed: number; readonly tuned?: number | undefined },
): HeldOut {
  if (sweep.costWeights.length === 0) return { evaluation, weights: [], knee: null, tuned: null };
  const goals = [...MAX_LOSSES.map((maxLoss) => ({ maxLoss })), "knee" as const];
  const chosen = chooseWeights(sweep, goals, { seed });
  return {
    evaluation,
    weights: MAX_LOSSES.map((maxLoss, at) => ({ maxLoss, chosen: chosen[at] as ChosenWeight })),
    knee: chosen.at(-1) as ChosenWeight,
    tuned: tuned === undefined ? null : weighedStep(sweep, tuned, { seed }),
  };
}

export function heldOutSection(heldOut: HeldOut): Element {
  const { evaluation } = heldOut;
  const { calibration, gain, best, prompts, knownPrompts } = evaluation;
  const known =
    knownPrompts === 0
      ? ""
      : ` ${knownPrompts} more ${knownPrompts === 1 ? "was" : "were"} left out, as the set was built with ${knownPrompts === 1 ? "it" : "them"}.`;
  return section(
    "held-out",
    `On ${counted(prompts, "held-out prompt")}`,
    note(
      `At cost weight ${evaluation.costWeight}, decisions are ${points(gain.value)} points [${points(gain.low)}, ${points(gain.high)}] against ${best}, the best single model on these prompts; brackets hold 95% of 1,000 bootstrap draws.${known}`,
    ),
    element(
      "div",
      { class: "charts" },
      evaluation.sweep.length === 0 ? note(NO_COSTS) : frontierOf(heldOut),
      calibrationChart({
        error: calibration.error,
        if_perfect: calibration.ifPerfect,
        bins: calibration.bins,
      }),
    ),
    heldOut.weights.length === 0 ? null : weightTable(heldOut),
  );
}

const NO_COSTS =
  "The cost of fewer than two models is known, so there is no frontier to draw. Add cost_usd to the outcomes.";

function frontierOf({ evaluation, weights, knee, tuned }: HeldOut): Element {
  const { sweep, models } = evaluation;
  return frontierChart({
    sweep: sweep.map(({ costWeight, quality, costUsd }) => ({
      cost_weight: costWeight,
      quality,
      cost_usd: costUsd,
    })),
    singles: models.flatMap(({ model, quality, costUsd }) =>
      costUsd === null ? [] : [{ model, quality, cost_usd: costUsd }],
    ),
    recommended: weights.flatMap(({ chosen }) => chosen.costWeight ?? []),
    knee: knee?.costWeight ?? null,
    tuned: tuned?.costWeight ?? null,
  });
}

function weightTable({ weights, knee, tuned }: HeldOut): Element[] {
  return [
    element("h3", { class: "after" }, "Cost weights that profile tune would save"),
    table({
      label: "Cost weights by held-out prompts",
      head: [
        columnHead("quality to lose against the best that is reached"),
        columnHead("cost weight", "number"),
        columnHead("points against the best cost weight", "number"),
        columnHead("points against the best single model", "number"),
        columnHead("cost against the best single model", "number"),
        columnHead("on prompts it was not chosen by, against the best single model", "number"),
      ],
      rows: [
        ...weights.map(({ maxLoss, chosen }) => chosenRow(goalOf(maxLoss), chosen, NOT_REACHED)),
        ...(knee === null ? [] : [chosenRow(KNEE, knee, NO_KNEE)]),
        ...(tuned === null ? [] : [weightRow(TUNED, tuned, "–")]),
      ],
    }),
  ];
}

/** In words: "no loss", "at most 2 points". */
const goalOf = (maxLoss: number): string =>
  maxLoss === 0 ? "no loss" : `at most ${100 * maxLoss} point${maxLoss === 0.01 ? "" : "s"}`;

/** What a table of cost weights calls the knee. */
const KNEE = "knee: beyond it, quality falls faster than cost";

const NO_KNEE = "no pronounced knee: quality falls about evenly with cost";

/** What a table of cost weights calls the one that is saved in the set. */
const TUNED = "saved in the set by profile tune";

const NOT_REACHED = "no cost weight reaches it: the best single model is better on these prompts";

/** @param none what is said where no cost weight was found */
function chosenRow(name: string, { onOtherPrompts: others, ...chosen }: ChosenWeight, none: string): Element {
  if (!isWeighed(chosen)) return emptyRow(name, { columns: 5, none });
  const later = others === null ? "–" : `${points(others.gain)} points, cost ${costChange(others.saved)}`;
  return weightRow(name, chosen, later);
}

const isWeighed = (chosen: Omit<ChosenWeight, "onOtherPrompts">): chosen is WeighedStep =>
  chosen.costWeight !== null;

function weightRow(
  name: string,
  { costWeight, bestWeight, gain, saved }: WeighedStep,
  later: string,
): Element {
  const figures = [
    String(costWeight),
    points(bestWeight.gain.value),
    points(gain.value),
    costChange(saved.value),
    later,
  ];
  return element(
    "tr",
    {},
    rowHead(name),
    figures.map((figure) => cell(figure, "number")),
  );
}
