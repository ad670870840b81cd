import type { SetReport } from "../../engine/profiles/set-report.js";
import { calibrationChart, frontierChart } from "./charts.js";
import { type Element, element } from "./element.js";
import { costChange, counted, points, quality, recommendedWeightText, usd } from "./figures.js";
import { cell, columnHead, emptyRow, note, rowHead, section, table } from "./section.js";

/** What decisions expect along the cost weight, with the weights to recommend, and whether expectations hold. */
export function frontierSection({
  frontier,
  calibration,
  recommended_cost_weight: recommended,
  dominated_efforts: dominated,
}: SetReport): Element {
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
            knee: frontier.knee?.cost_weight ?? null,
            tuned: recommended?.cost_weight ?? null,
          }),
      calibration === null ? null : calibrationChart(calibration),
    ),
    calibration === null
      ? note("No graded answer is in the set, so that expectations cannot be compared with any.")
      : note(
          `Calibration compares ${counted(calibration.answers, "graded answer")} in the set with what is expected without them; the set was tuned on the same answers, so that new prompts may show a little more.`,
        ),
    frontier === null ? null : weightTable(frontier, recommended),
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

function weightTable(frontier: Frontier, recommended: SetReport["recommended_cost_weight"]): Element[] {
  const rows = distinct([...goalsOf(frontier), ...tunedGoal(frontier, recommended)]).map(
    ({ goals, cost_weight: weight, loss, saved }) =>
      element(
        "tr",
        {},
        rowHead(goals.join(", ")),
        cell(String(weight), "number"),
        cell(points(-loss), "number"),
        cell(costChange(saved), "number"),
      ),
  );
  if (frontier.knee === null) rows.push(emptyRow(KNEE, { columns: 3, none: NO_KNEE }));
  return [
    element("h3", { class: "after" }, "Recommended cost weights"),
    table({
      label: "Cost weights recommended by expectations",
      head: [
        columnHead("quality to lose against the best cost weight"),
        columnHead("cost weight", "number"),
        columnHead("points against the best cost weight", "number"),
        columnHead("cost against the best single model", "number"),
      ],
      rows,
    }),
    ...(recommended === null
      ? []
      : [
          element(
            "p",
            { class: "note after-table" },
            `Saved in the set is cost weight ${recommended.cost_weight}: ${recommendedWeightText(recommended)}. Requests without a cost weight do not use it.`,
          ),
        ]),
  ];
}

type Frontier = NonNullable<SetReport["frontier"]>;

/** A cost weight with what it keeps to, in words, and how it compares. */
type Goal = NonNullable<Frontier["knee"]> & { readonly goal: string };

const goalsOf = ({ weights, knee }: Frontier): Goal[] => [
  ...weights.map(({ max_loss: maxLoss, ...step }) => ({ ...step, goal: goalOf(maxLoss) })),
  ...(knee === null ? [] : [{ ...knee, goal: KNEE }]),
];

/** The weight that is saved in the set; none where it was not decided at. */
function tunedGoal({ sweep, singles }: Frontier, recommended: SetReport["recommended_cost_weight"]): Goal[] {
  const step = sweep.find(({ cost_weight: weight }) => weight === recommended?.cost_weight);
  if (step === undefined) return [];
  const best = Math.max(...sweep.map((each) => each.quality));
  const single = singles[0]?.cost_usd ?? 0;
  const saved = single === 0 ? 0 : 1 - step.cost_usd / single;
  return [
    {
      cost_weight: step.cost_weight,
      loss: best - step.quality,
      saved,
      goal: TUNED,
    },
  ];
}

/** In words: "no loss", "at most 2 points". */
export const goalOf = (maxLoss: number): string =>
  maxLoss === 0 ? "no loss" : `at most ${100 * maxLoss} point${maxLoss === 0.01 ? "" : "s"}`;

/** What a table of cost weights calls the knee. */
export const KNEE = "knee: beyond it, quality falls faster than cost";

export const NO_KNEE = "no pronounced knee: quality falls about evenly with cost";

/** What a table of cost weights calls the one that is saved in the set. */
export const TUNED = "saved in the set by profile tune";

/** Goals that the same cost weight meets share a row. */
function distinct(goals: readonly Goal[]): (Goal & { readonly goals: string[] })[] {
  const byWeight = new Map<number, Goal & { readonly goals: string[] }>();
  for (const chosen of goals) {
    const known = byWeight.get(chosen.cost_weight);
    if (known === undefined) byWeight.set(chosen.cost_weight, { ...chosen, goals: [chosen.goal] });
    else known.goals.push(chosen.goal);
  }
  return [...byWeight.values()];
}
