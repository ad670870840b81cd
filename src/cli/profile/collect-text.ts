/** What `sextant profile collect` prints. */
import { groupBy } from "../../foundation/group-by.js";
import type { CollectEstimate, CollectReport } from "../../workbench/collect-options.js";
import type { FailedRow } from "../../workbench/collected-answers.js";
import { mixedScales } from "../../workbench/index.js";
import type { Output } from "../context.js";
import { tableFor } from "../table.js";

/** To the cent, and below a dollar to a hundredth of one. */
export const dollars = (usd: number | null): string =>
  usd === null ? "unknown" : `$${usd.toFixed(usd >= 1 || usd === 0 ? 2 : 4)}`;

const count = (amount: number): string => Math.round(amount).toLocaleString("en-US");

/** What is to be asked and what that is expected to cost, in lines. */
export function estimateText(estimate: CollectEstimate, output: Output): string {
  const { models, costUsd, answered, spentUsd, lostCalls } = estimate;
  const questions = models.reduce((sum, model) => sum + model.questions, 0);
  const lines = [];
  if (answered > 0)
    lines.push(`${count(answered)} questions are answered already, for ${dollars(spentUsd)}.`);
  if (lostCalls > 0) {
    lines.push(
      `${count(lostCalls)} calls were in flight when an earlier run was killed, and are asked again with the same ` +
        "idempotency key: providers that ignore it bill them twice (--lost-calls skip leaves them out).",
    );
  }
  if (questions === 0) return [...lines, "Nothing is left to ask."].join("\n");
  const head = ["model", "provider", "questions", "prompt tokens", "answer tokens", "cost", "lengths from"];
  const rows = models.map((model) => [
    model.model,
    model.provider,
    count(model.questions),
    count(model.promptTokens),
    count(model.answerTokens),
    dollars(model.costUsd),
    model.lengthBasis,
  ]);
  const total = `${count(questions)} questions are expected to cost ${dollars(costUsd)}, grading by a judge not included.`;
  const unpriced = models.filter(({ costUsd: usd }) => usd === null).map(({ model }) => model);
  const prices =
    unpriced.length === 0
      ? []
      : [
          `No price is known of ${unpriced.join(", ")}: --max-usd needs one. Give it in the setting \`prices\`.`,
        ];
  const guessed = models.some(({ lengthBasis }) => lengthBasis === "guess") ? [GUESSED] : [];
  return [...lines, tableFor(output, { head, rows }), total, ...guessed, ...prices].join("\n");
}

const GUESSED =
  "A guess is a page of text, and the hidden reasoning of models that the catalog knows to think: others may take several times as much. " +
  "Ask --sample 5 first: from five answers on, theirs are the expected lengths.";

/** What was collected: a table of the models, what is missing, and what it cost. */
export function reportText(report: CollectReport, output: Output): string {
  const head = ["model", "graded", "mean score", "tokens per answer", "median latency", "cost"];
  const rows = report.models.map((model) => [
    model.model,
    `${count(model.graded)} of ${count(report.prompts)}`,
    model.meanScore === null ? "–" : model.meanScore.toFixed(3),
    model.graded === 0 ? "–" : count(model.tokensOut / model.graded),
    model.medianLatencyMs === null ? "–" : `${(model.medianLatencyMs / 1000).toFixed(1)} s`,
    model.graded === 0 ? "–" : dollars(model.costUsd),
  ]);
  return [tableFor(output, { head, rows }), ...notes(report), costLine(report)].join("\n");
}

function notes(report: CollectReport): readonly string[] {
  return [
    ...report.models
      .filter(({ cutOff }) => cutOff > 0)
      .map(({ model, cutOff }) => `${model}: ${count(cutOff)} answers were cut off at the limit of tokens.`),
    ...containedLines(report),
    ...[mixedScales(report.scales) ?? []].flat(),
    ...report.gaveUp.map(({ provider, reason }) => `Stopped asking ${provider}: ${reason}.`),
    ...failureLines(report.failed),
    ...ungradedLines(report),
  ];
}

const SUGGESTIONS: Readonly<Record<NonNullable<CollectReport["containedReferences"]>["suggestion"], string>> =
  {
    number: "--grade number",
    choice: "--grade choice",
    regex: "--grade regex --pattern '/^(?:.*answer is )?(.+?)\\.?$/i'",
  };

function containedLines({ containedReferences: found }: CollectReport): readonly string[] {
  if (found === null) return [];
  return [
    `${count(found.containing)} of ${count(found.zeros)} answers that scored 0 contain their reference: exact gives 0 to answers in sentences. ` +
      `Consider ${SUGGESTIONS[found.suggestion]}; with the same --out no model is asked again.`,
  ];
}

/** Failures with the same model and code are one line. */
function failureLines(failed: readonly FailedRow[]): readonly string[] {
  return [...groupBy(failed, ({ model, code }) => `${model}: ${code}`)].map(([name, rows]) => {
    const [first] = rows;
    return `${name}, ${count(rows.length)} ${rows.length === 1 ? "prompt" : "prompts"} such as ${first?.id}: ${first?.message}`;
  });
}

function ungradedLines({ failed, models }: CollectReport): readonly string[] {
  const ungraded = failed.filter(({ code }) => code === "not_graded").length;
  if (ungraded === 0) return [];
  const answers = ungraded + models.reduce((sum, { graded }) => sum + graded, 0);
  const share = ((100 * ungraded) / answers).toFixed(1);
  return [`${count(ungraded)} of ${count(answers)} answers (${share}%) have no verdict and are no outcomes.`];
}

function costLine({ spentUsd, unpricedCalls, lost }: CollectReport): string {
  const unpriced = unpricedCalls > 0 ? `, and ${count(unpricedCalls)} calls of unknown price` : "";
  const unknown =
    lost.calls > 0
      ? `; ${count(lost.calls)} calls that were in flight when a run was killed may have cost up to ${dollars(lost.usd)} more`
      : "";
  return `Spent ${dollars(spentUsd)}${unpriced}${unknown}.`;
}
