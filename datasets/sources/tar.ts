import { gunzipSync } from "node:zlib";
import type { SourceTree } from "./source-tree.js";

const BLOCK = 512;

/**
 * The files of a gzipped tar archive, in memory. Names of the ustar, GNU and pax kinds are understood; links, devices and
 * folders are passed over.
 *
 * @throws Error when the bytes are no such archive
 */
export function openTarGz(packed: Buffer): SourceTree {
  const files = new Map<string, Buffer>();
  const bytes = gunzipSync(packed);
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0; ) {
    const size = readOctal(bytes, at + 124, 12);
    const type = String.fromCharCode(bytes[at + 156] ?? 0);
    const content = bytes.subarray(at + BLOCK, at + BLOCK + size);
    if (type === "L") longName = content.toString("utf8").replace(/\0+$/, "");
    else if (type === "x") longName = paxPath(content.toString("utf8")) ?? longName;
    else {
      if (type === "0" || type === "\0") files.set(longName ?? ustarName(bytes, at), content);
      longName = undefined;
    }
    at += BLOCK * (1 + Math.ceil(size / BLOCK));
  }
  if (files.size === 0) throw new Error("the archive holds no files; fetch it again");
  return {
    paths: [...files.keys()].sort(),
    locate: () => null,
    async read(path) {
      const content = files.get(path);
      if (content === undefined) throw new Error(`there is no file ${path} in the archive`);
      return content;
    },
  };
}

function ustarName(bytes: Buffer, at: number): string {
  const prefix = readText(bytes, at + 345, 155);
  const name = readText(bytes, at, 100);
  const isUstar = readText(bytes, at + 257, 5) === "ustar";
  return isUstar && prefix !== "" ? `${prefix}/${name}` : name;
}

function readText(bytes: Buffer, at: number, length: number): string {
  const text = bytes.toString("utf8", at, at + length);
  const end = text.indexOf("\0");
  return end === -1 ? text : text.slice(0, end);
}

function readOctal(bytes: Buffer, at: number, length: number): number {
  const size = Number.parseInt(readText(bytes, at, length).trim() || "0", 8);
  if (Number.isNaN(size)) throw new Error("this is no tar archive; fetch it again");
  return size;
}

/** `27 path=some/long/name\n` */
function paxPath(records: string): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(records)?.[1];
}
