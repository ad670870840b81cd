import { meanPoints, type PromptResult } from "../frontier/saving.js";
import { markdownTable } from "../report/markdown.js";
import { type EffortGroup, estimateSavingAgainst, type Spender } from "./measure.js";

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
    "What does choosing the effort of reasoning by the prompt save, when the model is given? Every effort of a model answered the same " +
      "prompts; the router chooses among these efforts alone, on prompts that its profiles do not know.",
    `Written by \`${command}\`, not by hand.`,
    notes.join("\n"),
    ...sets.flatMap((set) => {
      const own = groups.filter((group) => group.set === set);
      return [`## ${set}`, `Costs: ${own[0]?.costs ?? ""}.`, table(own)];
    }),
  ]
    .join("\n\n")
    .concat("\n");
}

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
