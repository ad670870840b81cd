/** How small a loss of mean quality a comparison of paired prompts can see. Shares of 1. */
export interface Sensitivity {
  /** Smallest true loss for which the 95 % interval lies below 0 in 80 of 100 samples of as many prompts. */
  readonly detectableLoss: number;
  /** Upper end of the 95 % interval of the loss: a larger one is excluded. Negative where even a smaller gain is. */
  readonly largestLoss: number;
  /** Prompts with which a loss of one point is detected, at the spread of these. */
  readonly promptsForOnePoint: number;
}

/** Of the normal distribution: the 95 % interval, and a power of 80 %. */
const CONFIDENCE = 1.96;
const POWER = 0.8416;
/**
 * Losses of a whole answer that the bootstrap's interval needs, without any gain, to lie below 0: with k of them a sample has none with
 * a chance of e^−k, which is under 2.5 % from 4 on. Changes that are rarer are not seen however small their spread is.
 */
const LEAST_CHANGES = 4;

/** @param differences of quality, prompt by prompt, in [−1, 1]; negative is a loss */
export function sensitivityOf(differences: ArrayLike<number>): Sensitivity {
  const prompts = differences.length;
  let [sum, squares] = [0, 0];
  for (let prompt = 0; prompt < prompts; prompt++) {
    const difference = differences[prompt] as number;
    sum += difference;
    squares += difference * difference;
  }
  const spread = Math.max(squares - (sum * sum) / prompts, 0);
  const atLeast = (CONFIDENCE + POWER) * Math.sqrt(LEAST_CHANGES);
  const detectableLoss = Math.max((CONFIDENCE + POWER) * Math.sqrt(spread), atLeast) / prompts;
  const onePoint = Math.max(((CONFIDENCE + POWER) / 0.01) ** 2 * (spread / prompts), atLeast / 0.01);
  return {
    detectableLoss: Math.min(detectableLoss, 1),
    largestLoss: largestLoss(-sum, squares) / prompts,
    promptsForOnePoint: Math.ceil(onePoint),
  };
}

/**
 * Score interval of a count (as Wilson's of a share; Brown, Cai and DasGupta, "Interval estimation in exponential families", 2003), with
 * the sum of squares as its variance: where nothing changed, 3.84 lost answers are still possible (exactly: 3.69), which an interval
 * from the spread alone excludes.
 */
const largestLoss = (lost: number, squares: number): number =>
  lost + CONFIDENCE ** 2 / 2 + CONFIDENCE * Math.sqrt(squares + CONFIDENCE ** 2 / 4);
