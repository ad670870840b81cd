import { averageImprovement, type CostQuality } from "../../src/workbench/metrics/hull.js";
import { bootstrapInterval } from "../evidence/bootstrap.js";
import { figureOf } from "../evidence/figure.js";
import type { Figure } from "../report/result.js";
import { COST_WEIGHTS } from "./cross-validate.js";
import type { PaidAnswers } from "./paid-answers.js";
import {
  bestSingle,
  estimateGap,
  estimateSaving,
  meanPoints,
  type PromptResult,
  realOverExpected,
  type Spender,
} from "./saving.js";

export interface Frontier {
  readonly set: string;
  readonly answers: PaidAnswers;
  readonly results: readonly PromptResult[];
}

/** Steps of the cost weight from one point of the curve that is kept to the next. */
const FIGURE_STEPS = 5;

const SPENDERS: Readonly<Record<Spender, string>> = {
  router: "router",
  single: "cheapest single model",
  mixed: "single models drawn at random (zero router)",
};

export function frontierFigures({ set, answers, results }: Frontier): Figure[] {
  const models = meanPoints(results, "models");
  const settings = meanPoints(results, "settings");
  const best = bestSingle(models);
  const path = (rest: string): string => `frontier/${set}/${rest}`;
  const missing = "fewer than two models whose cost is known";
  const pair = (id: string, label: string, point: CostQuality | undefined): Figure[] => [
    figureOf({
      ...{
        id: path(`${id}/quality`),
        label: `${set}, ${label}: mean quality`,
        unit: "score",
        better: "higher",
      },
      ...{ value: point?.quality ?? Number.NaN, missing },
    }),
    figureOf({
      ...{
        id: path(`${id}/cost`),
        label: `${set}, ${label}: mean cost of a prompt`,
        unit: "usd",
        better: "lower",
      },
      ...{ value: point?.cost ?? Number.NaN, missing },
    }),
  ];
  const savings = (Object.keys(SPENDERS) as Spender[]).map((spender) =>
    figureOf({
      id: path(`${spender}/saving`),
      label: `${set}: saving at the best single model's quality minus one point, ${SPENDERS[spender]}`,
      ...{ unit: "share", better: "higher", ...estimateSaving(results, spender) },
      ...(spender === "router"
        ? { note: `the cheapest of ${COST_WEIGHTS.length} cost weights, read off the test prompts` }
        : {}),
      missing: "no cost weight comes within a point of the best single model",
    }),
  );
  const gain = (drawn: readonly PromptResult[]): number => {
    const singles = meanPoints(drawn, "models");
    return averageImprovement(meanPoints(drawn, "settings"), singles) - averageImprovement(singles, singles);
  };
  const aiqGain = figureOf({
    ...{ id: path("router/aiq_gain"), unit: "score", better: "higher", missing },
    label: `${set}: AIQ above single models drawn at random (zero router)`,
    value: gain(results),
    interval: bootstrapInterval([results], ([drawn = []]) => gain(drawn), { resamples: 300 }),
  });
  const bestName = answers.models[best === undefined ? -1 : models.indexOf(best)] ?? "none";
  return [
    ...savings,
    aiqGain,
    ...pair("best_single", `best single model (${bestName})`, best),
    ...COST_WEIGHTS.flatMap((weight, step) =>
      step % FIGURE_STEPS > 0
        ? []
        : [
            ...pair(`router_at_${weight.toFixed(2)}`, `router at cost weight ${weight}`, settings[step]),
            figureOf({
              id: path(`router_at_${weight.toFixed(2)}/gap`),
              label: `${set}, router at cost weight ${weight}: quality above the hull of single models at its cost`,
              ...{ unit: "score", better: "higher", ...estimateGap(results, step), missing },
            }),
            figureOf({
              id: path(`router_at_${weight.toFixed(2)}/real_over_expected`),
              label: `${set}, router at cost weight ${weight}: dollars over those expected`,
              ...{ unit: "ratio", better: "neither", value: realOverExpected(results, step), missing },
            }),
          ],
    ),
    ...answers.models.flatMap((model, column) => pair(`single/${model}`, model, models[column])),
  ];
}
