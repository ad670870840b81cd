import type { SetReport } from "../../engine/profiles/set-report.js";
import { calibrationChart, frontierChart } from "./charts.js";
import { type Element, element } from "./element.js";
import { costChange, counted, points, quality, recommendedWeightText, usd } from "./figures.js";
import { note, section } from "./section.js";

/**
 * What decisions expect along the cost weight, with the recommended weight, and whether expectations hold.
 *
 * @param options.recommended the weight that is said to be recommended elsewhere; default: that of the set, which is then said
 */
export function frontierSection(
  { frontier, calibration, recommended_cost_weight: own, dominated_efforts: dominated }: SetReport,
  { recommended }: { readonly recommended?: number } = {},
): Element {
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
            recommended: [recommended ?? frontier.recommended.cost_weight],
            knee: null,
            tuned: null,
          }),
      calibration === null ? null : calibrationChart(calibration),
    ),
    calibration === null
      ? note("The set has no graded answers to compare expectations with.")
      : note(
          `Calibration compares ${counted(calibration.answers, "graded answer")} in the set with what is expected without them; the set was tuned on the same answers, so that new prompts may show a little more.`,
        ),
    ...(frontier === null || recommended !== undefined
      ? []
      : [
          element("h3", { class: "after" }, "Recommended cost weight"),
          note(aboutRecommended(frontier, own)),
        ]),
    Object.keys(dominated).length === 0 ? null : note(aboutDominated(dominated)),
  );
}

function aboutDominated(dominated: SetReport["dominated_efforts"]): string {
  const efforts = Object.entries(dominated).map(([model, by]) => `${model} (${by})`);
  return `Dominated efforts, which are never chosen because another effort of the model is no worse and costs no more: ${efforts.join(", ")}.`;
}

function aboutFrontier({ prompts, singles }: NonNullable<SetReport["frontier"]>): string {
  const [best] = singles;
  const single =
    best === undefined
      ? ""
      : ` The best single model is ${best.model}: ${quality(best.quality)} for ${usd(1000 * best.cost_usd)} a thousand prompts.`;
  return `Expectations, not measurements: means over ${counted(prompts, "profiled prompt")}, each decided as if it were unknown.${single}`;
}

function aboutRecommended(
  { recommended: { cost_weight: weight, loss, saved } }: NonNullable<SetReport["frontier"]>,
  chosen: SetReport["recommended_cost_weight"],
): string {
  const why = chosen === null ? "for prompts like traffic" : recommendedWeightText(chosen);
  return `Cost weight ${weight} (${why}): ${points(-loss)} points against the best cost weight, cost ${costChange(saved)} against the best single model.`;
}
