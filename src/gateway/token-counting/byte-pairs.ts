/**
 * Byte-pair encoding with OpenAI's vocabularies, as far as counting needs it. The only file that uses gpt-tokenizer, and of
 * that the data alone: its tables of objects, with its cache of words, take 50 MB more of a running server (measured).
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { CL100K_TOKEN_SPLIT_REGEX, O200K_TOKEN_SPLIT_REGEX } from "gpt-tokenizer/encodingParams/constants";
import type { Vocabulary } from "./token-counter.js";

const WORDS: Readonly<Record<Vocabulary, RegExp>> = {
  cl100k_base: CL100K_TOKEN_SPLIT_REGEX,
  o200k_base: O200K_TOKEN_SPLIT_REGEX,
};

/** Rank of bytes that are no token. */
const NONE = Number.POSITIVE_INFINITY;
/** Most words whose count is remembered: of prose, most words are. */
const MOST_KNOWN = 8192;
const [SPACE, LINE_END] = [0x20, 0x0a];

/**
 * A vocabulary: the bytes of all tokens one after the other, by rank, and a hash table of them, some 6 MB. To make one blocks
 * the thread for a tenth of a second.
 */
export class BytePairs {
  readonly #words: RegExp;
  readonly #bytes: Buffer;
  /** Where each token ends in `bytes`. */
  readonly #ends: number[] = [];
  /** Ranks by hash, each plus one; 0 where there is no token. A power of two, at least twice as many as tokens. */
  readonly #table: Uint32Array;
  readonly #encoder = new TextEncoder();
  /** Tokens of words that were counted lately. */
  readonly #known = new Map<string, number>();

  constructor(vocabulary: Vocabulary) {
    this.#words = WORDS[vocabulary];
    const path = createRequire(import.meta.url).resolve(`gpt-tokenizer/data/${vocabulary}.tiktoken`);
    const file = readFileSync(path);
    const bytes = Buffer.alloc(file.length);
    // Lines of a token in base64 and its rank, in the order of their ranks.
    for (let at = 0, end = 0; at < file.length; at = file.indexOf(LINE_END, at) + 1) {
      end += bytes.write(file.toString("latin1", at, file.indexOf(SPACE, at)), end, "base64");
      this.#ends.push(end);
    }
    this.#bytes = Buffer.from(bytes.subarray(0, this.#ends.at(-1)));
    this.#table = new Uint32Array(2 ** Math.ceil(Math.log2(2 * this.#ends.length)));
    for (const [rank, end] of this.#ends.entries()) {
      this.#table[this.#slotOf(this.#bytes, this.#ends[rank - 1] ?? 0, end)] = rank + 1;
    }
  }

  /** Tokens of the text, with special tokens read as plain text. Takes quadratic time in the length of a word. */
  count(text: string): number {
    let tokens = 0;
    for (const [word] of text.matchAll(this.#words)) tokens += this.#known.get(word) ?? this.#learn(word);
    return tokens;
  }

  #learn(word: string): number {
    const tokens = this.#countWord(this.#encoder.encode(word));
    if (this.#known.size === MOST_KNOWN) this.#known.clear();
    this.#known.set(word, tokens);
    return tokens;
  }

  /** Joins the two neighbours that make the token of the lowest rank, the first of several, until none make a token. */
  #countWord(word: Uint8Array): number {
    if (this.#rankOf(word, 0, word.length) !== NONE) return 1;
    const starts = Array.from({ length: word.length + 1 }, (_, at) => at);
    const rankAt = (part: number): number =>
      part + 2 < starts.length ? this.#rankOf(word, starts[part] ?? 0, starts[part + 2] ?? 0) : NONE;
    /** Of each part joined with the next. */
    const ranks = starts.map((_, part) => rankAt(part));
    for (;;) {
      let lowest = 0;
      for (let part = 1; part < ranks.length; part++) {
        if ((ranks[part] ?? NONE) < (ranks[lowest] ?? NONE)) lowest = part;
      }
      if (ranks[lowest] === NONE) return starts.length - 1;
      starts.splice(lowest + 1, 1);
      ranks.splice(lowest, 1);
      ranks[lowest] = rankAt(lowest);
      if (lowest > 0) ranks[lowest - 1] = rankAt(lowest - 1);
    }
  }

  #rankOf(bytes: Uint8Array, start: number, end: number): number {
    const entry = this.#table[this.#slotOf(bytes, start, end)] ?? 0;
    return entry === 0 ? NONE : entry - 1;
  }

  /** Where in the table the token of these bytes is, or would be. */
  #slotOf(bytes: Uint8Array, start: number, end: number): number {
    const mask = this.#table.length - 1;
    // FNV-1a.
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#table[slot] ?? 0;
      if (entry === 0 || this.#isToken(entry - 1, { bytes, start, end })) return slot;
    }
  }

  #isToken(rank: number, { bytes, start, end }: { bytes: Uint8Array; start: number; end: number }): boolean {
    const from = this.#ends[rank - 1] ?? 0;
    if ((this.#ends[rank] ?? 0) - from !== end - start) return false;
    for (let at = start; at < end; at++) if (bytes[at] !== this.#bytes[from + at - start]) return false;
    return true;
  }
}
