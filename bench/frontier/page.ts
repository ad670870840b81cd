import { significant } from "../report/format.js";
import { markdownTable } from "../report/markdown.js";
import { COST_WEIGHTS } from "./cross-validate.js";
import type { Frontier } from "./figures.js";
import { bestSingle, type Estimate, estimateGap, estimateSaving, meanPoints } from "./saving.js";

/** Cost weights of the page's table; the result file has all. */
const SHOWN_WEIGHTS = [0, 0.1, 0.2, 0.5, 1];

interface FrontierPageInput {
  readonly command: string;
  readonly notes: readonly string[];
  /** Path of the picture from the page, and the set that it shows. */
  readonly picture: { readonly path: string; readonly set: string } | undefined;
}

/** The page of cost against quality: what a point of quality saves in each set, and where each cost weight lies. */
export function renderFrontierPage(
  frontiers: readonly Frontier[],
  { command, notes, picture }: FrontierPageInput,
): string {
  const measured = frontiers.filter(({ answers }) => answers.models.length > 1);
  return [
    "# Cost against quality",
    "What does routing save, in dollars that were paid? On public sets of graded answers whose costs are known, each prompt was " +
      "routed among the set's models by profiles that had not seen it. Routing pays where models are good at different prompts; " +
      "where one model leads at everything, it saves no more than mixing two models at random does.",
    ...(picture === undefined
      ? []
      : [
          `![Quality against dollars on ${picture.set}: single models, two models mixed, and the router](${picture.path})`,
        ]),
    "## What is saved at the quality of the best model, less one point",
    "The router takes the cheapest cost weight that reaches that quality. In brackets: the 95 % interval.",
    markdownTable(
      ["set", "prompts", "models", "best model", "router", "two models mixed", "cheapest single model"],
      measured.map(savingRow),
    ),
    "## Where each cost weight lies",
    "The last column is the quality above that of mixing single models at random at the same cost, in points, with its 95 % interval.",
    markdownTable(
      ["set", "cost weight", "quality", "dollars a prompt", "above mixing"],
      measured.flatMap(weightRows),
    ),
    "## How it was measured",
    notes.join(" "),
    `\`${command}\` writes this page. Its result file, \`bench/results/frontier-<date>.json\`, has every model and every cost weight.`,
  ]
    .join("\n\n")
    .concat("\n");
}

function savingRow({ set, answers, results }: Frontier): string[] {
  const models = meanPoints(results, "models");
  const best = bestSingle(models);
  const name = best === undefined ? "none" : (answers.models[models.indexOf(best)] ?? "none");
  const saved = (["router", "mixed", "single"] as const).map((spender) => {
    return withInterval(estimateSaving(results, spender), percent);
  });
  const { quality = Number.NaN, cost = Number.NaN } = best ?? {};
  return [
    answers.source === "recorded" ? set : `${set}, tokens at list prices`,
    ...[String(results.length), String(answers.models.length)],
    `${name}: ${quality.toFixed(3)}, ${usd(cost)}`,
    ...saved,
  ];
}

function weightRows({ set, results }: Frontier): string[][] {
  const settings = meanPoints(results, "settings");
  return SHOWN_WEIGHTS.flatMap((weight, row) => {
    const step = COST_WEIGHTS.indexOf(weight);
    const point = settings[step];
    if (point === undefined) return [];
    const gap = withInterval(estimateGap(results, step), points);
    return [[row === 0 ? set : "", String(weight), point.quality.toFixed(3), usd(point.cost), gap]];
  });
}

const withInterval = ({ value, interval }: Estimate, write: (value: number) => string): string =>
  interval === undefined ? write(value) : `${write(value)} [${write(interval.low)}, ${write(interval.high)}]`;

const usd = (dollars: number): string => `$${significant(dollars, 3)}`;

const points = (gap: number): string =>
  Number.isNaN(gap) ? "–" : signed((100 * gap).toFixed(1).replace(/^-0\.0$/, "0.0"));

const percent = (share: number): string =>
  Number.isNaN(share) ? "–" : `${signed((100 * share).toFixed(0).replace(/^-0$/, "0"))} %`;

const signed = (text: string): string => text.replace("-", "−");
