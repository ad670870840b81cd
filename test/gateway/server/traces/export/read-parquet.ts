import { type FileMetaData, parquetMetadata, parquetReadObjects } from "hyparquet";

type ReadRow = Readonly<Record<string, unknown>>;

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
