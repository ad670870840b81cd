import { Duplex } from "node:stream";
import * as zlib from "node:zlib";

/** From Node 22.15 on. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Duplex };

/**
 * Decompresses bodies such as Codex's (github.com/BYK/loreai/pull/1049, 2026-06-29).
 *
 * @param mostBytes of a body, before and after: of a longer one come as many and one, at which reading stops
 */
export const createZstd = (mostBytes: number): Duplex =>
  createZstdDecompress?.() ?? Duplex.from((body: AsyncIterable<Buffer>) => wholeOf(body, mostBytes));

async function* wholeOf(body: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > mostBytes) return yield Buffer.alloc(mostBytes + 1);
  }
  const { ZSTDDecoder } = await import("zstddec");
  const decoder = new ZSTDDecoder();
  await decoder.init();
  const frame = Buffer.concat(chunks);
  const data = decoder.decode(frame, mostBytes + 1);
  // That is all it says of a fault, and of data that have no room.
  if (data.length === 0 && mostIn(frame) <= mostBytes) throw new Error("invalid zstd");
  yield data.length === 0 ? Buffer.alloc(mostBytes + 1) : data;
}

/** Most bytes that a frame can hold, by the number of its blocks: RFC 8878 §3.1.1. */
function mostIn(frame: Buffer): number {
  const descriptor = frame[4] ?? 0;
  const isSingle = (descriptor & 32) > 0;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] as number;
  let at = (isSingle ? 5 : 6) + sizeBytes + ([0, 1, 2, 4][descriptor & 3] as number);
  let blocks = 0;
  for (let header = 0; (header & 1) === 0 && at + 3 <= frame.length; blocks++) {
    header = frame.readUIntLE(at, 3);
    at += 3 + ((header & 6) === 2 ? 1 : header >> 3);
  }
  return blocks * 131_072;
}
