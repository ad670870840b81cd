/**
 * The workbench for notebooks and pipelines: what `sextant profile collect` does, in code. Settings and the keys of providers come from
 * the environment, `.env` and the settings file, as for the command line.
 */
import { openModels } from "./compose/open-models.js";
import { waitingTimers } from "./foundation/timers.js";
import { loadSettings, readEnvironment } from "./settings/load-settings.js";
import { collect as collectWith } from "./workbench/collect.js";
import type { CollectOptions, CollectReport } from "./workbench/collect-options.js";
import type { AnswerToGrade, Grader, LocalGrader } from "./workbench/graders/grader.js";

export { OutcomeDataError } from "./profiles/outcomes/outcome-data-error.js";
export type { LengthBasis } from "./workbench/asking/answer-lengths.js";
export type {
  CollectEstimate,
  CollectOptions,
  CollectProgress,
  CollectReport,
} from "./workbench/collect-options.js";
export type { FailedRow } from "./workbench/collected-answers.js";
export type { ModelEstimate } from "./workbench/estimate.js";
export { choiceGrader } from "./workbench/graders/choice.js";
export { type CommandOptions, commandGrader } from "./workbench/graders/command.js";
export { exactGrader } from "./workbench/graders/exact.js";
export { type AnswerToGrade, type Grader, GradingError } from "./workbench/graders/grader.js";
export { type JsonSchemaOptions, jsonSchemaGrader } from "./workbench/graders/json-schema.js";
export { type JudgeOptions, judgeGrader } from "./workbench/graders/judge.js";
export { type NumberOptions, numberGrader } from "./workbench/graders/number.js";
export { type RegexOptions, regexGrader } from "./workbench/graders/regex.js";
export type { ChatMessage, Reference, WorkbenchPrompt } from "./workbench/prompts/prompt.js";
export {
  type PromptColumns,
  type ReadPromptsOptions,
  readPromptTable as readPrompts,
} from "./workbench/prompts/read-prompts.js";
export { type SampleOptions, samplePrompts } from "./workbench/prompts/sample-prompts.js";
export type { ModelReport } from "./workbench/report.js";
export { WorkbenchError } from "./workbench/workbench-error.js";

export interface CollectSettings {
  /** Folder of `.env`, of the settings file, and of relative paths in it. Default: that of the process. */
  readonly workingDirectory?: string;
  /** Default: that of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Asks every model every prompt, grades the answers, and writes outcomes from which `sextant profile build` makes a profile set: see
 * docs/workbench.md. A collection that was stopped goes on where it was when it is started again with the same folder.
 *
 * @throws WorkbenchError, SextantError, SettingsError: something that is wrong before anything is asked
 */
export async function collect(
  options: CollectOptions,
  { workingDirectory = process.cwd(), environment = process.env }: CollectSettings = {},
): Promise<CollectReport> {
  const settings = loadSettings(environment, { workingDirectory });
  const caller = openModels(settings, { environment: readEnvironment(environment, { workingDirectory }) });
  try {
    const clock = () => performance.now();
    return await collectWith(options, {
      caller,
      clock,
      timers: waitingTimers,
      now: Date.now,
      random: Math.random,
    });
  } finally {
    await caller.close();
  }
}

/** A grader of one's own. What it throws leaves an answer without a grade. */
export function customGrader(
  name: string,
  grade: (answer: AnswerToGrade) => number | Promise<number>,
): Grader {
  const grader: LocalGrader = { kind: "local", name, grade };
  return grader;
}
