import { type ChosenWeight, chooseWeight } from "../../workbench/evaluation/choose-weight.js";
import type { EvaluatedSweep, Evaluation } from "../../workbench/evaluation/evaluate.js";
import { MAX_LOSSES } from "../../workbench/set-report/recommended-losses.js";
import { calibrationChart } from "../calibration-chart.js";
import { type Element, element } from "../element.js";
import { percent, points } from "../figures.js";
import { frontierChart } from "../frontier-chart.js";
import { goalOf, KNEE } from "../frontier-section.js";
import { cell, columnHead, note, rowHead, section, table } from "../section.js";

/** What a report shows of prompts that the set was not built with. */
export interface HeldOut {
  readonly evaluation: Evaluation;
  /** Cost weights by how many points of quality they may lose against the best that is reached; empty without costs. */
  readonly weights: readonly { readonly maxLoss: number; readonly chosen: ChosenWeight }[];
  /** The knee of cost and quality; null without costs. */
  readonly knee: ChosenWeight | null;
}

/** An evaluation with the cost weights to recommend. */
export function withWeights(
  { evaluation, sweep }: EvaluatedSweep,
  { seed }: { readonly seed: number },
): HeldOut {
  if (sweep.costWeights.length === 0) return { evaluation, weights: [], knee: null };
  return {
    evaluation,
    weights: MAX_LOSSES.map((maxLoss) => ({ maxLoss, chosen: chooseWeight(sweep, { maxLoss }, { seed }) })),
    knee: chooseWeight(sweep, "knee", { seed }),
  };
}

/** @param tuned cost weight that is saved in the set */
export function heldOutSection(heldOut: HeldOut, tuned: number | null): Element {
  const { evaluation } = heldOut;
  const { calibration, gain, best, prompts, knownPrompts } = evaluation;
  const known =
    knownPrompts === 0 ? "" : ` ${knownPrompts} more were left out, as the set was built with them.`;
  return section(
    "held-out",
    `On ${prompts} held-out prompts`,
    note(
      `At cost weight ${evaluation.costWeight}, decisions are ${points(gain.value)} points [${points(gain.low)}, ${points(gain.high)}] against always ${best}, the best single model on these prompts; brackets hold 95 % of 1,000 bootstrap draws.${known}`,
    ),
    element(
      "div",
      { class: "charts" },
      evaluation.sweep.length === 0 ? note(NO_COSTS) : frontierOf(heldOut, tuned),
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
  "The cost of fewer than two models is known, so that there is no frontier to draw. Add cost_usd to the outcomes.";

function frontierOf({ evaluation, weights, knee }: HeldOut, tuned: number | null): Element {
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
    tuned,
  });
}

function weightTable({ weights, knee }: HeldOut): Element[] {
  const chosenBy = [
    ...weights.map(({ maxLoss, chosen }) => ({ name: goalOf(maxLoss), chosen })),
    ...(knee === null ? [] : [{ name: KNEE, chosen: knee }]),
  ];
  const rows = chosenBy.map(({ name, chosen }) => {
    const { costWeight, gain, saved, costUsd, onOtherPrompts } = chosen;
    const goal = rowHead(name);
    if (costWeight === null || gain === null || saved === null || costUsd === null) {
      const none = "no cost weight reaches it: always the best single model is better on these prompts";
      return element("tr", {}, goal, element("td", { colspan: 4, class: "muted" }, none));
    }
    const later =
      onOtherPrompts === null
        ? "–"
        : `${points(onOtherPrompts.gain)} points, ${percent(onOtherPrompts.saved)} saved`;
    return element(
      "tr",
      {},
      goal,
      ...[String(costWeight), points(gain.value), percent(saved.value), later].map((value) =>
        cell(value, "number"),
      ),
    );
  });
  return [
    element("h3", { class: "after" }, "Recommended cost weights"),
    table({
      label: "Cost weights recommended by held-out prompts",
      head: [
        columnHead("quality to lose against the best that is reached"),
        columnHead("cost weight", "number"),
        columnHead("points against the best single model", "number"),
        columnHead("saved", "number"),
        columnHead("on prompts it was not chosen by", "number"),
      ],
      rows,
    }),
  ];
}
