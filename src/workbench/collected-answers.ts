import { type Question, type QuestionParameters, questionKey } from "./asking/question.js";
import type { AnsweredEntry, FailedEntry, Ledger } from "./journal/ledger.js";
import { promptMessages, type WorkbenchPrompt } from "./prompts/prompt.js";

/** How every prompt is asked. */
export interface AskingStyle {
  /** Instructions before each prompt. */
  readonly system?: string | undefined;
  readonly parameters: QuestionParameters;
}

/** A prompt and a model, with the question that they make. */
export interface Row {
  readonly prompt: WorkbenchPrompt;
  readonly model: string;
  readonly question: Question;
  readonly key: string;
}

/** Every prompt with every model: all models of the first prompt, then those of the second. */
export function collectedRows(
  prompts: readonly WorkbenchPrompt[],
  models: readonly string[],
  { system, parameters }: AskingStyle,
): readonly Row[] {
  return prompts.flatMap((prompt) => {
    const messages = promptMessages(prompt, { system });
    return models.map((model) => {
      const question: Question = { model, messages, parameters };
      return { prompt, model, question, key: questionKey(question) };
    });
  });
}

export interface AnsweredRow extends Row {
  readonly entry: AnsweredEntry;
}

/** A row without an answer that could be graded, and why. */
export interface FailedRow {
  readonly id: string;
  readonly model: string;
  /** `content_filter`, `lost`, `not_asked`, `not_graded`, or the code with which the call failed. */
  readonly code: string;
  readonly message: string;
}

export interface SortedRows {
  readonly answered: readonly AnsweredRow[];
  readonly failed: readonly FailedRow[];
}

/** Which rows are answered. A provider's filter that cut an answer off makes none: it says nothing of the model. */
export function sortRows(
  rows: readonly Row[],
  { ledger, lost }: { readonly ledger: Ledger; readonly lost: ReadonlySet<string> },
): SortedRows {
  const answered: AnsweredRow[] = [];
  const failed: FailedRow[] = [];
  for (const row of rows) {
    const entry = ledger.answer(row.key);
    if (entry !== undefined && entry.finish_reason !== "content_filter") answered.push({ ...row, entry });
    else failed.push({ id: row.prompt.id, model: row.model, ...reasonOf(row, { entry, ledger, lost }) });
  }
  return { answered, failed };
}

interface ReasonSources {
  readonly entry: AnsweredEntry | undefined;
  readonly ledger: Ledger;
  readonly lost: ReadonlySet<string>;
}

function reasonOf({ key }: Row, { entry, ledger, lost }: ReasonSources): Omit<FailedRow, "id" | "model"> {
  if (entry !== undefined)
    return { code: "content_filter", message: "the provider's content filter cut the answer off" };
  const failure: FailedEntry | undefined = ledger.failure(key);
  if (failure !== undefined) return { code: failure.code, message: failure.message };
  return lost.has(key)
    ? { code: "lost", message: "was being asked when a run was killed, and is not asked again" }
    : { code: "not_asked", message: "was not asked" };
}
