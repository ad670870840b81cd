import type { Estimate } from "../../foundation/bootstrap.js";
import type { Evaluation } from "../../workbench/evaluation/evaluate.js";
import type { DecisionLatency } from "../../workbench/evaluation/latency.js";
import { counted, signedPercent, signedPoints } from "../../workbench/index.js";
import type { Output } from "../context.js";
import { tableFor } from "../table.js";

/** The answer in one sentence, what it costs in quality first. */
export function verdict(evaluation: Evaluation): string {
  const { costWeight, saved, gain, best, prompts, knownPrompts } = evaluation;
  const quality = `${signedPoints(gain.value)} points of quality [${signedPoints(gain.low)}, ${signedPoints(gain.high)}]`;
  const cost = saved === null ? "" : ` and ${savedText(saved)}`;
  const known = knownPrompts === 0 ? "" : `, ${knownPrompts} left out that the set was built with`;
  return `At cost weight ${costWeight}: ${quality}${cost}, against ${best}, the best single model; ${counted(prompts, "prompt")}${known}.`;
}

function savedText({ value, low, high }: Estimate): string {
  if (value >= 0) return `${share(value)} of the cost saved [${share(low)}, ${share(high)}]`;
  return `${share(-value)} more cost [${share(-high)}, ${share(-low)}]`;
}

/** Every figure, with what it is. */
export function evaluationTables(
  evaluation: Evaluation,
  { output, latency }: { readonly output: Output; readonly latency: DecisionLatency | null },
): string {
  const parts = [
    tableFor(output, {
      head: ["figure", "value", "what it is"],
      rows: figureRows(evaluation, latency),
    }),
    tableFor(output, {
      head: ["model", "quality", "expected", THOUSAND, "chosen for"],
      rows: evaluation.models.map(({ model, quality, expectedQuality, costUsd, chosen }) => [
        model,
        quality.toFixed(4),
        expectedQuality.toFixed(4),
        dollars(costUsd),
        share(chosen),
      ]),
    }) + MODEL_COLUMNS,
  ];
  if (evaluation.sweep.length > 0) {
    parts.push(
      tableFor(output, {
        head: ["cost weight", "quality", THOUSAND],
        rows: evaluation.sweep.map(({ costWeight, quality, costUsd }) => [
          String(costWeight),
          quality.toFixed(4),
          dollars(costUsd),
        ]),
      }) + SWEEP_COLUMNS,
    );
  }
  return parts.join("\n\n");
}

const THOUSAND = "$ per 1,000 prompts";

const MODEL_COLUMNS = `
quality: mean score of the model's own answers, 0 to 1
expected: mean of what the router expected of them; far from quality, its decisions rest on little
${THOUSAND}: what its answers cost
chosen for: share of the prompts that the router gives to it at this cost weight`;

const SWEEP_COLUMNS = `
quality, ${THOUSAND}: of the models that the router chooses at that cost weight, in finer steps where quality changes`;

function figureRows(evaluation: Evaluation, latency: DecisionLatency | null): string[][] {
  const { router, gapClosed, frontier, calibration } = evaluation;
  const { quality } = router;
  return [
    ["profile version", evaluation.profileVersion, "the set that decided"],
    [
      "quality",
      `${quality.value.toFixed(4)} [${quality.low.toFixed(4)}, ${quality.high.toFixed(4)}]`,
      "mean score of the chosen models' answers, 0 to 1, with its 95% interval",
    ],
    [
      "quality of the best single model",
      `${bestQuality(evaluation)} (${evaluation.best})`,
      "if it answered every prompt",
    ],
    ["quality of a random model", evaluation.random.toFixed(4), "if a model were drawn for each prompt"],
    [
      "quality of the oracle",
      evaluation.hindsight.toFixed(4),
      "if each prompt went to the model that answered it best, which is not known beforehand",
    ],
    [
      "of the way to the oracle",
      gapClosed === null ? "–" : share(gapClosed),
      "from always the best single model (0%) to the oracle (100%)",
    ],
    [THOUSAND, dollars(router.costUsd?.value ?? null), "of the chosen models' answers"],
    ["costs", COST_TEXTS[evaluation.costs ?? "unknown"], "where they come from"],
    ...(frontier === null ? [] : frontierRows(frontier)),
    [
      "calibration error",
      `${calibration.error.toFixed(4)} (perfect expectations: ${calibration.ifPerfect.toFixed(4)})`,
      "mean distance of expected from seen quality",
    ],
    [
      "Brier score",
      calibration.brier.toFixed(4),
      "mean squared error of expected quality, the lower the better",
    ],
    [
      "prompts without evidence near them",
      share(evaluation.outOfDistribution),
      "share of the prompts that are unlike all prompts of the set",
    ],
    ...(latency === null ? [] : latencyRows(latency)),
  ];
}

function frontierRows(frontier: NonNullable<Evaluation["frontier"]>): string[][] {
  return [
    [
      "mean quality along the cost",
      frontier.averageQuality.toFixed(4),
      "over all spends from the cheapest to the most expensive model",
    ],
    [
      "… of mixtures of single models",
      frontier.averageQualityOfSingles.toFixed(4),
      "the same without a router: models drawn at random",
    ],
    [
      "saved within half a point of the best",
      frontier.savedAtEqualQuality === null ? "–" : share(frontier.savedAtEqualQuality),
      "of the best single model's cost, at the cheapest cost weight of about its quality",
    ],
  ];
}

function latencyRows({ medianUs, ratio }: DecisionLatency): string[][] {
  return [
    ["decision, median", `${medianUs.toFixed(0)} µs`, "time of a decision on this machine"],
    [
      "… times the reference",
      `${ratio.value.toFixed(2)} [${ratio.low.toFixed(2)}, ${ratio.high.toFixed(2)}]`,
      "a fixed piece of arithmetic, so that machines can be compared",
    ],
  ];
}

const COST_TEXTS = {
  recorded: "recorded with the answers",
  listed: "tokens of the answers at list prices",
  mixed: "recorded with the answers, else their tokens at list prices",
  unknown: "not known",
} as const;

const bestQuality = ({ models, best }: Evaluation): string =>
  models.find(({ model }) => model === best)?.quality.toFixed(4) ?? "–";

const share = (value: number): string => signedPercent(value).replace("+", "");
const dollars = (value: number | null): string => (value === null ? "–" : perThousand(value));

/** What 1,000 prompts cost, in dollars without an exponent: costs of a prompt have too many noughts to be read. */
export const perThousand = (usd: number): string =>
  (1000 * usd).toLocaleString("en-US", { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
