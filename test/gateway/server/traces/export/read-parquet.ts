import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { type FileMetaData, parquetMetadata, parquetReadObjects } from "hyparquet";

export type ReadRow = Readonly<Record<string, unknown>>;

export interface ReadFile {
  readonly metadata: FileMetaData;
  readonly rows: readonly ReadRow[];
}

/** What hyparquet reads: texts as they are, times as Date, integers as bigint. */
export async function readByHyparquet(bytes: Uint8Array): Promise<ReadFile> {
  const file = new Uint8Array(bytes).buffer;
  // Its own decoder takes a byte order mark away.
  const stringFromBytes = (text: Uint8Array | undefined) => text && Buffer.from(text).toString();
  const rows = await parquetReadObjects({ file, parsers: { stringFromBytes } });
  return { metadata: parquetMetadata(file), rows };
}

export interface DuckDbReading {
  /** Column name → type. */
  readonly types: Readonly<Record<string, string>>;
  readonly rows: readonly ReadRow[];
}

let instance: Promise<DuckDBInstance> | undefined;

/** What DuckDB reads, in the order of the file: texts as they are, times as microseconds. */
export async function readByDuckDb(bytes: Uint8Array): Promise<DuckDbReading> {
  const folder = mkdtempSync(join(tmpdir(), "sextant-parquet-"));
  instance ??= DuckDBInstance.create(":memory:");
  const connection = await (await instance).connect();
  try {
    const path = join(folder, "traces.parquet");
    writeFileSync(path, bytes);
    const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet('${path}')`);
    const types = Object.fromEntries(
      described.getRowObjectsJS().map((row) => [String(row.column_name), String(row.column_type)]),
    );
    // Its Node library takes a byte order mark away from texts, not from bytes.
    const columns = Object.entries(types).map(([name, type]) => {
      if (type === "VARCHAR") return `encode(${name}) AS ${name}`;
      return type.startsWith("TIMESTAMP") ? `epoch_us(${name}) AS ${name}` : name;
    });
    const read = await connection.runAndReadAll(`SELECT ${columns.join(", ")} FROM read_parquet('${path}')`);
    return { types, rows: read.getRowObjectsJS().map((row) => mapValues(row, textOfBytes)) };
  } finally {
    connection.closeSync();
    rmSync(folder, { recursive: true });
  }
}

const textOfBytes = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString() : value;

const mapValues = (row: ReadRow, change: (value: unknown) => unknown): ReadRow =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, change(value)]));
