import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { readName } from "../outcomes/field-values.js";
import { findDataFiles } from "../outcomes/find-files.js";
import type { RawRow } from "../outcomes/jsonl.js";
import { OutcomeDataError } from "../outcomes/outcome-data-error.js";
import { readParquetColumns } from "../outcomes/parquet.js";
import { readRows, TABLE_FILE } from "../outcomes/read-rows.js";
import type { ChatMessage, Reference, WorkbenchPrompt } from "./prompt.js";

/** Names of the columns to read. */
export interface PromptColumns {
  /** Default: `prompt`, or `messages` where there is no such column. */
  readonly prompt?: string | undefined;
  /** Default: `reference`, which may be absent. */
  readonly reference?: string | undefined;
  /** Default: `id`; where it is absent, ids are made from the texts of the prompts. */
  readonly id?: string | undefined;
}

export interface ReadPromptsOptions {
  readonly columns?: PromptColumns;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The prompts of a `.jsonl`, `.csv` or `.parquet` file (the first two also with `.gz`), in file order, or of the one such file of a
 * folder, as `collect` writes it. `benchmark`, `category`, `grade`, `pattern` and `schema` are read where they are.
 *
 * @throws OutcomeDataError naming file, line or row, column and remedy: a column that is not there, an empty prompt, an id that
 * occurs twice, a file without prompts
 */
export async function readPromptTable(
  path: string,
  { columns = {}, signal }: ReadPromptsOptions = {},
): Promise<readonly WorkbenchPrompt[]> {
  const file = await fileAt(path);
  if (!TABLE_FILE.test(file)) {
    throw new OutcomeDataError(
      { file },
      "prompts are read from .jsonl, .csv or .parquet (the first two also with .gz)",
    );
  }
  const present = file.endsWith(".parquet") ? await readParquetColumns(file) : undefined;
  const reader = new PromptReader(file, { columns, present });
  const names = [...new Set([...DEFAULT_COLUMNS, ...Object.values(columns).filter(isGiven)])];
  for await (const row of readRows(file, { columns: names, signal })) reader.add(row);
  if (reader.prompts.length === 0) throw new OutcomeDataError({ file }, "there are no prompts in it");
  return reader.prompts;
}

/** A file itself, also one that does not exist. */
async function fileAt(path: string): Promise<string> {
  const isFolder = await stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
  if (!isFolder) return path;
  const [file, ...more] = await findDataFiles([path], "prompts");
  if (file !== undefined && more.length === 0) return file;
  throw new OutcomeDataError(
    { file: path },
    `the folder holds ${more.length + 1} files of prompts; name one of them`,
  );
}

const DEFAULT_COLUMNS = [
  ...["prompt", "messages", "reference", "id", "benchmark", "category"],
  ...["grade", "pattern", "schema"],
];
const isGiven = (name: string | undefined): name is string => name !== undefined;

interface ReaderOptions {
  readonly columns: PromptColumns;
  /** All columns of the file, where they are known apart from its rows. */
  readonly present: readonly string[] | undefined;
}

class PromptReader {
  readonly prompts: WorkbenchPrompt[] = [];
  readonly #rowOfId = new Map<string, number>();

  constructor(
    private readonly file: string,
    private readonly options: ReaderOptions,
  ) {}

  add(row: RawRow): void {
    const prompt = this.#prompt(row);
    const id = this.#id(row, prompt);
    const earlier = this.#rowOfId.get(id);
    if (earlier !== undefined) {
      const { id: field = "id" } = this.options.columns;
      const problem = this.#has(row, field)
        ? `the id ${JSON.stringify(id)} is that of row ${earlier} too; give every prompt an id of its own`
        : `the prompt is the same as that of row ${earlier}; remove one, or give each an id of its own`;
      throw new OutcomeDataError({ file: this.file, row: row.row }, problem);
    }
    this.#rowOfId.set(id, row.row);
    this.prompts.push({
      id,
      prompt,
      reference: this.#reference(row),
      benchmark: this.#optionalName(row, "benchmark"),
      category: this.#optionalName(row, "category"),
      ...this.#grading(row),
    });
  }

  #prompt(row: RawRow): WorkbenchPrompt["prompt"] {
    const field = this.options.columns.prompt ?? (this.#has(row, "prompt") ? "prompt" : "messages");
    if (!this.#has(row, field)) throw this.#noColumn(row, this.options.columns.prompt ?? "prompt");
    const value = row.values[field];
    const location = { file: this.file, row: row.row, field };
    if (typeof value === "string" && value.trim() !== "") return value;
    if (typeof value === "string" || value === null || value === undefined)
      throw new OutcomeDataError(location, "is empty; remove the row, or name another column as the prompt");
    if (Array.isArray(value) && value.length > 0 && value.every(isMessage)) return value;
    throw new OutcomeDataError(
      location,
      'is neither a text nor a list of messages {"role", "content"}; write one of them',
    );
  }

  #id(row: RawRow, prompt: WorkbenchPrompt["prompt"]): string {
    const { id: given } = this.options.columns;
    const field = given ?? "id";
    if (this.#has(row, field)) return readName(row, { file: this.file, field });
    if (given !== undefined) throw this.#noColumn(row, given);
    return createHash("sha256").update(JSON.stringify(prompt)).digest("hex").slice(0, ID_LENGTH);
  }

  #reference(row: RawRow): Reference {
    const { reference: given } = this.options.columns;
    const field = given ?? "reference";
    if (!this.#has(row, field)) {
      if (given !== undefined) throw this.#noColumn(row, given);
      return null;
    }
    const value = row.values[field];
    if (Array.isArray(value)) return value.map(referenceText).filter((text) => text !== null);
    return referenceText(value);
  }

  #optionalName(row: RawRow, field: string): string | null {
    const value = row.values[field];
    return value === undefined || value === null ? null : readName(row, { file: this.file, field });
  }

  /** Columns that few tables have are absent where they are empty. */
  #grading({ values }: RawRow): Pick<WorkbenchPrompt, "grade" | "pattern" | "schema"> {
    const given = ["grade", "pattern", "schema"].map((field) => [field, referenceText(values[field])]);
    return Object.fromEntries(given.filter(([, text]) => text !== null));
  }

  #has(row: RawRow, field: string): boolean {
    return this.options.present?.includes(field) ?? Object.hasOwn(row.values, field);
  }

  #noColumn(row: RawRow, field: string): OutcomeDataError {
    const found = (this.options.present ?? Object.keys(row.values)).join(", ");
    return new OutcomeDataError(
      { file: this.file, row: row.row },
      `there is no column "${field}", found only: ${found}; name the column to read`,
    );
  }
}

/** Characters of an id that is made from the prompt: two of a million prompts have the same with a chance of 1 in 500. */
const ID_LENGTH = 12;

function isMessage(value: unknown): value is ChatMessage {
  return typeof value === "object" && value !== null && "role" in value && typeof value.role === "string";
}

/** Numbers and truth values as text, objects as JSON; null where there is nothing. */
function referenceText(value: unknown): string | null {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}
