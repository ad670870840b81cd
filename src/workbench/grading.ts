import { yieldThread } from "../foundation/timers.js";
import type { AskProgress } from "./asking/asking-round.js";
import type { Question } from "./asking/question.js";
import type { AnsweredRow, FailedRow } from "./collected-answers.js";
import {
  type AnswerToGrade,
  type Grader,
  GradingError,
  type JudgeGrader,
  type LocalGrader,
} from "./graders/grader.js";
import { promptText } from "./prompts/prompt.js";

export interface GradedRow extends AnsweredRow {
  /** From 0 to 1. */
  readonly score: number;
}

export interface Grades {
  readonly graded: readonly GradedRow[];
  readonly ungraded: readonly FailedRow[];
}

export interface GradingOptions {
  readonly grader: Grader;
  /** Asks the judge what it has not been asked before, as far as the budget and the signal allow. */
  readonly ask: (questions: readonly Question[]) => Promise<void>;
  /** The judge's reply, when there is one. */
  readonly replyTo: (question: Question) => string | undefined;
  readonly onProgress: (progress: AskProgress) => void;
  readonly signal: AbortSignal;
}

/** Grades answers. One that cannot be graded gets no score and is listed with the reason. */
export async function gradeAnswers(
  rows: readonly AnsweredRow[],
  { grader, ...options }: GradingOptions,
): Promise<Grades> {
  return grader.kind === "judge"
    ? judgeAnswers(rows, { grader, ...options })
    : gradeLocally(rows, { grader, ...options });
}

async function judgeAnswers(
  rows: readonly AnsweredRow[],
  { grader, ask, replyTo }: Omit<GradingOptions, "grader"> & { readonly grader: JudgeGrader },
): Promise<Grades> {
  const judged = rows.map((row) => ({ row, questions: grader.questionsFor(toGrade(row)) }));
  await ask(judged.flatMap(({ questions }) => questions));
  return split(
    judged.map(({ row, questions }) =>
      scored(row, () => {
        const replies = questions.map(replyTo);
        const known = replies.filter((reply) => reply !== undefined);
        if (known.length < replies.length) throw new GradingError("the judge has not replied");
        return grader.scoreOf(known);
      }),
    ),
  );
}

/** Answers that are graded at the same time, by commands and functions that take their time (guess). */
const GRADED_AT_ONCE = 8;

/** Answers between two looks at what else there is to do. */
const HEARD_EVERY = 64;

async function gradeLocally(
  rows: readonly AnsweredRow[],
  { grader, onProgress, signal }: Omit<GradingOptions, "grader"> & { readonly grader: LocalGrader },
): Promise<Grades> {
  const outcomes: Outcome[] = [];
  // A collection that was stopped while it asked still grades what there is.
  const wasStopped = signal.aborted;
  onProgress({ done: 0, total: rows.length });
  let [next, done] = [0, 0];
  const gradeSome = async (): Promise<void> => {
    for (let index = next++; index < rows.length; index = next++) {
      const row = rows[index] as AnsweredRow;
      outcomes[index] = await scored(row, () => {
        if (signal.aborted && !wasStopped) throw new GradingError("grading was stopped");
        return grader.grade(toGrade(row), { signal });
      });
      done += 1;
      onProgress({ done, total: rows.length });
      // Most graders never wait: a signal would be heard only when all is graded.
      if (done % HEARD_EVERY === 0) await yieldThread();
    }
  };
  await Promise.all(Array.from({ length: GRADED_AT_ONCE }, gradeSome));
  return split(outcomes);
}

type Outcome = { readonly graded: GradedRow } | { readonly ungraded: FailedRow };

async function scored(row: AnsweredRow, grade: () => number | Promise<number>): Promise<Outcome> {
  try {
    const score = await grade();
    if (score >= 0 && score <= 1) return { graded: { ...row, score } };
    throw new GradingError(`the grade is ${score}, not a number from 0 to 1`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ungraded: { id: row.prompt.id, model: row.model, code: "not_graded", message } };
  }
}

async function split(outcomes: readonly (Outcome | Promise<Outcome>)[]): Promise<Grades> {
  const all = await Promise.all(outcomes);
  return {
    graded: all.flatMap((one) => ("graded" in one ? [one.graded] : [])),
    ungraded: all.flatMap((one) => ("ungraded" in one ? [one.ungraded] : [])),
  };
}

const toGrade = ({ prompt, model, entry }: AnsweredRow): AnswerToGrade => ({
  id: prompt.id,
  model,
  prompt: promptText(prompt),
  answer: entry.answer,
  reference: prompt.reference ?? null,
});
