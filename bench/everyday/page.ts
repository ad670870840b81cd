import { RECOMMENDED_WEIGHT } from "../../src/engine/router/cost-weight.js";
import type { Candidate, Decision } from "../../src/engine/router/decision.js";
import { formatValue } from "../report/legible.js";
import { markdownTable } from "../report/markdown.js";
import { COST_WEIGHTS, type GroupRouting, type Routing } from "./groups.js";
import { pricesByTier } from "./prices.js";
import { TIERS } from "./prompts.js";
import { easeByTier, type MeasuredAlike, rankingsAlike } from "./rankings.js";

export interface EverydayPageInput {
  readonly groups: readonly GroupRouting[];
  /** Undefined when no outcomes were given. */
  readonly measured: MeasuredAlike | undefined;
  readonly at: Date;
  /** Name and version of the profiles. */
  readonly profileVersion: string;
}

/** The page of everyday prompts: expected quality, chosen model and cost of each. */
export function renderEverydayPage({ groups, measured, at, profileVersion }: EverydayPageInput): string {
  return [
    "# Everyday prompts",
    "Which models do everyday prompts go to? 40 prompts in ten kinds, four a kind from trivial to hard, at four cost weights, " +
      "among the models that are live and can be called with the keys named. Nothing was executed.",
    `Written by \`npm run bench -- everyday\`, not by hand: models and prices of ${at.toISOString().slice(0, 10)}, profiles ` +
      `\`${profileVersion}\`. A cell is the chosen model, its expected quality ± standard error, and the expected cost of the ` +
      "answer. † = no evidence near the prompt.",
    "## How alike the prompts' rankings are",
    rankingLines(groups, measured),
    "## What is paid for hard prompts",
    priceTable(groups),
    ...groups.flatMap(groupSection),
  ]
    .join("\n\n")
    .concat("\n");
}

function rankingLines(groups: readonly GroupRouting[], measured: MeasuredAlike | undefined): string {
  const rows = groups
    .filter(({ routings }) => routings.length > 0)
    .map(({ group, routings }) => [
      `expected, ${group.label}`,
      rankingsAlike(routings).mean.toFixed(3),
      easeByTier(routings).toFixed(3),
    ]);
  const measuredRows =
    measured === undefined
      ? []
      : [
          ["measured outcomes, topics of one set", number(measured.withinSets), ""],
          ["measured outcomes, topics of different sets", number(measured.betweenSets), ""],
          ["measured outcomes, halves of one topic (as alike as noise allows)", number(measured.halves), ""],
        ];
  const table = markdownTable(
    ["", "mean Spearman between rankings of models", "Spearman of mean expected quality with ease by tier"],
    [...rows, ...measuredRows],
  );
  return measured === undefined ? table : [table, ...noiseNote(measured)].join("\n\n");
}

function priceTable(groups: readonly GroupRouting[]): string {
  const dollars = (value: number): string => (Number.isNaN(value) ? "–" : formatValue(value, "usd"));
  return [
    `List price of the choice at cost weight ${RECOMMENDED_WEIGHT}, dollars per million tokens (three of input to one of output), median by tier; ` +
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
    `Measured rankings differ by chance too: halves of one topic agree to ${number(halves)} only. Topics of one set agree to ` +
      `${number(withinSets)}, which is ${ratio} of that, and what expected rankings, which have no such noise, should be compared with. ` +
      "Sets differ in their graders as well as in their topics.",
  ];
}

const number = (value: number): string => (Number.isNaN(value) ? "–" : value.toFixed(3));

function groupSection({ group, routings, fault }: GroupRouting): string[] {
  const heading = `## ${group.label}`;
  if (fault !== undefined) return [heading, `Nothing can be decided: ${fault}`];
  const names = [
    ...new Set(routings.flatMap(({ decisions }) => decisions[0]?.candidates.map(({ model }) => model) ?? [])),
  ];
  return [
    heading,
    `${names.length} candidates: ${names.sort().join(", ")}.`,
    markdownTable(
      ["prompt", ...COST_WEIGHTS.map((weight) => `cost weight ${weight}`)],
      routings.map(({ prompt, decisions }) => [
        `${prompt.kind}, ${prompt.tier}: ${prompt.label}`,
        ...decisions.map(decisionCell),
      ]),
    ),
  ];
}

function decisionCell(decision: Decision): string {
  const [chosen] = decision.candidates;
  if (chosen === undefined) return "–";
  const mark = decision.reason.includes("no evidence near") ? " †" : "";
  return `${chosen.model} ${qualityText(chosen)}, ${costText(chosen)}${mark}`;
}

const qualityText = ({ expectedQuality, qualityStderr }: Candidate): string =>
  `${expectedQuality.toFixed(2)} ± ${qualityStderr.toFixed(2)}`;

const costText = ({ expectedCostUsd }: Candidate): string =>
  expectedCostUsd === null ? "cost unknown" : formatValue(expectedCostUsd, "usd");

/** Mean expected cost of what is chosen for some prompts at a weight; NaN where a cost is unknown. */
export function meanCost(routings: readonly Routing[], weight: (typeof COST_WEIGHTS)[number]): number {
  const costs = routings.map(
    ({ decisions }) => decisions[COST_WEIGHTS.indexOf(weight)]?.expectedCostUsd ?? Number.NaN,
  );
  return costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
}
