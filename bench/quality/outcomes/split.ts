import { createHash } from "node:crypto";
import type { BenchPrompt } from "./outcome-set.js";

/** Share of the prompts that is kept for testing, of every benchmark and over all. */
export const TEST_SHARE = 0.3;

/** Rows of a set, by their numbers. */
export interface SplitIndexes {
  readonly train: readonly number[];
  readonly test: readonly number[];
}

/**
 * A stable number in [0, 1) of a text and a seed: first 32 bits of sha256(`sextant-split-${seed}\n` + text), as a
 * fraction. Training of embedders uses the same one, so that a prompt at or above 0.3 may have trained the embedder of
 * that split, and one below may not.
 */
export function splitHash(text: string, seed: number): number {
  const digest = createHash("sha256").update(`sextant-split-${seed}\n${text}`, "utf8").digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}

/**
 * Splits by a hash of the text, stratified by benchmark: of each benchmark the 30 % with the lowest hashes are tested, but
 * none whose hash is 0.3 or more, which embedders of this split may have seen. Equal texts of a benchmark stay together.
 */
export function splitByBenchmark(prompts: readonly BenchPrompt[], seed: number): SplitIndexes {
  const hashes = prompts.map(({ text }) => splitHash(text, seed));
  const byBenchmark = new Map<string, number[]>();
  prompts.forEach(({ benchmark }, index) => {
    byBenchmark.set(benchmark, [...(byBenchmark.get(benchmark) ?? []), index]);
  });
  const tested = new Set<number>();
  for (const indexes of byBenchmark.values()) {
    const sorted = indexes.toSorted((a, b) => (hashes[a] ?? 1) - (hashes[b] ?? 1) || a - b);
    const quota = Math.round(TEST_SHARE * indexes.length);
    const limit = hashes[sorted[quota - 1] ?? -1] ?? -1;
    for (const index of sorted) {
      const hash = hashes[index] ?? 1;
      if (hash < TEST_SHARE && hash <= limit) tested.add(index);
    }
  }
  const all = prompts.map((_, index) => index);
  return { train: all.filter((index) => !tested.has(index)), test: all.filter((index) => tested.has(index)) };
}

/** The `count` prompts with the lowest hashes under another salt: a stable sample, nested for growing counts. */
export function sampleByHash(prompts: readonly BenchPrompt[], count: number, salt: string): number[] {
  const hashes = prompts.map(({ text }) =>
    createHash("sha256").update(`${salt}\n${text}`, "utf8").digest().readUInt32BE(0),
  );
  return prompts
    .map((_, index) => index)
    .sort((a, b) => (hashes[a] ?? 0) - (hashes[b] ?? 0) || a - b)
    .slice(0, count)
    .sort((a, b) => a - b);
}
