/** The vocabulary of a `tokenizer.json`, read out of its text. */

import { EmbedderLoadError } from "../load-error.js";

/** Word pieces, without a string for each: 32,000 of them are what a start copies most. */
export interface Pieces {
  /** UTF-16 units of all pieces, one after the other. None is empty. */
  readonly units: Uint16Array;
  /** By piece: where its units end. */
  readonly ends: Uint32Array;
  /** By piece: its id, from 0. */
  readonly ids: Int32Array;
}

interface Vocabulary {
  readonly pieces: Pieces;
  /** The file with an empty vocabulary. */
  readonly rest: string;
}

/** A quote within a string is escaped, so that this is the key of an object. */
const KEY = /"vocab"\s*:\s*\{(?:\s*\})?/;
/** A piece, its id, and what follows them. */
const ENTRY = /\s*"([^"\\]*(?:\\.[^"\\]*)*)"\s*:\s*([^,}]*?)\s*([,}])/y;
/** `"a":0,` */
const SHORTEST_ENTRY = 6;

/**
 * Twice as fast as parsing an object of 32,000 keys, which takes as long again to list. A file without a vocabulary is left as it is.
 *
 * @param path used in messages only
 * @throws EmbedderLoadError naming the piece that cannot be used
 */
export function readVocabulary(json: string, path: string): Vocabulary {
  const key = KEY.exec(json);
  const start = key === null || key[0].endsWith("}") ? json.length : key.index + key[0].length;
  const room = json.length - start;
  const units = new Uint16Array(room);
  const ends = new Uint32Array(Math.ceil(room / SHORTEST_ENTRY));
  const ids = new Int32Array(ends.length);
  let [count, end] = [0, 0];
  ENTRY.lastIndex = start;
  for (let last = room === 0 ? "}" : ","; last === ","; ) {
    const entry = ENTRY.exec(json);
    if (entry === null)
      throw new EmbedderLoadError(`${path} is not JSON: model.vocab is damaged or cut short`);
    const quoted = entry[1] as string;
    const piece = quoted.includes("\\") ? unescaped(quoted, path) : quoted;
    if (piece === "") throw new EmbedderLoadError(`${path}: model.vocab holds an empty piece`);
    for (let at = 0; at < piece.length; at++) units[end++] = piece.charCodeAt(at);
    ids[count] = idOf(entry[2] as string, { piece, path });
    ends[count++] = end;
    last = entry[3] as string;
  }
  return {
    pieces: { units: units.slice(0, end), ends: ends.slice(0, count), ids: ids.slice(0, count) },
    rest: room === 0 ? json : `${json.slice(0, start)}}${json.slice(ENTRY.lastIndex)}`,
  };
}

function unescaped(quoted: string, path: string): string {
  try {
    return JSON.parse(`"${quoted}"`);
  } catch (cause) {
    throw new EmbedderLoadError(`${path} is not JSON: model.vocab holds "${quoted}"`, { cause });
  }
}

function idOf(value: string, { piece, path }: { readonly piece: string; readonly path: string }): number {
  const id = Number(value);
  if (value !== "" && Number.isInteger(id) && id >= 0 && id < 2 ** 31) return id;
  throw new EmbedderLoadError(
    `${path}: model.vocab[${JSON.stringify(piece)}] is ${value}; ids are integers from 0`,
  );
}

/** Id of a piece; undefined when the vocabulary does not have it. */
export function idOfPiece({ units, ends, ids }: Pieces, text: string): number | undefined {
  const wanted = Uint16Array.from(text, (unit) => unit.charCodeAt(0));
  const at = ends.findIndex((end, piece) => {
    const start = ends[piece - 1] ?? 0;
    return end - start === wanted.length && wanted.every((unit, offset) => units[start + offset] === unit);
  });
  return ids[at];
}
