import { nameCsvCells, parseCsv } from "./csv.js";
import { parseJsonLines, type RawRow } from "./jsonl.js";
import { readParquetRows } from "./parquet.js";
import { readLines } from "./text-lines.js";

/** Names of files that `readRows` reads. */
export const TABLE_FILE = /\.(parquet|(csv|jsonl)(\.gz)?)$/;

export interface ReadRowsOptions {
  /** Columns to read of a Parquet file; other files give all they have. */
  readonly columns: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * The rows of a table of one of these forms, by its name, in file order. Memory does not grow with the file for CSV and JSONL,
 * and with the largest row group for Parquet.
 *
 * @throws OutcomeDataError naming the location of the first fault
 */
export function readRows(file: string, { columns, ...options }: ReadRowsOptions): AsyncIterable<RawRow> {
  if (file.endsWith(".parquet")) return readParquetRows(file, { columns, ...options });
  const lines = readLines(file, options);
  return /\.csv(\.gz)?$/.test(file) ? nameCsvCells(parseCsv(lines, file), file) : parseJsonLines(lines, file);
}
