/** Words of a shingle. */
const SHINGLE_WORDS = 3;
/** Jaccard similarity of two prompts' shingles from which on they count as the same prompt (guess). */
export const SAME_FROM = 0.8;
/** Shingles in more than this share of the prompts belong to instructions and worked examples. */
const BOILERPLATE_SHARE = 0.01;
const BOILERPLATE_LEAST = 20;
/** With fewer informative shingles, only equal texts count as duplicates. */
const LEAST_SHINGLES = 5;

/** Lower case, letters and digits only, one space between words; what is left decides whether two texts are equal. */
export function normaliseText(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/**
 * Indexes of `tests` that are nearly the same as one of `training`: equal after normalising, or with at least 0.8 of
 * all their three-word shingles in common, without shingles that occur in more than 1 % of all prompts.
 *
 * Compares each test prompt with the training prompts that share a shingle: milliseconds per thousand prompts.
 */
export function findNearDuplicates(tests: readonly string[], training: readonly string[]): Set<number> {
  const trainTexts = training.map(normaliseText);
  const testTexts = tests.map(normaliseText);
  const exact = new Set(trainTexts);
  const shingles = new ShingleIndex(trainTexts, testTexts);
  const found = new Set<number>();
  testTexts.forEach((text, index) => {
    if (exact.has(text) || shingles.hasTwin(text)) found.add(index);
  });
  return found;
}

class ShingleIndex {
  /** Training prompts by telling shingle. */
  readonly #prompts = new Map<string, number[]>();
  /** Telling shingles per training prompt. */
  readonly #sizes: number[];
  readonly #boilerplate: ReadonlySet<string>;

  constructor(training: readonly string[], tests: readonly string[]) {
    const sets = training.map(shinglesOf);
    this.#boilerplate = frequentShingles([...sets, ...tests.map(shinglesOf)]);
    this.#sizes = sets.map((set, prompt) => {
      let size = 0;
      for (const shingle of set) {
        if (this.#boilerplate.has(shingle)) continue;
        size += 1;
        const prompts = this.#prompts.get(shingle);
        if (prompts === undefined) this.#prompts.set(shingle, [prompt]);
        else prompts.push(prompt);
      }
      return size;
    });
  }

  /** Whether a training prompt has at least `SAME_FROM` of the shingles in common with the text. */
  hasTwin(text: string): boolean {
    const telling = [...shinglesOf(text)].filter((shingle) => !this.#boilerplate.has(shingle));
    if (telling.length < LEAST_SHINGLES) return false;
    const common = new Map<number, number>();
    for (const shingle of telling) {
      for (const prompt of this.#prompts.get(shingle) ?? [])
        common.set(prompt, (common.get(prompt) ?? 0) + 1);
    }
    for (const [prompt, both] of common) {
      const either = telling.length + (this.#sizes[prompt] ?? 0) - both;
      if (both >= SAME_FROM * either) return true;
    }
    return false;
  }
}

function shinglesOf(text: string): Set<string> {
  const words = text.split(" ");
  const shingles = new Set<string>();
  for (let start = 0; start + SHINGLE_WORDS <= words.length; start++) {
    shingles.add(words.slice(start, start + SHINGLE_WORDS).join(" "));
  }
  return shingles;
}

function frequentShingles(sets: readonly ReadonlySet<string>[]): Set<string> {
  const counts = new Map<string, number>();
  for (const set of sets) for (const shingle of set) counts.set(shingle, (counts.get(shingle) ?? 0) + 1);
  const limit = Math.max(BOILERPLATE_LEAST, BOILERPLATE_SHARE * sets.length);
  return new Set([...counts].filter(([, count]) => count > limit).map(([shingle]) => shingle));
}
