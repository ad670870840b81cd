import { isNestedTooDeeply, MAX_NESTING } from "../../foundation/nesting.js";
import { OutcomeDataError } from "./outcome-data-error.js";
import type { TextLine } from "./text-lines.js";

/** Values by field name, as a JSON object, a CSV record or a parquet row gives them. */
export interface RawRow {
  /** Line or row, counted from 1. */
  readonly row: number;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * One JSON object a line; blank lines are skipped.
 *
 * @throws OutcomeDataError naming the line that is not a JSON object
 */
export async function* parseJsonLines(lines: AsyncIterable<TextLine>, file: string): AsyncGenerator<RawRow> {
  for await (const { text, row } of lines) {
    if (text.trim() === "") continue;
    yield { row, values: parseObject(text, { file, row }) };
  }
}

function parseObject(
  text: string,
  location: { readonly file: string; readonly row: number },
): Readonly<Record<string, unknown>> {
  const problem = "the line is not a JSON object; write one object a line, with null for what is not known";
  if (isNestedTooDeeply(text))
    throw new OutcomeDataError(
      location,
      `lists and objects are nested more than ${MAX_NESTING} levels deep; write flatter ones`,
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the line, which may be prompt text.
    throw new OutcomeDataError(location, problem);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new OutcomeDataError(location, problem);
  }
  return value as Readonly<Record<string, unknown>>;
}
