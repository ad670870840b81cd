import { amountOf, ImportError, type ImportedRow, type Importer, scoreOf } from "../imported-row.js";
import { parsePythonStrings } from "../sources/python-list.js";
import { readCsvRows, readParquetFileRows } from "../sources/read-rows.js";

const NOT_MODELS: ReadonlySet<string> = new Set([
  "sample_id",
  "prompt",
  "eval_name",
  "oracle_model_to_route_to",
]);
const TABLE = /routerbench.*\.(parquet|csv)$/;

/**
 * RouterBench: one row a prompt with `sample_id`, `prompt` (a list of turns as Python prints it), `eval_name`, and per model
 * its score, `<model>|total_cost` in dollars and `<model>|model_response`. Published as a pickled pandas table, which only
 * Python can read; here it is read once it was converted to Parquet or CSV.
 */
export const importRouterBench: Importer = async function* (tree) {
  const path = tree.paths.find((each) => TABLE.test(each));
  if (path === undefined) throw new ImportError(whatToDo(tree.paths));
  const rows = path.endsWith(".csv") ? readCsvRows(tree, path) : readParquetFileRows(tree, path);
  for await (const values of rows) yield* rowsOf(values);
};

function whatToDo(paths: readonly string[]): string {
  const pickle = paths.find((path) => path.endsWith(".pkl")) ?? "routerbench_0shot.pkl";
  return (
    `RouterBench is published as a pickled pandas table (${pickle}), which only Python reads. Convert it once with ` +
    `python -c "import pandas; pandas.read_pickle('${pickle}').to_parquet('routerbench_0shot.parquet')" ` +
    "(pickles run code: check its SHA-256 first) and name its folder with --mirror."
  );
}

function* rowsOf(values: Readonly<Record<string, unknown>>): Generator<ImportedRow> {
  const id = String(values.sample_id);
  const name = String(values.eval_name);
  const printed = String(values.prompt);
  const prompt = parsePythonStrings(printed)?.join("\n\n") ?? printed;
  for (const model of Object.keys(values)) {
    if (NOT_MODELS.has(model) || model.includes("|")) continue;
    yield {
      id,
      benchmark: familyOf(name),
      category: name,
      prompt,
      model,
      score: scoreOf(numberOf(values[model])),
      costUsd: amountOf(numberOf(values[`${model}|total_cost`])),
    };
  }
}

/** `mmlu-anatomy` is a category of MMLU; other names are benchmarks of their own. */
function familyOf(name: string): string {
  return /^(mmlu|mtbench|chinese)[-_]/i.exec(name)?.[1]?.toLowerCase() ?? name;
}

function numberOf(value: unknown): unknown {
  return typeof value === "string" && value.trim() !== "" ? Number(value) : value;
}
