/** A model with few answers of its own, and the relative that its expectation follows. */
export interface RelativeColumn {
  readonly column: number;
  /** Of the relative, which precedes it in the list if it has a relative of its own. */
  readonly relative: number;
  /** Level of thinking above the relative's: 1 from none to `high`. */
  readonly levels: number;
  /** Releases after the relative. */
  readonly generations: number;
  /** Weight in [0, 1] of the model's own answers and scores. */
  readonly ownWeight: number;
}

/** Answers, or what published scores count for, that weigh as much as the relative does (guess). */
const ANSWERS_OF_A_RELATIVE = 50;
/** Answers that a published score counts for, and the largest number of scores that count (guesses). */
const ANSWERS_PER_SCORE = 15;
const MOST_SCORES = 10;

/** Weight in [0, 1] of a model's own evidence against that of its relative. */
export function ownWeight(own: { readonly answers: number; readonly published: number }): number {
  const answers = own.answers + ANSWERS_PER_SCORE * Math.min(own.published, MOST_SCORES);
  return answers / (answers + ANSWERS_OF_A_RELATIVE);
}

/**
 * Gain from no thinking to `high`, log-odds, by the difficulty of the prompt in tiers: a line through published pairs of 2025
 * and 2026 (MMLU-Pro .33, GPQA .56, instructions .65, LiveCodeBench .95, AIME 2.1), whose tiers are guesses.
 */
const GAIN_OF_THINKING = 0.3;
const GAIN_OF_THINKING_PER_TIER = 0.3;
const MIDDLE_TIER = 2;
/** Gain of a successor, log-odds: 5.9 points of an index in the median of 77 pairs of releases. */
const GAIN_OF_A_SUCCESSOR = 0.25;
/** Standard deviation of gains about their expectation, log-odds (guess). */
const GAIN_DEVIATION = 0.3;

/** An effort of a model that has no profile, by those that have one. */
export interface EffortStep {
  /** The nearest effort with a profile. */
  readonly column: number;
  /** Level of thinking above that one's: 1 from none to `high`. */
  readonly levels: number;
  /** The nearest effort with a profile on the other side, and the share in (0, 1) of the way to it; null where there is none. */
  readonly across: { readonly column: number; readonly share: number } | null;
}

/** Expected quality in [0, 1], its standard error, and the part of it that other models do not share. */
export interface Expectation {
  quality: number;
  stderr: number;
  ownError: number;
}

/**
 * Expected quality and standard error at an effort without a profile: between two efforts on the line that joins them, so that the order of
 * efforts stays theirs; beyond them, the nearest one's and the expected gain.
 *
 * @param prompt its difficulty in tiers, NaN when unknown; and where to write the expectation, which a decision needs for hundreds of efforts
 * @returns `into`
 */
export function qualityAtEffort(
  { column, levels, across }: EffortStep,
  { quality, stderr, ownError, oddsScale }: ReadExpectations,
  { difficulty, into }: { readonly difficulty: number; readonly into: Expectation },
): Expectation {
  const from = logOdds(quality[column] as number);
  // More thinking gains nothing that no measured effort shows.
  let odds = from + oddsScale * Math.min(0, levels) * gainPerLevel(difficulty);
  into.stderr = stderr[column] as number;
  into.ownError = ownError[column] as number;
  if (across !== null) {
    odds = from + across.share * (logOdds(quality[across.column] as number) - from);
    into.stderr += across.share * ((stderr[across.column] as number) - into.stderr);
    into.ownError += across.share * ((ownError[across.column] as number) - into.ownError);
  }
  into.quality = 1 / (1 + Math.exp(-odds));
  const ofGain = oddsScale * into.quality * (1 - into.quality) * GAIN_DEVIATION;
  into.stderr = rootOfSquares(into.stderr, ofGain);
  into.ownError = rootOfSquares(into.ownError, ofGain);
  return into;
}

/** Gain of a level of thinking, log-odds. */
function gainPerLevel(difficulty: number): number {
  const tier = Number.isNaN(difficulty) ? MIDDLE_TIER : difficulty;
  return GAIN_OF_THINKING + GAIN_OF_THINKING_PER_TIER * Math.max(0, tier);
}

/** By column, as `Expectations`. */
interface ReadExpectations {
  readonly ownError: ArrayLike<number>;
  /** What a difference of log-odds between models comes to on the prompt. */
  readonly oddsScale: number;
  readonly quality: ArrayLike<number>;
  readonly stderr: ArrayLike<number>;
}

interface Expectations {
  /** Expected quality in [0, 1] and its standard error, by column. */
  readonly quality: Float64Array;
  readonly stderr: Float64Array;
}

/**
 * Moves the expectation of models with few answers of their own toward their relative's with the expected gain: never below it for
 * more thinking or a later release, never above it for less thinking.
 *
 * @param quality expected, in [0, 1], by column
 * @param difficulty of the prompt in tiers; NaN when unknown
 */
export function followRelatives(
  relatives: readonly RelativeColumn[],
  quality: Float64Array,
  difficulty: number,
): void {
  const perLevel = gainPerLevel(difficulty);
  for (const { column, relative, levels, generations, ownWeight: own } of relatives) {
    const reference = quality[relative] as number;
    const gain = levels * perLevel + generations * GAIN_OF_A_SUCCESSOR;
    const odds = (1 - own) * (logOdds(reference) + gain) + own * logOdds(quality[column] as number);
    const expected = 1 / (1 + Math.exp(-odds));
    // A level below 0 that is too small to change the gain is still below.
    const isLess = gain < 0 || (gain === 0 && levels < 0);
    quality[column] = isLess ? Math.min(expected, reference) : Math.max(expected, reference);
  }
}

/** Standard errors of the models that follow a relative: the relative's and the deviation of gains, as far as the model follows it. */
export function shareErrors(relatives: readonly RelativeColumn[], { quality, stderr }: Expectations): void {
  for (const { column, relative, ownWeight: own } of relatives) {
    const expected = quality[column] as number;
    const spread = expected * (1 - expected) * GAIN_DEVIATION;
    stderr[column] = rootOfSquares(
      (1 - own) * rootOfSquares(stderr[relative] as number, spread),
      own * (stderr[column] as number),
    );
  }
}

function logOdds(probability: number): number {
  const p = Math.min(0.999, Math.max(0.001, probability));
  return Math.log(p / (1 - p));
}

/** √(a² + b²) of errors, as `Math.hypot` computes it, which allocates: it took a tenth of a decision among hundreds of models. */
function rootOfSquares(a: number, b: number): number {
  const largest = Math.max(a, b);
  return largest === 0 ? 0 : largest * Math.sqrt((a / largest) ** 2 + (b / largest) ** 2);
}
