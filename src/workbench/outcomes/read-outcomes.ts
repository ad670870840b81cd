import { OutcomeDataError } from "./outcome-data-error.js";
import { OUTCOME_FIELDS, type OutcomeRow, parseOutcomeRow } from "./outcome-row.js";
import { readRows, TABLE_FILE } from "./read-rows.js";
import { RowSelection } from "./row-filter.js";

/** File names that `readOutcomes` accepts. */
export const OUTCOMES_FILE = TABLE_FILE;

/**
 * The rows of one outcomes file, `{id, model, score, tokens_in?, tokens_out?, tokens_reasoning?, cost_usd?, n_samples?}`, in file order.
 * Memory does not grow with the file for CSV and JSONL, and with the largest row group for parquet.
 *
 * @throws OutcomeDataError naming the location of the first fault
 */
export async function* readOutcomes(
  file: string,
  {
    only = new RowSelection(),
    ...options
  }: { readonly only?: RowSelection; readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<OutcomeRow> {
  if (!OUTCOMES_FILE.test(file)) {
    throw new OutcomeDataError(
      { file },
      "outcomes are read from .parquet, .csv, .jsonl, .csv.gz or .jsonl.gz",
    );
  }
  const columns = [...OUTCOME_FIELDS, ...only.fields];
  for await (const raw of readRows(file, { columns, ...options }))
    if (only.takesAnswer(raw)) yield parseOutcomeRow(raw, file);
}
