import { readName, readOptionalName } from "./field-values.js";
import type { RawRow } from "./jsonl.js";
import { OutcomeDataError } from "./outcome-data-error.js";
import { readRows, TABLE_FILE } from "./read-rows.js";
import type { RowSelection } from "./row-filter.js";

export interface PromptRow {
  /** Line or row of the file, counted from 1. */
  readonly row: number;
  readonly id: string;
  readonly benchmark: string | null;
  readonly category: string | null;
  /** The text to embed; not blank. */
  readonly text: string;
}

export interface PromptFileOptions {
  /** Converts the `messages` of a chat to the text to embed, or throws; without it such rows are refused. */
  readonly textOfMessages?: (messages: readonly unknown[]) => string;
  readonly only?: RowSelection;
  readonly signal?: AbortSignal | undefined;
}

/** File names that `readPrompts` accepts. */
export const PROMPTS_FILE = TABLE_FILE;

const PROMPT_FIELDS = ["id", "benchmark", "category", "prompt", "messages"];

/**
 * The prompts of one file, `{id, benchmark?, category?, prompt}` or `{id, …, messages}` a row, in file order; memory as `readRows`. Ids are
 * not checked for being unique.
 *
 * @throws OutcomeDataError naming the location of the first fault
 */
export async function* readPrompts(file: string, options: PromptFileOptions = {}): AsyncGenerator<PromptRow> {
  if (!PROMPTS_FILE.test(file)) {
    throw new OutcomeDataError(
      { file },
      "prompts are read from .parquet, .csv, .jsonl, .csv.gz or .jsonl.gz",
    );
  }
  const columns = [...PROMPT_FIELDS, ...(options.only?.fields ?? [])];
  for await (const raw of readRows(file, { columns, signal: options.signal })) {
    if (options.only?.takesPrompt(raw) === false) continue;
    yield {
      row: raw.row,
      id: readName(raw, { file, field: "id" }),
      benchmark: readOptionalName(raw, { file, field: "benchmark" }),
      category: readOptionalName(raw, { file, field: "category" }),
      text: readText(raw, file, options),
    };
  }
}

function readText(raw: RawRow, file: string, options: PromptFileOptions): string {
  const { prompt, messages } = raw.values;
  if (typeof prompt === "string") return requireText(prompt, { file, row: raw.row, field: "prompt" });
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new OutcomeDataError(
      { file, row: raw.row },
      'the row has neither a text "prompt" nor "messages"; add one',
    );
  }
  const location = { file, row: raw.row, field: "messages" };
  if (options.textOfMessages === undefined) {
    throw new OutcomeDataError(location, 'chats cannot be read here; give the text as "prompt"');
  }
  return requireText(textOfChat(messages, { textOfMessages: options.textOfMessages, location }), location);
}

function textOfChat(
  messages: readonly unknown[],
  options: {
    readonly textOfMessages: (messages: readonly unknown[]) => string;
    readonly location: { readonly file: string; readonly row: number; readonly field: string };
  },
): string {
  try {
    return options.textOfMessages(messages);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new OutcomeDataError(options.location, `is not a chat: ${detail}`, { cause });
  }
}

function requireText(
  text: string,
  location: { readonly file: string; readonly row: number; readonly field: string },
): string {
  if (text.trim() !== "") return text;
  throw new OutcomeDataError(
    location,
    "is empty; remove the prompt and its outcomes, nothing can be learned from it",
  );
}
