import { meaningBody } from "../../engine/index.js";
import type { CostWeightMeaning } from "../../engine/router/cost-weight.js";
import type { Estimate } from "../../foundation/bootstrap.js";
import { snakeCased } from "../../foundation/snake-case.js";
import type { ChosenWeight, WeightGoal } from "../../workbench/evaluation/choose-weight.js";
import type { Evaluation } from "../../workbench/evaluation/evaluate.js";
import {
  chooseWeights,
  counted,
  saveChosenWeight,
  setToSaveIn,
  signedPercent,
  signedPoints,
} from "../../workbench/index.js";
import { flag, type OptionsOf, option, writeResult } from "../command.js";
import { type CliContext, CommandFailure, writeLine } from "../context.js";
import { meaningText } from "../meaning-text.js";
import { EMBEDDER_OPTION, numberWithin } from "../options.js";
import { perThousand } from "./evaluation-text.js";
import { profileSubcommand, SET_OPTION } from "./explained.js";
import { evaluateWay, GRADED_OPTIONS, writeLeftOut } from "./graded-options.js";

const OPTIONS = {
  ...SET_OPTION,
  ...EMBEDDER_OPTION,
  ...GRADED_OPTIONS,
  maxLoss: option(
    "<points>",
    "points of quality that may be lost against the best that the prompts reach; default without --max-mean-cost-usd and --knee: 1",
    numberWithin(0, 100),
  ),
  maxMeanCostUsd: option("<usd>", "US dollars that an answer may cost on average", numberWithin(0, 1e6)),
  knee: flag("recommend the knee of cost and quality instead"),
  save: flag("write the recommended cost weight into the manifest of --set"),
};

type TuneOptions = OptionsOf<typeof OPTIONS>;

/** `sextant profile tune`: which cost weight to use. */
export const tuneCommand = profileSubcommand("tune", {
  about: "recommend a cost weight for a set, by graded prompts it was not built with",
  options: OPTIONS,
  help: `
With --max-loss, the cost weight that saves most: the loss is against the best cost weight, or the best single model where no
cost weight is better. With --max-mean-cost-usd, the one of highest quality. Beside it stands the knee, where it keeps to --max-loss: beyond
it, quality falls faster than cost. --knee recommends it whatever quality is lost before it; a curve that is nearly straight has
none. What to expect of later prompts is measured on halves of the prompts that the weight was not chosen by.

--save keeps the cost weight in the set, where \`inspect\`, \`report\`, the console and GET /v1/router/profiles show it. Decisions
do not change: requests send the cost weight that they want.`,
  examples: [
    "sextant profile tune --set profiles/ours --prompts held-out.jsonl --outcomes graded.jsonl --max-loss 2",
    "sextant profile tune --set profiles/ours --prompts held-out.jsonl --outcomes graded.jsonl --max-mean-cost-usd 0.002",
    "sextant profile tune --set profiles/ours --prompts held-out.jsonl --outcomes graded.jsonl --knee --save",
  ],
  run: runTune,
});

async function runTune(options: TuneOptions, context: CliContext): Promise<void> {
  const goal = goalOf(options);
  const set = options.save ? await setToSaveIn(options.set) : undefined;
  const { evaluation, knee, chosen, meaning } = await evaluateWay({ ...options, costWeight: 0 }, options, {
    context,
    use: async ({ evaluation, sweep }, router) => {
      const both = chooseWeights(sweep, [goal, "knee"], { seed: options.seed });
      const [chosen, knee] = both as [ChosenWeight, ChosenWeight];
      const { costWeight } = chosen;
      const meaning = costWeight === null ? null : router.meaningOf(costWeight);
      return { evaluation, knee: keepsTo(goal, knee) ? knee : null, chosen, meaning };
    },
  });
  await writeLeftOut(evaluation, context);
  const { prompts, best } = evaluation;
  const figures = { ...chosen, meaning: meaningBody(meaning), prompts, best, knee };
  const text = () => tunedText({ goal, chosen, knee, evaluation, meaning });
  await writeResult(snakeCased(figures), text, { json: options.json, context });
  if (set === undefined) return;
  await saveChosenWeight(set, chosen, { goal, prompts, savedAt: new Date(context.now()).toISOString() });
  await writeLine(context.stderr, `sextant: saved cost weight ${chosen.costWeight} in ${set}`);
}

