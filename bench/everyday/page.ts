import { DEFAULT_COST_WEIGHT } from "../../src/engine/router/cost-weight.js";
import type { Decision } from "../../src/engine/router/decision.js";
import { markdownTable } from "../report/markdown.js";
import { mean, median } from "../report/statistics.js";
import { COST_WEIGHTS, DAY, type GroupRouting, type Routing } from "./groups.js";
import { mostFrequent, pricesByTier } from "./prices.js";
import { TIERS } from "./prompts.js";
import { easeByTier, type MeasuredAlike, rankingsAlike } from "./rankings.js";

export interface EverydayPageInput {
  readonly groups: readonly GroupRouting[];
  /** Undefined when no outcomes were given. */
  readonly measured: MeasuredAlike | undefined;
  /** Name and version of the profiles. */
  readonly profileVersion: string;
}

/** The page of everyday prompts: what is chosen by difficulty, what that costs, and how alike the rankings of models are. */
export function renderEverydayPage({ groups, measured, profileVersion }: EverydayPageInput): string {
  return [
    "# Everyday prompts",
    "Which models do everyday prompts go to, and what do the answers cost? Forty prompts " +
      "([texts](../bench/everyday/prompts.ts)) of ten kinds, from small talk to agents' tasks and long documents, each with a " +
      "trivial, an easy, a medium and a hard one, were routed among all live models of the named providers, without running " +
      `one.${groups.slice(0, 1).map(answer).join("")}`,
    `Written by \`npm run bench -- everyday\`: models and prices of ${DAY.toISOString().slice(0, 10)}, profiles \`${profileVersion}\`.`,
    "## What is chosen",
    ...groups.slice(0, 1).map(choiceTable),
    "## What is paid for hard prompts",
    priceTable(groups),
    "## How similar the rankings of models are",
    rankingLines(groups, measured),
  ]
    .join("\n\n")
    .concat("\n");
}

/** What the recommended weight costs, in a sentence. */
function answer({ group, routings, fault }: GroupRouting): string {
  if (fault !== undefined) return "";
  const costOf = (tier: (typeof TIERS)[number]): string => {
    const ofTier = routings.filter(({ prompt }) => prompt.tier === tier);
    const at = COST_WEIGHTS.indexOf(DEFAULT_COST_WEIGHT);
    return dollarsOf(ofTier.flatMap(({ decisions }) => decisions[at] ?? []));
  };
  return (
    ` With keys of ${group.label}, at the cost weight ${DEFAULT_COST_WEIGHT} of \`auto\`, the answer to a trivial prompt is ` +
    `expected to cost ${costOf("trivial")}, to a hard one ${costOf("hard")} (medians).`
  );
}

/** Of each tier and cost weight: the model that is chosen most often, mean expected quality, and median expected cost. */
function choiceTable({ group, routings, fault }: GroupRouting): string {
  if (fault !== undefined) return `${group.label}: nothing can be decided: ${fault}`;
  const { size } = new Set(routings.flatMap(({ decisions }) => candidatesOf(decisions[0])));
  return [
    `${group.label}, ${size} models and efforts. A cell has the model that most of the ten prompts go to and how many do, the ` +
      "mean expected quality of all ten choices, and the median expected cost of an answer. The last column counts prompts " +
      "unlike every graded one, for which models are ranked by their overall ability.",
    markdownTable(
      ["prompts", ...COST_WEIGHTS.map((weight) => `cost weight ${weight}`), "unlike graded prompts"],
      TIERS.map((tier) => {
        const ofTier = routings.filter(({ prompt }) => prompt.tier === tier);
        const decisions = ofTier.map((routing) => routing.decisions);
        const unlike = decisions.filter(([first]) => first?.outOfDistribution === true).length;
        return [
          tier,
          ...COST_WEIGHTS.map((_, at) => choiceCell(decisions.flatMap((byWeight) => byWeight[at] ?? []))),
          `${unlike} of ${ofTier.length}`,
        ];
      }),
    ),
  ].join("\n\n");
}

