import { ExplainedError } from "../../foundation/errors.js";

export interface DataLocation {
  readonly file: string;
  /** Line of a text file or row of a Parquet file, counted from 1; absent when the fault concerns the whole file. */
  readonly row?: number;
  readonly field?: string;
}

/**
 * A fault in a prompts or outcomes file. The message names file, line or row, field, value and remedy, and never holds
 * prompt text. Not a `SextantError`: it concerns whoever builds a profile and never becomes an HTTP answer.
 */
export class OutcomeDataError extends ExplainedError {
  readonly file: string;
  readonly row: number | null;
  readonly field: string | null;

  /** @param problem what is wrong and what to do about it, without the location. */
  constructor(location: DataLocation, problem: string, options?: { readonly cause?: unknown }) {
    super(`${describeLocation(location)}: ${problem}`, options);
    this.name = "OutcomeDataError";
    this.file = location.file;
    this.row = location.row ?? null;
    this.field = location.field ?? null;
  }
}

function describeLocation({ file, row, field }: DataLocation): string {
  const unit = file.endsWith(".parquet") ? "row" : "line";
  return [file, row === undefined ? "" : `${unit} ${row}`, field === undefined ? "" : `field "${field}"`]
    .filter((part) => part !== "")
    .join(", ");
}
