import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { withoutByteOrderMark } from "../../foundation/written-json.js";
import { OutcomeDataError } from "./outcome-data-error.js";

export interface TextLine {
  /** Without its line feed; a carriage return before it stays. */
  readonly text: string;
  /** Counted from 1. */
  readonly row: number;
}

const LINE_FEED = 0x0a;
/** Prevents a file without line ends from filling the memory (guess). */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * The lines of a UTF-8 file, read as a stream; a file ending in `.gz` is decompressed.
 *
 * @throws OutcomeDataError when the file is missing, is not UTF-8, or is damaged or truncated gzip
 */
export async function* readLines(
  file: string,
  options: { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<TextLine> {
  yield* splitLines(readChunks(file, options), file);
}

/** Cuts bytes at line feeds, whatever the sizes of the chunks. The last line needs no line feed. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<TextLine> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let row = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      pending.push(chunk.subarray(start, end));
      row += 1;
      yield decodeLine(pending, { file, row });
      pending = [];
      pendingBytes = 0;
      start = end + 1;
    }
    if (start < chunk.length) {
      pending.push(chunk.subarray(start));
      pendingBytes += chunk.length - start;
    }
    if (pendingBytes > MAX_LINE_BYTES) {
      throw new OutcomeDataError(
        { file, row: row + 1 },
        "the line is longer than 64 MiB; end lines with a line feed",
      );
    }
  }
  if (pending.length > 0) yield decodeLine(pending, { file, row: row + 1 });
}

function decodeLine(
  pieces: readonly Uint8Array[],
  location: { readonly file: string; readonly row: number },
): TextLine {
  const bytes = Buffer.concat(pieces);
  if (!isUtf8(bytes)) throw new OutcomeDataError(location, "the text is not UTF-8; save the file as UTF-8");
  const text = bytes.toString("utf8");
  return { text: location.row === 1 ? withoutByteOrderMark(text) : text, row: location.row };
}

async function* readChunks(
  file: string,
  options: { readonly signal?: AbortSignal | undefined },
): AsyncGenerator<Uint8Array> {
  const raw = createReadStream(file, options);
  const stream = file.endsWith(".gz") ? pipeline(raw, createGunzip(), () => {}) : raw;
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (cause) {
    throw explainReadFault(file, cause);
  }
}

function explainReadFault(file: string, cause: unknown): unknown {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const problems: Readonly<Record<string, string>> = {
    ENOENT: "there is no such file; check the path",
    EACCES: "the file may not be read; check its permissions",
    EISDIR: "this is a folder; name a file",
    Z_BUF_ERROR: "the gzip data end too early, the file is cut off; fetch or pack it again",
    Z_DATA_ERROR: "this is not valid gzip; fetch or pack it again, or drop .gz from the name of plain text",
  };
  const problem = typeof code === "string" ? problems[code] : undefined;
  return problem === undefined ? cause : new OutcomeDataError({ file }, problem, { cause });
}