function goalOf({ maxLoss, maxMeanCostUsd, knee }: TuneOptions): WeightGoal {
  if ([maxLoss, maxMeanCostUsd, knee].filter((option) => option !== undefined).length > 1) {
    throw new CommandFailure("--max-loss, --max-mean-cost-usd and --knee exclude each other; name one", 2);
  }
  if (knee) return "knee";
  return maxMeanCostUsd === undefined ? { maxLoss: (maxLoss ?? 1) / 100 } : { maxCostUsd: maxMeanCostUsd };
}

/** Whether a weight loses no more than the goal lets be lost. */
const keepsTo = (goal: WeightGoal, { gain, bestWeight }: ChosenWeight): boolean =>
  goal === "knee" ||
  !("maxLoss" in goal) ||
  -Math.min(gain?.value ?? 0, bestWeight?.gain.value ?? 0) <= goal.maxLoss;

interface Tuned {
  readonly goal: WeightGoal;
  readonly chosen: ChosenWeight;
  /** Null where it loses more than the goal lets be lost. */
  readonly knee: ChosenWeight | null;
  readonly evaluation: Evaluation;
  /** Of the chosen weight, on the prompts that the set measured it on. */
  readonly meaning: CostWeightMeaning | null;
}

const tunedText = ({ goal, chosen, knee, evaluation, meaning }: Tuned): string =>
  [
    recommendation(chosen, goal, evaluation),
    ...(chosen.costWeight === null || meaning === null
      ? []
      : [`As the set expects: ${meaningText(meaning, chosen.costWeight)}`]),
    ...(goal === "knee" || knee === null ? [] : [kneeText(knee, evaluation.best)]),
  ].join("\n");

function wordsOf(goal: WeightGoal): string {
  if (goal === "knee") return "the knee of cost and quality, beyond which quality falls faster than cost";
  return "maxLoss" in goal
    ? `at most ${(100 * goal.maxLoss).toFixed(2)} points below the best that any cost weight or single model reaches`
    : `at most $${plainNumber(1000 * goal.maxCostUsd)} per 1,000 prompts`;
}

function recommendation(
  { costWeight, bestWeight, gain, saved, costUsd, onOtherPrompts }: ChosenWeight,
  goal: WeightGoal,
  { best, prompts }: Pick<Evaluation, "best" | "prompts">,
): string {
  const asked = wordsOf(goal);
  const onPrompts = counted(prompts, "prompt");
  if (costWeight === null || bestWeight === null || gain === null || saved === null || costUsd === null) {
    return goal === "knee"
      ? `No pronounced knee of cost and quality on these ${onPrompts}: quality falls about evenly with cost. Say how much quality may be lost instead: --max-loss.`
      : `No cost weight keeps to ${asked} on these ${onPrompts}. Allow more, or profile other models.`;
  }
  const lines = [
    `cost weight ${costWeight}: ${asked}; ${onPrompts}`,
    `  quality ${interval(gain)} against ${best}, the best single model`,
    bestWeight.costWeight === costWeight
      ? "          the best cost weight measured"
      : `          ${interval(bestWeight.gain)} against cost weight ${bestWeight.costWeight}, the best measured`,
    `  cost    $${perThousand(costUsd.value)} per 1,000 prompts, ${signedPercent(-saved.value)} [${signedPercent(-saved.high)}, ${signedPercent(-saved.low)}]`,
  ];
  if (onOtherPrompts !== null) {
    lines.push(
      `on prompts that the weight was not chosen by: ${signedPoints(onOtherPrompts.gain)} points, $${perThousand(onOtherPrompts.costUsd)} per 1,000 prompts, ` +
        `${signedPercent(-onOtherPrompts.saved)} of the cost`,
    );
  }
  return lines.join("\n");
}

/** The knee, for those who have no limit in mind. */
function kneeText({ costWeight, bestWeight, gain, saved }: ChosenWeight, best: string): string {
  if (costWeight === null || bestWeight === null || gain === null || saved === null)
    return "no pronounced knee of cost and quality: quality falls about evenly with cost";
  const worth = [
    `${signedPoints(gain.value)} points and ${signedPercent(-saved.value)} of the cost against always ${best}`,
    ...(bestWeight.costWeight === costWeight
      ? []
      : [
          `${signedPoints(bestWeight.gain.value)} points against cost weight ${bestWeight.costWeight}, the best measured`,
        ]),
  ];
  return `knee of cost and quality: cost weight ${costWeight}, ${worth.join(", ")}; beyond it, quality falls faster than cost`;
}

const interval = ({ value, low, high }: Estimate): string =>
  `${signedPoints(value)} points [${signedPoints(low)}, ${signedPoints(high)}]`;

/** As it was given, without an exponent. */
const plainNumber = (value: number): string =>
  value.toLocaleString("en-US", { maximumSignificantDigits: 12 });
