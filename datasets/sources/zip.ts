import { inflateRawSync } from "node:zlib";
import type { SourceTree } from "./source-tree.js";

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const LONGEST_COMMENT = 65_535;
const [STORED, DEFLATED] = [0, 8];

interface Entry {
  readonly method: number;
  readonly compressedBytes: number;
  readonly headerAt: number;
}

/**
 * The files of a zip archive (stored or deflated, up to 4 GiB, not encrypted), as hosts of repositories pack them. The one
 * folder that such archives put around everything is left out of the paths.
 *
 * @throws Error when the bytes are no such archive
 */
export function openZip(bytes: Buffer): SourceTree {
  const entries = readDirectory(bytes);
  const root = commonRoot([...entries.keys()]);
  const paths = [...entries.keys()].map((path) => path.slice(root.length)).sort();
  return {
    paths,
    locate: () => null,
    async read(path) {
      const entry = entries.get(root + path);
      if (entry === undefined) throw new Error(`there is no file ${path} in the archive`);
      return unpack(bytes, entry);
    },
  };
}

function readDirectory(bytes: Buffer): Map<string, Entry> {
  const end = findEnd(bytes);
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  if (count === 0xffff || at === 0xffffffff) {
    throw new Error(
      "the zip archive is of the 64-bit kind, which is not read here; unpack it and name the folder",
    );
  }
  const entries = new Map<string, Entry>();
  for (let number = 0; number < count; number++) {
    if (bytes.readUInt32LE(at) !== DIRECTORY_ENTRY) throw new Error("the zip archive's directory is damaged");
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) =>
      bytes.readUInt16LE(at + offset),
    );
    const name = bytes.toString("utf8", at + 46, at + 46 + (nameBytes ?? 0));
    if (!name.endsWith("/")) {
      entries.set(name, {
        method: bytes.readUInt16LE(at + 10),
        compressedBytes: bytes.readUInt32LE(at + 20),
        headerAt: bytes.readUInt32LE(at + 42),
      });
    }
    at += 46 + (nameBytes ?? 0) + (extraBytes ?? 0) + (commentBytes ?? 0);
  }
  return entries;
}

function findEnd(bytes: Buffer): number {
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - 22 - LONGEST_COMMENT); at--) {
    if (bytes.readUInt32LE(at) === END_OF_DIRECTORY) return at;
  }
  throw new Error("this is no zip archive, or it was cut off; fetch it again");
}

function unpack(bytes: Buffer, { method, compressedBytes, headerAt }: Entry): Buffer {
  if (bytes.readUInt32LE(headerAt) !== LOCAL_HEADER) throw new Error("the zip archive is damaged");
  const start = headerAt + 30 + bytes.readUInt16LE(headerAt + 26) + bytes.readUInt16LE(headerAt + 28);
  const packed = bytes.subarray(start, start + compressedBytes);
  if (method === STORED) return packed;
  if (method === DEFLATED) return inflateRawSync(packed);
  throw new Error(
    `the zip archive is packed by method ${method}; only stored and deflated files are read here`,
  );
}

function commonRoot(names: readonly string[]): string {
  const [first = ""] = names;
  const root = first.slice(0, first.indexOf("/") + 1);
  return root !== "" && names.every((name) => name.startsWith(root)) ? root : "";
}
