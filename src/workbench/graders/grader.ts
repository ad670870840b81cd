import type { Question } from "../asking/question.js";
import type { ScoreScale } from "../outcomes/score-scales.js";
import type { Reference, WorkbenchPrompt } from "../prompts/prompt.js";

/** An answer of a model, to be graded. */
export interface AnswerToGrade {
  /** Of the prompt. */
  readonly id: string;
  readonly model: string;
  /** As one text. */
  readonly prompt: string;
  readonly answer: string;
  readonly reference: Reference;
  readonly category?: string | null;
}

interface AnyGrader {
  /** As `--grade` names it. */
  readonly name: string;
  /** Why answers to this prompt cannot be graded, and what to do; undefined when they can. Asked before any model is. */
  problemWith?(prompt: WorkbenchPrompt): string | undefined;
}

/** Grades by itself. */
export interface LocalGrader extends AnyGrader {
  readonly kind: "local";
  /**
   * A score from 0, wrong, to 1, right.
   *
   * @throws GradingError when the answer cannot be graded, which is not the same as a wrong one
   */
  grade(answer: AnswerToGrade, options: { readonly signal: AbortSignal }): number | Promise<number>;
}

/** Grades by what a model replies to questions about the answer. */
export interface JudgeGrader extends AnyGrader {
  readonly kind: "judge";
  readonly model: string;
  questionsFor(answer: AnswerToGrade): readonly Question[];
  /** What scores of answers to this prompt mean. */
  scaleOf(prompt: Pick<WorkbenchPrompt, "reference">): ScoreScale;
  /**
   * @param replies one for each question, in order
   * @throws GradingError when a reply holds no verdict
   */
  scoreOf(replies: readonly string[]): number;
}

/** Grades the answers to each prompt in a way of its own. */
export interface PromptGrader extends AnyGrader {
  readonly kind: "by-prompt";
  /** The same one for the same prompt. */
  graderOf(prompt: WorkbenchPrompt): LocalGrader | JudgeGrader;
}

export type Grader = LocalGrader | JudgeGrader | PromptGrader;

export const graderOf = (grader: Grader, prompt: WorkbenchPrompt): LocalGrader | JudgeGrader =>
  grader.kind === "by-prompt" ? grader.graderOf(prompt) : grader;

/** What the scores of answers to a prompt mean. */
export function scaleOf(grader: Grader, prompt: WorkbenchPrompt): ScoreScale {
  const own = graderOf(grader, prompt);
  return own.kind === "judge" ? own.scaleOf(prompt) : "right";
}

/** An answer that could not be graded. The message says why and holds no prompt. */
export class GradingError extends Error {
  override readonly name = "GradingError";
}

/** What graders that compare with a reference say of a prompt without one. */
export function missingReference(prompt: WorkbenchPrompt): string | undefined {
  const { reference = null } = prompt;
  if (reference !== null && reference.length > 0) return undefined;
  return "has no reference answer to compare with; name its column, or grade in another way";
}
