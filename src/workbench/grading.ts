import { yieldThread } from "../foundation/timers.js";
import type { AskProgress } from "./asking/asking-round.js";
import type { Question } from "./asking/question.js";
import type { AnsweredRow, FailedRow } from "./collected-answers.js";
import { knownSum } from "./estimate.js";
import { choiceGrader } from "./graders/choice.js";
import { normalised } from "./graders/exact.js";
import {
  type AnswerToGrade,
  type Grader,
  GradingError,
  graderOf,
  type JudgeGrader,
  type LocalGrader,
} from "./graders/grader.js";
import { numberGrader } from "./graders/number.js";
import { referencesOf, textOfPrompt, type WorkbenchPrompt } from "./prompts/prompt.js";

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

interface Assigned<One> {
  readonly row: AnsweredRow;
  readonly grader: One;
}

/** Grades answers. One that cannot be graded gets no score and is listed with the reason. Both are in the order of the answers. */
export async function gradeAnswers(
  rows: readonly AnsweredRow[],
  { grader, ...options }: GradingOptions,
): Promise<Grades> {
  const assigned = rows.map((row) => ({ row, grader: graderOf(grader, row.prompt) }));
  const judged = assigned.filter((one): one is Assigned<JudgeGrader> => one.grader.kind === "judge");
  const local = assigned.filter((one): one is Assigned<LocalGrader> => one.grader.kind === "local");
  const outcomes = new Map([
    ...(local.length === 0 ? [] : await gradeLocally(local, options)),
    ...(judged.length === 0 ? [] : await judgeAnswers(judged, options)),
  ]);
  const all = rows.map((row) => outcomes.get(row) as Outcome);
  return {
    graded: all.flatMap((one) => ("graded" in one ? [one.graded] : [])),
    ungraded: all.flatMap((one) => ("ungraded" in one ? [one.ungraded] : [])),
  };
}

type Outcomes = readonly (readonly [AnsweredRow, Outcome])[];

async function judgeAnswers(
  rows: readonly Assigned<JudgeGrader>[],
  { ask, replyTo }: Omit<GradingOptions, "grader">,
): Promise<Outcomes> {
  const judged = rows.map(({ row, grader }) => ({
    row,
    grader,
    questions: grader.questionsFor(toGrade(row)),
  }));
  await ask(judged.flatMap(({ questions }) => questions));
  return Promise.all(
    judged.map(async ({ row, grader, questions }) => {
      const outcome = await scored(row, () => {
        const replies = questions.map(replyTo);
        const known = replies.filter((reply) => reply !== undefined);
        if (known.length < replies.length) throw new GradingError("the judge has not replied");
        return grader.scoreOf(known);
      });
      return [row, outcome] as const;
    }),
  );
}

/** Answers that are graded at the same time, by commands and functions that take their time (guess). */
const GRADED_AT_ONCE = 8;

/** Answers between two looks at what else there is to do. */
const HEARD_EVERY = 64;

