import { COST_WEIGHTS } from "../frontier/cross-validate.js";
import { meanPoints, type PromptResult } from "../frontier/saving.js";
import { markdownTable } from "../report/markdown.js";
import { type EffortGroup, estimateSavingAgainst, pooledEstimate, type Spender } from "./measure.js";

export interface MeasuredGroup extends EffortGroup {
  readonly set: string;
  readonly costs: string;
  readonly results: readonly PromptResult[];
}

interface EffortsPageInput {
  readonly command: string;
  readonly notes: readonly string[];
}

/** The page of one model at several efforts: what choosing the effort by the prompt saves against each of them. */
export function renderEffortsPage(
  groups: readonly MeasuredGroup[],
  { command, notes }: EffortsPageInput,
): string {
  const sets = [...new Set(groups.map(({ set }) => set))];
  return [
    "# One model, only efforts",
    "What does choosing the effort of reasoning by the prompt save, when the model is given? Every effort of a model answered the same prompts;\n" +
      "the router chooses among these efforts alone, on prompts that its profiles do not know.",
    `Written by \`${command}\`, not by hand.`,
    notes.join("\n"),
    ...sets.flatMap((set) => {
      const own = groups.filter((group) => group.set === set);
      return [`## ${set}`, `Costs: ${own[0]?.costs ?? ""}.`, pooledTable(own), table(own)];
    }),
  ]
    .join("\n\n")
    .concat("\n");
}

/** Settings of the router that nothing was chosen by. */
const SHOWN_WEIGHTS = [0, 0.1, 0.2, 0.3, 0.5, 0.8];

const pooledTable = (groups: readonly MeasuredGroup[]): string =>
  markdownTable(
    [
      "router at cost weight",
      ...["default", "highest"].flatMap((reference) => [
        `cost against always the ${reference} effort`,
        "points of quality",
      ]),
    ],
    SHOWN_WEIGHTS.map((weight) => [
      String(weight),
      ...(["default", "highest"] as const).flatMap((reference) => {
        const setting = COST_WEIGHTS.indexOf(weight);
        const { models, saving, gain } = pooledEstimate(groups, { setting, reference });
        if (models === 0) return ["", ""];
        return [
          withRange(negated(saving), (share) => `${signed(100 * share, 0)} %`),
          withRange(gain, (points) => signed(100 * points, 1)),
        ];
      }),
    ]),
  );

interface Ranged {
  readonly value: number;
  readonly interval: { readonly low: number; readonly high: number } | undefined;
}

const negated = ({ value, interval }: Ranged): Ranged => ({
  value: -value,
  interval: interval && { low: -interval.high, high: -interval.low },
});

function withRange({ value, interval }: Ranged, text: (value: number) => string): string {
  if (interval === undefined) return text(value);
  const [low, high] = [text(interval.low), text(interval.high)];
  return `${text(value)} (${low} to ${high})`;
}

const signed = (value: number, digits: number): string => {
  const text = value.toFixed(digits).replace(/^-(0(?:\.0)?)$/, "$1");
  return text.startsWith("-") || Number(text) === 0 ? text : `+${text}`;
};

const table = (groups: readonly MeasuredGroup[]): string =>
  markdownTable(
    [
      "effort",
      "prompts",
      "mean quality",
      "mean cost, USD",
      "saved by the router (95 %)",
      "by random mixing (95 %)",
    ],
    groups.flatMap(({ answers, results }) =>
      meanPoints(results, "models").map((point, effort) => [
        answers.models[effort] ?? "",
        String(results.length),
        point.quality.toFixed(3),
        point.cost.toPrecision(3),
        savingText(results, effort, "router"),
        savingText(results, effort, "mixed"),
      ]),
    ),
  );

function savingText(results: readonly PromptResult[], effort: number, spender: Spender): string {
  const { value, interval } = estimateSavingAgainst(results, effort, spender);
  const range = interval === undefined ? "" : ` (${percent(interval.low)} to ${percent(interval.high)})`;
  return `${percent(value)} %${range}`;
}

const percent = (share: number): string => (Number.isNaN(share) ? "–" : (100 * share).toFixed(0));
