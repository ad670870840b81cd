import { closeSync, openSync, readSync } from "node:fs";
import type { GraphLayer } from "./neighbour-graph.js";

/**
 * Reads the links out of a file written by hnswlib's `saveIndex` (hnswalg.h, 0.8): 64-bit, little-endian. A header of 96
 * bytes; for every element a block of level-0 links, vector and label; for every element the links of its upper levels.
 * Elements must have been added in order of their labels 0, 1, 2, …
 */

const HEADER_BYTES = 96;
const BUFFER_BYTES = 1 << 20;

/** Links of every element of one level: `[n]` lists; an element that is not there has none. */
type Level = Map<number, Uint32Array>;

/**
 * `maximumEntries`: levels above the lowest with so few elements are dropped.
 *
 * @throws Error when the file is not what hnswlib writes on this kind of machine
 */
export function readHnswlibGraph(
  path: string,
  { size, maximumEntries }: { readonly size: number; readonly maximumEntries: number },
): { layers: GraphLayer[]; entries: Uint32Array } {
  const file = openSync(path, "r");
  try {
    const cursor = new Cursor(file);
    const header = readHeader(cursor.take(HEADER_BYTES), size);
    const ground = readGround(cursor, size, header);
    const upper = readUpper(cursor, size, header);
    const entryLevel = upper.findIndex((level) => level.size <= maximumEntries);
    const between = entryLevel === -1 ? upper : upper.slice(0, entryLevel);
    const layers = between.map((level) => layerOf(Uint32Array.from(level.keys()), [...level.values()]));
    const entries = upper[entryLevel]?.keys() ?? [header.entryPoint];
    return { layers: [ground, ...layers], entries: Uint32Array.from(entries) };
  } finally {
    closeSync(file);
  }
}

interface Header {
  readonly elementBytes: number;
  readonly entryPoint: number;
  readonly links: number;
}

function readHeader(bytes: DataView, size: number): Header {
  const elements = Number(bytes.getBigUint64(16, true));
  if (elements !== size) throw new Error(`hnswlib wrote ${elements} elements, expected ${size}`);
  return {
    elementBytes: Number(bytes.getBigUint64(24, true)),
    entryPoint: bytes.getUint32(52, true),
    links: Number(bytes.getBigUint64(56, true)),
  };
}

/** Level 0: u16 count, 2 bytes of flags, then the links. */
function readGround(cursor: Cursor, size: number, { elementBytes }: Header): GraphLayer {
  const lists = Array.from({ length: size }, () => readList(cursor.take(elementBytes), 0));
  return layerOf(undefined, lists);
}

/** Levels from 1 on: for every element the bytes of its lists, then the lists, each with room for `links`. */
function readUpper(cursor: Cursor, size: number, { links }: Header): Level[] {
  const listBytes = 4 * links + 4;
  const levels: Level[] = [];
  for (let element = 0; element < size; element++) {
    const bytes = cursor.take(4).getUint32(0, true);
    if (bytes === 0) continue;
    const lists = cursor.take(bytes);
    for (let level = 0; level < bytes / listBytes; level++) {
      levels[level] ??= new Map();
      levels[level]?.set(element, readList(lists, level * listBytes));
    }
  }
  return levels;
}

function readList(view: DataView, at: number): Uint32Array {
  const count = view.getUint16(at, true);
  return Uint32Array.from({ length: count }, (_, link) => view.getUint32(at + 4 + 4 * link, true));
}

function layerOf(members: Uint32Array | undefined, lists: readonly Uint32Array[]): GraphLayer {
  const starts = new Uint32Array(lists.length + 1);
  for (const [at, list] of lists.entries()) starts[at + 1] = (starts[at] as number) + list.length;
  const neighbours = new Uint32Array(starts.at(-1) ?? 0);
  for (const [at, list] of lists.entries()) neighbours.set(list, starts[at]);
  return { members, starts, neighbours };
}

/** Reads a file from its beginning in pieces, so that one larger than a Buffer may be can be read too. */
class Cursor {
  readonly #file: number;
  #buffer = Buffer.alloc(BUFFER_BYTES);
  #start = 0;
  #end = 0;

  constructor(file: number) {
    this.#file = file;
  }

  /** The next `count` bytes, valid until the next call. */
  take(count: number): DataView {
    while (this.#end - this.#start < count) this.#refill(count);
    const view = new DataView(this.#buffer.buffer, this.#buffer.byteOffset + this.#start, count);
    this.#start += count;
    return view;
  }

  #refill(count: number): void {
    const buffer = count > this.#buffer.length ? Buffer.alloc(count) : this.#buffer;
    this.#buffer.copy(buffer, 0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
    this.#buffer = buffer;
    const read = readSync(this.#file, buffer, this.#end, buffer.length - this.#end, null);
    if (read === 0) throw new Error("hnswlib's file ends early");
    this.#end += read;
  }
}
