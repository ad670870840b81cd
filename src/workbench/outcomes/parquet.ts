import { type FileHandle, open } from "node:fs/promises";
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
} from "hyparquet";
import { compressors } from "hyparquet-compressors";
import type { RawRow } from "./jsonl.js";
import { OutcomeDataError } from "./outcome-data-error.js";

/**
 * The rows of a parquet file, one row group in memory at a time. Columns of `columns` that the file lacks are absent
 * from the rows; the others are not read.
 *
 * @throws OutcomeDataError when the file is missing or not readable as parquet
 */
export async function* readParquetRows(
  file: string,
  options: { readonly columns: readonly string[]; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<RawRow> {
  const handle = await openFile(file);
  try {
    const { columns, groups } = await planScan(handle, file, options.columns);
    for (const group of groups) {
      options.signal?.throwIfAborted();
      const values = await readOrExplain(file, group.read);
      for (let row = 0; row < group.rows; row++) {
        const entries = columns.map((column, index) => [column, values[index]?.[row] ?? null]);
        yield { row: group.start + row + 1, values: Object.fromEntries(entries) as RawRow["values"] };
      }
    }
  } finally {
    await handle.close();
  }
}

/**
 * Names of the columns of a parquet file, in order.
 *
 * @throws OutcomeDataError when the file is missing or not readable as parquet
 */
export async function readParquetColumns(file: string): Promise<readonly string[]> {
  const handle = await openFile(file);
  try {
    return await readOrExplain(file, async () =>
      columnsOf(await parquetMetadataAsync(await bufferOf(handle))),
    );
  } finally {
    await handle.close();
  }
}

const columnsOf = (metadata: FileMetaData): readonly string[] =>
  parquetSchema(metadata).children.map((child) => child.element.name);

interface RowGroupReader {
  readonly start: number;
  readonly rows: number;
  readonly read: () => Promise<readonly ArrayLike<unknown>[]>;
}

async function planScan(
  handle: FileHandle,
  file: string,
  wanted: readonly string[],
): Promise<{ readonly columns: readonly string[]; readonly groups: readonly RowGroupReader[] }> {
  return readOrExplain(file, async () => {
    const buffer = await bufferOf(handle);
    const metadata = await parquetMetadataAsync(buffer);
    const present = new Set(columnsOf(metadata));
    const columns = wanted.filter((column) => present.has(column));
    if (columns.length === 0) return { columns, groups: [] };
    const groups = metadata.row_groups.map((group, index): RowGroupReader => {
      const start = metadata.row_groups.slice(0, index).reduce((sum, one) => sum + Number(one.num_rows), 0);
      const rows = Number(group.num_rows);
      const read = async (): Promise<readonly ArrayLike<unknown>[]> => {
        // A scan remembers the columns it has read: one scan per row group lets go of them.
        const scan = await parquetScan({ file: buffer, metadata, columns: [...columns], compressors });
        const range = { rowStart: start, rowEnd: start + rows };
        return Promise.all(columns.map((column) => scan.readColumn({ column, ...range })));
      };
      return { start, rows, read };
    });
    return { columns, groups };
  });
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, "r");
  } catch (cause) {
    throw new OutcomeDataError({ file }, "the file cannot be opened; check path and permissions", { cause });
  }
}

async function bufferOf(handle: FileHandle): Promise<AsyncBuffer> {
  const { size } = await handle.stat();
  return {
    byteLength: size,
    async slice(start, end = size) {
      const bytes = new Uint8Array(end - start);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
      return bytes.buffer.slice(0, bytesRead);
    },
  };
}

async function readOrExplain<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new OutcomeDataError({ file }, `the file is not readable as parquet (${detail}); write it again`, {
      cause,
    });
  }
}
