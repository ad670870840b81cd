import { parquetMetadata, parquetReadObjects } from "hyparquet";

/** What hyparquet reads: texts as they are, times as Date, integers as bigint. */
export async function readByHyparquet(bytes: Uint8Array) {
  const file = new Uint8Array(bytes).buffer;
  // Its own decoder takes a byte order mark away.
  const stringFromBytes = (text: Uint8Array | undefined) => text && Buffer.from(text).toString();
  const rows = await parquetReadObjects({ file, parsers: { stringFromBytes } });
  return { metadata: parquetMetadata(file), rows };
}
