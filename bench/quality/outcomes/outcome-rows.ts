import { type GradedPrompts, readGradedPrompts } from "../../../src/workbench/evaluation/graded-prompts.js";

export type OutcomeRows = GradedPrompts;

/** The complete rows of a set. @param folder in the canonical layout @throws OutcomeDataError at the first fault of a file */
export const loadOutcomeRows = (folder: string, minCoverage: number): Promise<OutcomeRows> =>
  readGradedPrompts({ prompts: [folder], outcomes: [folder] }, { minCoverage });

/**
 * Two sets after one another, on the models both have.
 *
 * @throws Error when they have fewer than two models in common
 */
export function joinRows(first: OutcomeRows, second: OutcomeRows): OutcomeRows {
  const models = first.models.filter((model) => second.models.includes(model));
  if (models.length < 2) {
    const common = models.length === 0 ? "no model" : `only the model ${models[0]}`;
    throw new Error(`The two sets have ${common} in common; a router needs at least two to choose between.`);
  }
  const join = (field: "quality" | "tokensIn" | "tokensOut" | "costUsd"): Float64Array =>
    Float64Array.from(
      [first, second].flatMap((rows) =>
        rows.prompts.flatMap((_, row) =>
          models.map((model) => rows[field][row * rows.models.length + rows.models.indexOf(model)] as number),
        ),
      ),
    );
  return {
    prompts: [...first.prompts, ...second.prompts],
    models,
    quality: join("quality"),
    tokensIn: join("tokensIn"),
    tokensOut: join("tokensOut"),
    costUsd: join("costUsd"),
  };
}
