import type { CorrectionTable, LengthCorrection, LengthObservation } from "./length-corrections.js";

/** Answers of a model after which an observation counts half. */
const HALF_LIFE_ANSWERS = 200;
/** Answers of exactly the expected length that every model starts with. They fade like all others. */
const PSEUDO_ANSWERS = 20;
/** An answer counts as at most this many times as long, or as short, as expected. The ratio has the same bounds. */
const MOST_RATIO = 20;
/** Models that are remembered; beyond it, the one that answered longest ago is forgotten. */
const MOST_MODELS = 1000;

const KEPT_PER_ANSWER = 2 ** (-1 / HALF_LIFE_ANSWERS);

/** Sums over the answers of one model, each weighted by 2^(−later answers / 200). */
export interface LengthSums {
  /** Not weighted. */
  readonly answers: number;
  readonly expectedTokens: number;
  readonly actualTokens: number;
}

/**
 * Running ratio per model of the tokens that answers had to those that were expected: a ratio of sums, because costs add
 * up, with exponential forgetting, and shrunk toward 1 while there are few answers.
 */
export class LengthRatios {
  readonly #models = new Map<string, LengthSums & LengthCorrection>();

  /** @param sums by model, the one that answered longest ago first */
  constructor(sums: ReadonlyMap<string, LengthSums> = new Map()) {
    for (const [model, known] of sums) this.#set(model, known);
  }

  /** O(1). An observation whose tokens are no positive, countable number is ignored. */
  observe({ model, expectedTokens, actualTokens }: LengthObservation): void {
    if (!isCount(expectedTokens) || !isCount(actualTokens)) return;
    const before = this.#models.get(model) ?? NOTHING;
    const bounded = Math.min(
      Math.max(actualTokens, expectedTokens / MOST_RATIO),
      expectedTokens * MOST_RATIO,
    );
    this.#set(model, {
      answers: before.answers + 1,
      expectedTokens: before.expectedTokens * KEPT_PER_ANSWER + expectedTokens,
      actualTokens: before.actualTokens * KEPT_PER_ANSWER + bounded,
    });
  }

  ratioOf(model: string): number {
    return this.#models.get(model)?.ratio ?? 1;
  }

  corrections(): CorrectionTable {
    return new Map([...this.#models].map(([model, { ratio, answers }]) => [model, { ratio, answers }]));
  }

  /** What a new object can be made of. */
  sums(): ReadonlyMap<string, LengthSums> {
    return this.#models;
  }

  #set(model: string, sums: LengthSums): void {
    // Set anew, so that the order of the map is that of the last answers.
    this.#models.delete(model);
    this.#models.set(model, { ...sums, ratio: shrunkRatio(sums) });
    const [oldest] = this.#models.keys();
    if (this.#models.size > MOST_MODELS && oldest !== undefined) this.#models.delete(oldest);
  }
}

const NOTHING: LengthSums = { answers: 0, expectedTokens: 0, actualTokens: 0 };

const isCount = (tokens: number): boolean => tokens > 0 && tokens <= Number.MAX_SAFE_INTEGER;

function shrunkRatio({ answers, expectedTokens, actualTokens }: LengthSums): number {
  const kept = KEPT_PER_ANSWER ** answers;
  const weight = (1 - kept) / (1 - KEPT_PER_ANSWER);
  const pseudoWeight = PSEUDO_ANSWERS * kept;
  return ((weight * actualTokens) / expectedTokens + pseudoWeight) / (weight + pseudoWeight);
}
