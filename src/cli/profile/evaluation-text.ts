import type { Evaluation } from "../../workbench/evaluation/evaluate.js";
import { percent, points } from "../../workbench/evaluation/gate.js";
import type { DecisionLatency } from "../../workbench/evaluation/latency.js";
import type { Estimate } from "../../workbench/metrics/bootstrap.js";
import type { Output } from "../context.js";
import { tableFor } from "../table.js";

/** The answer in one sentence. */
export function verdict(evaluation: Evaluation): string {
  const { costWeight, saved, gain, best, prompts, knownPrompts } = evaluation;
  const quality = `${points(gain.value)} points of quality [${points(gain.low)}, ${points(gain.high)}]`;
  const what =
    saved === null
      ? `${quality} against always ${best}, the best single model`
      : `${savedText(saved)} at ${quality} against always ${best}, the best single model`;
  const known = knownPrompts === 0 ? "" : `, ${knownPrompts} left out that the set was built with`;
  return `At cost weight ${costWeight}: ${what}; ${prompts} prompts${known}.`;
}

function savedText({ value, low, high }: Estimate): string {
  if (value >= 0) return `saves ${share(value)} of the cost [${share(low)}, ${share(high)}]`;
  return `costs ${share(-value)} more [${share(-high)}, ${share(-low)}]`;
}

/** Every figure. */
export function evaluationTables(
  evaluation: Evaluation,
  { output, latency }: { readonly output: Output; readonly latency: DecisionLatency | null },
): string {
  const parts = [
    tableFor(output, {
      head: ["figure", "value"],
      rows: figureRows(evaluation, latency),
    }),
    tableFor(output, {
      head: ["model", "quality", "expected", "$ a prompt", "chosen for"],
      rows: evaluation.models.map(({ model, quality, expectedQuality, costUsd, chosen }) => [
        model,
        quality.toFixed(4),
        expectedQuality.toFixed(4),
        dollars(costUsd),
        share(chosen),
      ]),
    }),
  ];
  if (evaluation.sweep.length > 0) {
    parts.push(
      tableFor(output, {
        head: ["cost weight", "quality", "$ a prompt"],
        rows: evaluation.sweep.map(({ costWeight, quality, costUsd }) => [
          costWeight.toFixed(2),
          quality.toFixed(4),
          dollars(costUsd),
        ]),
      }),
    );
  }
  return parts.join("\n\n");
}

function figureRows(evaluation: Evaluation, latency: DecisionLatency | null): string[][] {
  const { router, gapClosed, frontier, calibration } = evaluation;
  return [
    ["profile version", evaluation.profileVersion],
    [
      "quality",
      `${router.quality.value.toFixed(4)} [${router.quality.low.toFixed(4)}, ${router.quality.high.toFixed(4)}]`,
    ],
    ["quality of the best single model", `${bestQuality(evaluation)} (${evaluation.best})`],
    ["quality of a random model", evaluation.random.toFixed(4)],
    ["quality in hindsight", evaluation.hindsight.toFixed(4)],
    ["of the way to hindsight", gapClosed === null ? "–" : share(gapClosed)],
    ["$ a prompt", dollars(router.costUsd?.value ?? null)],
    ["costs", COST_TEXTS[evaluation.costs ?? "unknown"]],
    ...(frontier === null
      ? []
      : [
          ["mean quality along the cost", frontier.averageQuality.toFixed(4)],
          ["… of mixtures of single models", frontier.averageQualityOfSingles.toFixed(4)],
          [
            "saved within half a point of the best",
            frontier.savedAtEqualQuality === null ? "–" : share(frontier.savedAtEqualQuality),
          ],
        ]),
    [
      "calibration error",
      `${calibration.error.toFixed(4)} (perfect expectations: ${calibration.ifPerfect.toFixed(4)})`,
    ],
    ["Brier score", calibration.brier.toFixed(4)],
    ["prompts without evidence near them", share(evaluation.outOfDistribution)],
    ...(latency === null
      ? []
      : [
          ["decision, median", `${latency.medianUs.toFixed(0)} µs`],
          [
            "… times the reference",
            `${latency.ratio.value.toFixed(2)} [${latency.ratio.low.toFixed(2)}, ${latency.ratio.high.toFixed(2)}]`,
          ],
        ]),
  ];
}

const COST_TEXTS = {
  recorded: "recorded with the answers",
  listed: "tokens of the answers at list prices",
  unknown: "not known",
} as const;

const bestQuality = ({ models, best }: Evaluation): string =>
  models.find(({ model }) => model === best)?.quality.toFixed(4) ?? "–";

const share = (value: number): string => percent(value).replace("+", "");
const dollars = (value: number | null): string => (value === null ? "–" : value.toPrecision(3));
