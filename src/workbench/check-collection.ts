import type { ModelCaller } from "./asking/model-caller.js";
import type { CollectOptions } from "./collect-options.js";
import { WorkbenchError } from "./workbench-error.js";

/**
 * Checks all that can be wrong before anything is asked.
 *
 * @throws WorkbenchError naming the option or the prompt; SextantError for a model that cannot be asked
 */
export function checkCollection(options: CollectOptions, caller: ModelCaller): void {
  checkPrompts(options);
  checkNumbers(options);
  const { models, grader, maxUsd } = options;
  if (models.length === 0) throw new WorkbenchError("`models` is empty; name the models to ask");
  const twice = models.find((model, index) => models.indexOf(model) !== index);
  if (twice !== undefined) throw new WorkbenchError(`\`models\` names ${twice} twice; name each model once`);
  const asked = grader.kind === "judge" ? [...models, grader.model] : models;
  const unpriced = asked.filter((model) => !caller.modelToAsk(model).isPriced);
  if (maxUsd === undefined || unpriced.length === 0) return;
  throw new WorkbenchError(
    `a limit of ${maxUsd} dollars cannot be kept: no price is known of ${unpriced.join(", ")}. ` +
      "Give it in the setting `prices`, or collect without a limit",
  );
}

function checkPrompts({ prompts, grader }: CollectOptions): void {
  if (prompts.length === 0) throw new WorkbenchError("`prompts` is empty; there is nothing to ask");
  const ids = new Set<string>();
  for (const prompt of prompts) {
    const problem = ids.has(prompt.id)
      ? "has an id that an earlier prompt has too; give every prompt an id of its own"
      : grader.problemWith?.(prompt);
    if (problem !== undefined) throw new WorkbenchError(`the prompt ${JSON.stringify(prompt.id)} ${problem}`);
    ids.add(prompt.id);
  }
}

const NUMBERS = [
  { name: "temperature", least: 0, most: 2, isWhole: false },
  { name: "maxTokens", least: 1, most: Number.MAX_SAFE_INTEGER, isWhole: true },
  { name: "maxUsd", least: 0, most: Number.MAX_SAFE_INTEGER, isWhole: false },
  { name: "concurrency", least: 1, most: 1_000, isWhole: true },
  { name: "providerConcurrency", least: 1, most: 1_000, isWhole: true },
] as const;

function checkNumbers(options: CollectOptions): void {
  for (const { name, least, most, isWhole } of NUMBERS) {
    const value = options[name];
    if (value === undefined || (value >= least && value <= most && (!isWhole || Number.isInteger(value))))
      continue;
    const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
    throw new WorkbenchError(`\`${name}\` is ${value}, not a ${isWhole ? "whole " : ""}number ${range}`);
  }
}