async function gradeLocally(
  rows: readonly Assigned<LocalGrader>[],
  { onProgress, signal }: Omit<GradingOptions, "grader">,
): Promise<Outcomes> {
  const outcomes: (readonly [AnsweredRow, Outcome])[] = [];
  // A collection that was stopped while it asked still grades what there is.
  const wasStopped = signal.aborted;
  onProgress({ done: 0, total: rows.length });
  let [next, done] = [0, 0];
  const gradeSome = async (): Promise<void> => {
    for (let index = next++; index < rows.length; index = next++) {
      const { row, grader } = rows[index] as Assigned<LocalGrader>;
      const outcome = await scored(row, () => {
        if (signal.aborted && !wasStopped) throw new GradingError("grading was stopped");
        return grader.grade(toGrade(row), { signal });
      });
      outcomes[index] = [row, outcome];
      done += 1;
      onProgress({ done, total: rows.length });
      // Most graders never wait: a signal would be heard only when all is graded.
      if (done % HEARD_EVERY === 0) await yieldThread();
    }
  };
  await Promise.all(Array.from({ length: GRADED_AT_ONCE }, gradeSome));
  return outcomes;
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

const toGrade = ({ prompt, model, entry }: AnsweredRow): AnswerToGrade => ({
  id: prompt.id,
  model,
  prompt: textOfPrompt(prompt),
  answer: entry.answer,
  reference: prompt.reference ?? null,
  category: prompt.category ?? null,
});

/** What a collection holds of one model. */
export interface ModelReport {
  readonly model: string;
  /** Graded answers. */
  readonly graded: number;
  /** From 0 to 1; null without graded answers. */
  readonly meanScore: number | null;
  /** Answers that ended at the limit of tokens: graded as they are. */
  readonly cutOff: number;
  readonly tokensIn: number;
  /** Hidden reasoning included. */
  readonly tokensOut: number;
  /** Of the graded answers; null where no price is known. */
  readonly costUsd: number | null;
  readonly medianLatencyMs: number | null;
}

/** What the graded answers of each model come to, in order of the models. */
export function reportModels(
  models: readonly string[],
  graded: readonly GradedRow[],
): readonly ModelReport[] {
  return models.map((model) => {
    const own = graded.filter((row) => row.model === model);
    const entries = own.map(({ entry }) => entry);
    const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
    return {
      model,
      graded: own.length,
      meanScore: own.length === 0 ? null : sum(own.map(({ score }) => score)) / own.length,
      cutOff: entries.filter(({ finish_reason }) => finish_reason === "length").length,
      tokensIn: sum(entries.map(({ tokens_in }) => tokens_in)),
      tokensOut: sum(entries.map(({ tokens_out }) => tokens_out)),
      costUsd: knownSum(entries.map(({ cost_usd }) => cost_usd)),
      medianLatencyMs: median(entries.map(({ latency_ms }) => latency_ms)),
    };
  });
}

function median(values: readonly number[]): number | null {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? null;
}

/** Answers that the exact grader gave 0 although they contain their reference: probably right ones, in sentences. */
export interface ContainedReferences {
  /** Answers with score 0. */
  readonly zeros: number;
  /** Of these, those that contain a reference as a word or several; at least 1. */
  readonly containing: number;
  /** What would grade them: `number` or `choice` when these references are numbers or letters, and the grader takes those of all prompts. */
  readonly suggestion: "number" | "choice" | "regex";
}

interface Collected {
  readonly grader: Grader;
  /** All prompts of the collection. */
  readonly prompts: readonly WorkbenchPrompt[];
}

/** Null where no prompt is graded by the exact grader, and when there are none. */
export function containedReferences(
  graded: readonly GradedRow[],
  { grader, prompts }: Collected,
): ContainedReferences | null {
  const isExact = (prompt: WorkbenchPrompt) => graderOf(grader, prompt).name === "exact";
  const zeros = graded.filter(({ score, prompt }) => score === 0 && isExact(prompt));
  const found = zeros.flatMap(({ prompt, entry }) => {
    const answer = normalised(entry.answer);
    const reference = referencesOf(prompt)
      .map(normalised)
      .find((one) => containsWords(answer, one));
    return reference === undefined ? [] : [reference];
  });
  if (found.length === 0) return null;
  const fits = (pattern: RegExp, other: LocalGrader) =>
    found.every((reference) => pattern.test(reference)) &&
    prompts.every((prompt) => !isExact(prompt) || other.problemWith?.(prompt) === undefined);
  const suggestion = fits(/^[-+$€£]?\d[\d.,\s]*%?$/, numberGrader())
    ? "number"
    : fits(/^\(?[a-z]\)?$/, choiceGrader())
      ? "choice"
      : "regex";
  return { zeros: zeros.length, containing: found.length, suggestion };
}

/** Both normalised. Not within a word: "no" is not in "know". */
function containsWords(text: string, words: string): boolean {
  if (words === "") return false;
  const isLetter = (character: string | undefined) =>
    character !== undefined && /[\p{L}\p{N}]/u.test(character);
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (!isLetter(text[at - 1]) && !isLetter(text[at + words.length])) return true;
  }
  return false;
}
