/** An answer that was billed. */
export interface BilledAnswer {
  readonly model: string;
  readonly billedUsd: number;
  /** What the router expected that model to cost for that prompt. */
  readonly expectedUsd: number;
}

/** Answers at which a model's own ratio counts as much as that of all models (guess). */
const HALF_WAY = 20;
/** Spread of the models' ratios while fewer than three models show it, as a standard deviation of the logarithm (guess). */
const USUAL_SPREAD = 0.5;
const ENOUGH_MODELS = 3;

/** Of the standard normal distribution, for 95 %. */
const NORMAL_95 = 1.96;

/** By which factor models' answers cost more than expected, learnt from those that were billed. */
export class AnswerCosts {
  readonly #sums = new Map<string, { billed: number; expected: number; answers: number }>();
  readonly #overall: number;
  readonly #spread: number;

  constructor(answers: readonly BilledAnswer[]) {
    let [billed, expected] = [0, 0];
    for (const { model, billedUsd, expectedUsd } of answers) {
      const sum = this.#sums.get(model) ?? { billed: 0, expected: 0, answers: 0 };
      this.#sums.set(model, sum);
      sum.billed += billedUsd;
      sum.expected += expectedUsd;
      sum.answers += 1;
      billed += billedUsd;
      expected += expectedUsd;
    }
    this.#overall = expected > 0 && billed > 0 ? billed / expected : 1;
    this.#spread = this.#spreadOfRatios();
  }

  /** Between the model's own ratio and that of all models, by how many of its answers were billed. */
  ratioOf(model: string): number {
    const sum = this.#sums.get(model);
    if (sum === undefined || sum.billed <= 0 || sum.expected <= 0) return this.#overall;
    const own = sum.answers / (sum.answers + HALF_WAY);
    return (sum.billed / sum.expected) ** own * this.#overall ** (1 - own);
  }

  /**
   * How far sums of dollars may be above and below what is predicted, by model, in nineteen cases of twenty: what is not learnt
   * yet of the models' differences. These are factors, so that no cost is below nothing; a sum below 0 is saved.
   */
  errorsOf(predicted: ReadonlyMap<string, number>): { readonly below: number; readonly above: number } {
    const errors = [...predicted].map(([model, usd]) => {
      const { answers } = this.#sums.get(model) ?? { answers: 0 };
      const log = NORMAL_95 * this.#spread * Math.sqrt(HALF_WAY / (answers + HALF_WAY));
      const ends = [usd * Math.expm1(-log), usd * Math.expm1(log)];
      return { below: Math.min(...ends), above: Math.max(...ends) };
    });
    return {
      below: Math.hypot(...errors.map(({ below }) => below)),
      above: Math.hypot(...errors.map(({ above }) => above)),
    };
  }

  #spreadOfRatios(): number {
    const logs = [...this.#sums.values()]
      .filter(({ billed, expected, answers }) => answers >= HALF_WAY && billed > 0 && expected > 0)
      .map(({ billed, expected }) => Math.log(billed / expected));
    if (logs.length < ENOUGH_MODELS) return USUAL_SPREAD;
    const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
    return Math.sqrt(logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1));
  }
}
