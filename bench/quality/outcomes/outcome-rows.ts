import { type GradedPrompts, readGradedPrompts } from "../../../src/workbench/evaluation/graded-prompts.js";

export type OutcomeRows = GradedPrompts;

/** The complete rows of a set. @param folder in the canonical layout @throws OutcomeDataError at the first fault of a file */
export const loadOutcomeRows = (folder: string, minCoverage: number): Promise<OutcomeRows> =>
  readGradedPrompts({ prompts: [folder], outcomes: [folder] }, { minCoverage });
