/**
 * Counts tokens with a tokenizer. Used in the worker thread only, because reading a vocabulary blocks its thread for a tenth
 * of a second, and every 16,000 characters for about a millisecond.
 */
import { setImmediate as yieldToOthers } from "node:timers/promises";
import { BytePairs } from "./byte-pairs.js";
import { type CountOptions, type Vocabulary, vocabularyOf } from "./token-counter.js";

/**
 * Tokens of all texts together, with special tokens read as plain text. Long texts are counted in pieces of about a
 * millisecond, between which it yields to other work. Each cut adds at most one token: none in ordinary prose of less
 * than 16,000 characters.
 *
 * @returns any number above `limit` once the count exceeds it
 */
export async function countTokens(texts: Iterable<string>, { model, limit }: CountOptions): Promise<number> {
  const pairs = bytePairsOf(vocabularyOf(model));
  const most = limit ?? Number.POSITIVE_INFINITY;
  let tokens = 0;
  for (const text of texts) {
    for (let start = 0; start < text.length && tokens <= most; ) {
      if (start > 0) await yieldToOthers();
      const end = pieceEnd(text, start);
      for (const part of withoutLongRuns(text.slice(start, end))) tokens += pairs.count(part);
      start = end;
    }
  }
  return tokens;
}

const read = new Map<Vocabulary, BytePairs>();

function bytePairsOf(vocabulary: Vocabulary): BytePairs {
  const pairs = read.get(vocabulary) ?? new BytePairs(vocabulary);
  read.set(vocabulary, pairs);
  return pairs;
}

const PIECE_CHARACTERS = 16_000;

/** End of the piece that begins at `start`: before its last space, else anywhere but within a character. */
function pieceEnd(text: string, start: number): number {
  const end = start + PIECE_CHARACTERS;
  if (end >= text.length) return text.length;
  const space = text.lastIndexOf(" ", end);
  if (space > start) return space;
  return isLowSurrogate(text.charCodeAt(end)) ? end + 1 : end;
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/**
 * A run of a hundred characters of one kind. Byte-pair merging is quadratic within such a run: sixteen thousand Chinese
 * characters without a comma took over a second, and prompts are untrusted input.
 */
const LONG_RUN = /[\p{L}\p{M}]{100}|[^\s\p{L}\p{N}]{100}|\s{100}/gu;

function* withoutLongRuns(piece: string): Iterable<string> {
  let start = 0;
  for (const run of piece.matchAll(LONG_RUN)) {
    const end = run.index + run[0].length;
    yield piece.slice(start, end);
    start = end;
  }
  if (start < piece.length) yield piece.slice(start);
}