const candidatesOf = (decision: Decision | undefined): string[] =>
  decision?.candidates.map(({ model }) => model) ?? [];

function choiceCell(decisions: readonly Decision[]): string {
  const chosen = decisions.map(({ selectedModel }) => selectedModel);
  const most = mostFrequent(chosen);
  const count = chosen.filter((model) => model === most).length;
  const quality = mean(decisions.map(({ expectedQuality }) => expectedQuality));
  return `${most} (${count}), ${quality.toFixed(2)}, ${dollarsOf(decisions)}`;
}

/** The median expected cost, two digits of it. */
const dollarsOf = (decisions: readonly Decision[]): string =>
  `$${Number(median(decisions.map(({ expectedCostUsd }) => expectedCostUsd ?? Number.NaN)).toPrecision(2))}`;

function rankingLines(groups: readonly GroupRouting[], measured: MeasuredAlike | undefined): string {
  const rows = groups
    .filter(({ routings }) => routings.length > 0)
    .map(({ group, routings }) => [
      `expected, ${group.label}`,
      rankingsAlike(routings).mean.toFixed(2),
      easeByTier(routings).toFixed(2),
    ]);
  const measuredRows =
    measured === undefined
      ? []
      : [
          ["measured outcomes, topics of one set", number(measured.withinSets), ""],
          ["measured outcomes, topics of different sets", number(measured.betweenSets), ""],
          [
            "measured outcomes, halves of one topic (as similar as noise allows)",
            number(measured.halves),
            "",
          ],
        ];
  const table = markdownTable(
    ["", "mean Spearman between rankings of models", "Spearman of mean expected quality with ease by tier"],
    [...rows, ...measuredRows],
  );
  return measured === undefined ? table : [table, ...noiseNote(measured)].join("\n\n");
}

function priceTable(groups: readonly GroupRouting[]): string {
  const dollars = (value: number): string => (Number.isNaN(value) ? "–" : `$${Number(value.toPrecision(2))}`);
  return [
    `List price of the choice at cost weight ${DEFAULT_COST_WEIGHT}, dollars per million tokens (three of input to one of output), median by tier; ` +
      "its rank correlation with the tier; and the price of the model that is chosen most often for hard prompts at cost weight 0.",
    markdownTable(
      ["", ...TIERS, "Spearman with the tier", "at cost weight 0"],
      groups
        .filter(({ routings }) => routings.length > 0)
        .map((routed) => {
          const { spearman, medians, flagship } = pricesByTier(routed);
          return [
            routed.group.label,
            ...TIERS.map((tier) => dollars(medians[tier])),
            ...[number(spearman), dollars(flagship)],
          ];
        }),
    ),
  ].join("\n\n");
}

/** Measured rankings are noisy and expected ones are not, so the ratio of measured similarities is to be compared. */
function noiseNote({ withinSets, halves }: MeasuredAlike): string[] {
  if (Number.isNaN(withinSets) || Number.isNaN(halves)) return [];
  const ratio = Math.min(1, withinSets / halves).toFixed(2);
  return [
    `Measured rankings also differ by chance: those of two halves of one topic correlate at ${number(halves)} only. Topics of ` +
      `one set reach ${ratio} of that; compare this ratio with the expected rankings, which have no such noise. Sets differ in ` +
      "their graders as well as in their topics.",
  ];
}

const number = (value: number): string => (Number.isNaN(value) ? "–" : value.toFixed(2));

/** Mean expected cost of what is chosen for some prompts at a weight; NaN where a cost is unknown. */
export function meanCost(routings: readonly Routing[], weight: (typeof COST_WEIGHTS)[number]): number {
  const costs = routings.map(
    ({ decisions }) => decisions[COST_WEIGHTS.indexOf(weight)]?.expectedCostUsd ?? Number.NaN,
  );
  return costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
}
