import { nameCsvCells, parseCsv } from "./csv.js";
import { parseJsonLines, type RawRow } from "./jsonl.js";
import { OutcomeDataError } from "./outcome-data-error.js";
import { OUTCOME_FIELDS, type OutcomeRow, parseOutcomeRow } from "./outcome-row.js";
import { readParquetRows } from "./parquet.js";
import { readLines } from "./text-lines.js";

/** File names that `readOutcomes` accepts. */
export const OUTCOMES_FILE = /\.(parquet|(csv|jsonl)(\.gz)?)$/;

/**
 * The rows of one outcomes file, `{id, model, score, tokens_in?, tokens_out?, cost_usd?, n_samples?}`, in file order.
 * Memory does not grow with the file for CSV and JSONL, and with the largest row group for parquet.
 *
 * @throws OutcomeDataError naming the location of the first fault
 */
export async function* readOutcomes(
  file: string,
  options: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<OutcomeRow> {
  for await (const raw of readRawRows(file, options)) yield parseOutcomeRow(raw, file);
}

function readRawRows(file: string, options: { readonly signal?: AbortSignal }): AsyncIterable<RawRow> {
  if (!OUTCOMES_FILE.test(file)) {
    throw new OutcomeDataError(
      { file },
      "outcomes are read from .parquet, .csv, .jsonl, .csv.gz or .jsonl.gz",
    );
  }
  if (file.endsWith(".parquet")) return readParquetRows(file, { columns: OUTCOME_FIELDS, ...options });
  const lines = readLines(file, options);
  return /\.csv(\.gz)?$/.test(file) ? nameCsvCells(parseCsv(lines, file), file) : parseJsonLines(lines, file);
}
