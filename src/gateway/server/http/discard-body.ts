import type { IncomingMessage } from "node:http";

/**
 * Reads the rest of a refused body and drops it. A client that is still sending when its connection closes gets a write error in
 * place of the answer: Node's report `EPIPE` or a "Connection error.", and their SDKs send it all again.
 *
 * @param mostBytes after which the connection is closed all the same
 */
export function discardBody(raw: IncomingMessage, mostBytes: number): void {
  let left = mostBytes;
  raw.unpipe();
  raw.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) raw.destroy();
  });
  raw.resume();
}
