import { amountOf, ImportError, type ImportedRow, type Importer, scoreOf } from "../imported-row.js";
import { readParquetFileRows } from "../sources/read-rows.js";

const PART = /(?:^|\/)(train|validation|test)-\d+-of-\d+\.parquet$/;

/**
 * SPROUT: Parquet files with `key`, `dataset`, `prompt` and a column per model that holds `{score, num_input_tokens,
 * num_output_tokens, response}`. The score is a judge's, in [0, 1]. Its parts become one set.
 */
export const importSprout: Importer = async function* (tree) {
  const paths = tree.paths.filter((path) => PART.test(path));
  if (paths.length === 0) throw new ImportError("There is no train-….parquet in the source of SPROUT.");
  for (const path of paths) {
    for await (const values of readParquetFileRows(tree, path)) yield* rowsOf(values);
  }
};

function* rowsOf(values: Readonly<Record<string, unknown>>): Generator<ImportedRow> {
  const benchmark = String(values.dataset ?? "sprout");
  const level = values.dataset_level;
  for (const [model, cell] of Object.entries(values)) {
    if (!isCell(cell)) continue;
    yield {
      id: String(values.key),
      benchmark,
      category: level === null ? benchmark : String(level ?? benchmark),
      prompt: String(values.prompt),
      model,
      score: scoreOf(cell.score),
      tokensIn: amountOf(Number(cell.num_input_tokens)),
      tokensOut: amountOf(Number(cell.num_output_tokens)),
    };
  }
}

interface Cell {
  readonly score: unknown;
  readonly num_input_tokens?: unknown;
  readonly num_output_tokens?: unknown;
}

function isCell(value: unknown): value is Cell {
  return typeof value === "object" && value !== null && "score" in value;
}
