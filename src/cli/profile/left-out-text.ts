import type { Evaluation } from "../../workbench/evaluation/evaluate.js";
import { type CliContext, writeLine } from "../context.js";

/** Says on standard error which models and prompts are not part of an evaluation, and why. */
export async function writeLeftOut(
  { leftOut }: Pick<Evaluation, "leftOut">,
  { stderr }: Pick<CliContext, "stderr">,
): Promise<void> {
  for (const line of leftOut === null ? [] : leftOutLines(leftOut))
    await writeLine(stderr, `sextant: ${line}`);
}

function leftOutLines({
  allPrompts,
  unknownModels,
  sparseModels,
  ungradedModels,
  unpricedModels,
  incompletePrompts,
}: NonNullable<Evaluation["leftOut"]>): readonly string[] {
  const sparse = sparseModels.map(({ model, prompts }) => `${model} (${prompts})`);
  return [
    ...named("left out, as the set does not have them", unknownModels),
    ...named(`left out, as they are graded on too few of the ${allPrompts} prompts (--min-coverage)`, sparse),
    ...named("left out, as the outcomes have no answers of them", ungradedModels),
    ...named("never chosen above cost weight 0, as their cost is not known", unpricedModels),
    ...(incompletePrompts === 0
      ? []
      : [
          `left out: ${incompletePrompts} of ${allPrompts} prompts, which not all of these models are graded on`,
        ]),
  ];
}

const MOST_NAMES = 10;

function named(what: string, models: readonly string[]): readonly string[] {
  if (models.length === 0) return [];
  const more = models.length > MOST_NAMES ? ` and ${models.length - MOST_NAMES} others` : "";
  return [`${what}: ${models.slice(0, MOST_NAMES).join(", ")}${more}`];
}
