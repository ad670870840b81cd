import type { SetReportBody } from "../api/set-report.js";
import { calibrationChart } from "./calibration-chart.js";
import { type Element, element } from "./element.js";
import { count, percent, points, quality, usd } from "./figures.js";
import { frontierChart } from "./frontier-chart.js";
import { cell, columnHead, note, rowHead, section, table } from "./section.js";

/** What decisions expect along the cost weight, with the weights to recommend, and whether expectations hold. */
export function frontierSection({ frontier, calibration }: SetReportBody): Element {
  return section(
    "expected",
    "Cost and quality as decisions expect them",
    frontier === null ? null : note(aboutFrontier(frontier)),
    frontier === null && calibration === null
      ? note("Neither a price nor graded answers are known for two models of the set.")
      : null,
    element(
      "div",
      { class: "charts" },
      frontier === null
        ? null
        : frontierChart({
            ...frontier,
            recommended: frontier.weights.map(({ cost_weight: weight }) => weight),
          }),
      calibration === null ? null : calibrationChart(calibration),
    ),
    calibration === null
      ? note("No graded answer is in the set, so that expectations cannot be compared with any.")
      : note(
          `Calibration compares ${count(calibration.answers)} graded answers in the set with what is expected without them; the set was tuned on the same answers, so that new prompts may show a little more.`,
        ),
    frontier === null ? null : weightTable(frontier),
  );
}

function aboutFrontier({ prompts, singles }: NonNullable<SetReportBody["frontier"]>): string {
  const [best] = singles;
  const single =
    best === undefined
      ? ""
      : ` The best single model is ${best.model}: ${quality(best.quality)} for ${usd(1000 * best.cost_usd)} a thousand prompts.`;
  return `Expectations, not measurements: means over ${count(prompts)} profiled prompts, each decided as if it were unknown.${single}`;
}

function weightTable({ weights }: NonNullable<SetReportBody["frontier"]>): Element[] {
  const rows = distinct(weights).map(({ goals, cost_weight: weight, loss, saved }) =>
    element(
      "tr",
      {},
      rowHead(goals),
      cell(String(weight), "number"),
      cell(loss === 0 ? "0.00" : points(-loss), "number"),
      cell(percent(saved), "number"),
    ),
  );
  return [
    element("h3", { class: "after" }, "Recommended cost weights"),
    table({
      label: "Cost weights recommended by expectations",
      head: [
        columnHead("quality to lose against the best cost weight"),
        columnHead("cost weight", "number"),
        columnHead("points", "number"),
        columnHead("saved against the best single model", "number"),
      ],
      rows,
    }),
  ];
}

/** In words: "no loss", "at most 2 points". */
export const goalOf = (maxLoss: number): string =>
  maxLoss === 0 ? "no loss" : `at most ${100 * maxLoss} point${maxLoss === 0.01 ? "" : "s"}`;

/** Goals that the same cost weight meets share a row. */
function distinct(weights: NonNullable<SetReportBody["frontier"]>["weights"]) {
  const byWeight = new Map<number, (typeof weights)[number] & { readonly goals: string }>();
  for (const chosen of weights) {
    const known = byWeight.get(chosen.cost_weight);
    const goal = goalOf(chosen.max_loss);
    byWeight.set(chosen.cost_weight, {
      ...chosen,
      goals: known === undefined ? goal : `${known.goals}, ${goal}`,
    });
  }
  return [...byWeight.values()];
}
