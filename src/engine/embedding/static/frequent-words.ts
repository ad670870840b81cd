import type { Pieces } from "./vocabulary.js";

/** Shorter words are too like each other, and longer ones are no words. */
const [LEAST_LETTERS, MOST_LETTERS] = [4, 24];
const [FIRST_LETTER, LAST_LETTER] = [0x61, 0x7a];
/** Slots of the table by words: each word has as many entries as letters, some eight, and half of the slots stay free. */
const SLOTS_PER_WORD = 16;

/**
 * The words of the letters a to z among the first pieces of a vocabulary, whose ids go by frequency, found by a word that is one
 * slip away. Two such words are equal once a letter is left out of one or both, so that each is entered as it is and without each
 * of its letters but the first. The same as training/spelling.py. 4,000 words take .3 MB and, at a
 * start, some 5 ms.
 */
export class FrequentWords {
  readonly #units: Uint16Array;
  /** By word, in the order of the vocabulary: where its units start and end, and its id. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #ids: number[] = [];
  /** By slot: 1 + number of a word, 0 in a free slot. */
  readonly #slots: Uint16Array | Uint32Array;

  /** @param count pieces with ids below it are frequent */
  constructor({ units, ends, ids }: Pieces, count: number) {
    this.#units = units;
    let start = 0;
    ends.forEach((end, piece) => {
      if ((ids[piece] as number) < count && isWord(units, start, end)) {
        this.#starts.push(start);
        this.#ends.push(end);
        this.#ids.push(ids[piece] as number);
      }
      start = end;
    });
    const words = this.#ids.length;
    const slots = 2 ** Math.ceil(Math.log2(SLOTS_PER_WORD * words + 1));
    this.#slots = new (words < 0xffff ? Uint16Array : Uint32Array)(slots);
    for (let word = 0; word < words; word++) {
      const [from, to] = [this.#starts[word] as number, this.#ends[word] as number];
      for (let without = from; without < to; without++) {
        let slot = this.#slotOf(hashWithout(units, { from, to, without: without === from ? -1 : without }));
        while (this.#slots[slot] !== 0) slot = (slot + 1) & (slots - 1);
        this.#slots[slot] = word + 1;
      }
    }
  }

  /**
   * Id of the most frequent word that becomes the first `length` units of `word` when a letter after the first is left out, added,
   * exchanged, or swapped with the next; -1 when there is none.
   */
  idNear(word: Uint16Array, length: number): number {
    if (!isWord(word, 0, length)) return -1;
    let best = -1;
    for (let without = 0; without < length; without++) {
      const hash = hashWithout(word, { from: 0, to: length, without: without === 0 ? -1 : without });
      for (let slot = this.#slotOf(hash); ; slot = (slot + 1) & (this.#slots.length - 1)) {
        const entry = this.#slots[slot] as number;
        if (entry === 0) break;
        const id = this.#ids[entry - 1] as number;
        if ((best < 0 || id < best) && this.#isOneSlipFrom(word, { length, entry })) best = id;
      }
    }
    return best;
  }

  #slotOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & (this.#slots.length - 1);
  }

  #isOneSlipFrom(
    word: Uint16Array,
    { length, entry }: { readonly length: number; readonly entry: number },
  ): boolean {
    const units = this.#units;
    const start = this.#starts[entry - 1] as number;
    const other = (this.#ends[entry - 1] as number) - start;
    const shorter = Math.min(length, other);
    let same = 0;
    while (same < shorter && word[same] === units[start + same]) same++;
    if (same === 0 || Math.abs(length - other) > 1) return false;
    const equal = (own: number, others: number): boolean => {
      if (length - own !== other - others) return false;
      for (let at = own; at < length; at++) if (word[at] !== units[start + others + at - own]) return false;
      return true;
    };
    const isSwapped =
      word[same] === units[start + same + 1] &&
      word[same + 1] === units[start + same] &&
      same + 1 < shorter &&
      equal(same + 2, same + 2);
    return isSwapped || equal(same + 1, same) || equal(same, same + 1) || equal(same + 1, same + 1);
  }
}

function isWord(units: Uint16Array, from: number, to: number): boolean {
  if (to - from < LEAST_LETTERS || to - from > MOST_LETTERS) return false;
  for (let at = from; at < to; at++) {
    const unit = units[at] as number;
    if (unit < FIRST_LETTER || unit > LAST_LETTER) return false;
  }
  return true;
}

interface Part {
  readonly from: number;
  readonly to: number;
  /** Index of the unit that is left out; -1 for none. */
  readonly without: number;
}

function hashWithout(units: Uint16Array, { from, to, without }: Part): number {
  let hash = 0;
  for (let at = from; at < to; at++)
    if (at !== without) hash = Math.imul(hash ^ (units[at] as number), 0x9e3779b1);
  return hash;
}
