import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { nameCsvCells, parseCsv } from "../../src/workbench/outcomes/csv.js";
import { parseJsonLines } from "../../src/workbench/outcomes/jsonl.js";
import { splitLines } from "../../src/workbench/outcomes/text-lines.js";
import { ImportError } from "../imported-row.js";
import type { SourceTree } from "./source-tree.js";

type Values = Readonly<Record<string, unknown>>;

/** Rows of a CSV file by the names in its first line; empty cells are null. */
export async function* readCsvRows(tree: SourceTree, path: string): AsyncGenerator<Values> {
  const lines = splitLines(chunksOf(await tree.read(path)), path);
  for await (const { values } of nameCsvCells(parseCsv(lines, path), path)) yield values;
}

export async function* readJsonLineRows(tree: SourceTree, path: string): AsyncGenerator<Values> {
  const lines = splitLines(chunksOf(await tree.read(path)), path);
  for await (const { values } of parseJsonLines(lines, path)) yield values;
}

/** Rows of a Parquet file on disk, nested columns as objects, one row group in memory at a time. */
export async function* readParquetFileRows(
  tree: SourceTree,
  path: string,
  columns?: readonly string[],
): AsyncGenerator<Values> {
  const located = tree.locate(path);
  if (located === null) throw new ImportError(`${path} lies in an archive; unpack it and name the folder.`);
  const file = await asyncBufferFromFile(located);
  const metadata = await parquetMetadataAsync(file);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    const wanted = columns === undefined ? {} : { columns: [...columns] };
    yield* await parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors, ...wanted });
    rowStart = rowEnd;
  }
}

/** @throws ImportError when the file is not JSON */
export async function readJson(tree: SourceTree, path: string): Promise<unknown> {
  const text = (await tree.read(path)).toString("utf8");
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The parser's own message quotes the file, which may be prompt text.
    throw new ImportError(`${path} is not JSON; fetch it again.`);
  }
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
