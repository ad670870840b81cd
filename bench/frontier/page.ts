import { formatValue } from "../report/legible.js";
import { markdownTable } from "../report/markdown.js";
import { COST_WEIGHTS } from "./cross-validate.js";
import type { Frontier } from "./figures.js";
import {
  bestSingle,
  estimateGap,
  estimateSaving,
  GIVEN_UP,
  gapToHull,
  gapToTrainedHull,
  meanPoints,
  realOverExpected,
  type Spender,
} from "./saving.js";

/** Cost weights of the page's curve; the chart of the result file has all. */
const SHOWN_WEIGHTS = [0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1];

const SPENDERS: Readonly<Record<Spender, string>> = {
  router: `the router, at the cheapest of ${COST_WEIGHTS.length} cost weights, read off the test prompts`,
  single: "the cheapest single model",
  mixed: "single models drawn at random",
};

interface FrontierPageInput {
  readonly command: string;
  readonly notes: readonly string[];
}

/** The page of cost against quality: what is saved, the curve over the cost weights, and every single model beside it. */
export function renderFrontierPage(
  frontiers: readonly Frontier[],
  { command, notes }: FrontierPageInput,
): string {
  return [
    "# Cost against quality",
    "What does routing save, in dollars that were really paid? Prompts of public outcome sets whose answers' costs are known, routed at " +
      "cost weights from 0 to 1, beside every single model.",
    `Written by \`${command}\`, not by hand.`,
    notes.join(" "),
    ...frontiers.flatMap(frontierSection),
  ]
    .join("\n\n")
    .concat("\n");
}

function frontierSection({ set, answers, results }: Frontier): string[] {
  const heading = `## ${set}`;
  const models = meanPoints(results, "models");
  const best = bestSingle(models);
  if (best === undefined) return [heading, "Fewer than two models whose costs are known."];
  const settings = meanPoints(results, "settings");
  const source = answers.source === "recorded" ? "recorded dollars" : "recorded tokens at list prices";
  const row = (
    name: string,
    point: (typeof models)[number],
    gap: string,
    ratio = "",
    trained = "",
  ): string[] => [name, point.quality.toFixed(4), formatValue(point.cost, "usd"), ratio, gap, trained];
  const savings = (Object.keys(SPENDERS) as Spender[]).map((spender) => {
    const { value, interval } = estimateSaving(results, spender);
    const range = interval === undefined ? "" : `${percent(interval.low)} to ${percent(interval.high)}`;
    return [SPENDERS[spender], percent(value), range];
  });
  return [
    heading,
    `${results.length} prompts, ${answers.models.length} models, ${source}. Saving at the quality of the best single model ` +
      `(${answers.models[models.indexOf(best)]}) minus ${100 * GIVEN_UP} point:`,
    markdownTable(["", "saving", "95 %"], savings),
    markdownTable(
      [
        ...["", "mean quality", "mean cost of a prompt", "over the expected"],
        "points above the hull of single models",
        "above that of the other folds",
      ],
      [
        ...SHOWN_WEIGHTS.flatMap((weight) => {
          const step = COST_WEIGHTS.indexOf(weight);
          const point = settings[step];
          if (point === undefined) return [];
          const { value, interval } = estimateGap(results, step);
          const range =
            interval === undefined ? "" : ` (${points(interval.low)} to ${points(interval.high)})`;
          const ratio = realOverExpected(results, step).toFixed(2);
          const trained = points(gapToTrainedHull(point, results));
          return [row(`router at cost weight ${weight}`, point, `${points(value)}${range}`, ratio, trained)];
        }),
        ...models
          .map((point, column) => ({ point, name: answers.models[column] ?? "" }))
          .sort((a, b) => b.point.quality - a.point.quality)
          .map(({ point, name }) => row(name, point, points(gapToHull(point, models)))),
      ],
    ),
  ];
}

const points = (gap: number): string =>
  Number.isNaN(gap) ? "–" : (100 * gap).toFixed(1).replace(/^-0\.0$/, "0.0");

const percent = (share: number): string => (Number.isNaN(share) ? "–" : `${(100 * share).toFixed(1)} %`);
