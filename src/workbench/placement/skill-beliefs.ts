import { type FactorPosterior, type FactorTest, RANK } from "../fitting/ability-factors.js";

/**
 * What is known of a model's skills on the topics of a set: the covariance of their joint normal distribution, in log-odds.
 * Topics that load on the same factors are correlated, so that an answer on one also informs the others.
 */
export class SkillBeliefs {
  readonly topics: number;
  /** `[topics × topics]` */
  readonly #covariance: Float64Array;

  private constructor(topics: number, covariance: Float64Array) {
    this.topics = topics;
    this.#covariance = covariance;
  }

  /**
   * @param tests of the topics
   * @param posterior of the model's factors without its graded answers
   * @param information Fisher information of its graded answers, `[topics]`
   */
  static of(
    tests: readonly FactorTest[],
    {
      posterior,
      information,
    }: { readonly posterior: FactorPosterior; readonly information: ArrayLike<number> },
  ): SkillBeliefs {
    const covariance = new Float64Array(tests.length ** 2);
    const spread = tests.map(({ loading }) => timesCovariance(loading, posterior));
    tests.forEach(({ loading, residualVariance }, a) => {
      spread.forEach((other, b) => {
        let shared = 0;
        for (let k = 0; k < RANK; k++) shared += (loading[k] as number) * (other[k] as number);
        covariance[a * tests.length + b] = shared + (a === b ? residualVariance : 0);
      });
    });
    const beliefs = new SkillBeliefs(tests.length, covariance);
    tests.forEach((_, topic) => {
      beliefs.observe(topic, information[topic] as number);
    });
    return beliefs;
  }

  /**
   * The same of parts of the topics: the skill on a part is that on its topic and a deviation of its own, independent of the others.
   *
   * @param parent topic of each part, `[parts]`
   * @param deviation variance of its deviation, `[parts]`
   */
  divided(parent: ArrayLike<number>, deviation: ArrayLike<number>): SkillBeliefs {
    const parts = parent.length;
    const covariance = new Float64Array(parts ** 2);
    for (let a = 0; a < parts; a++)
      for (let b = 0; b < parts; b++) {
        const shared = this.#covariance[
          (parent[a] as number) * this.topics + (parent[b] as number)
        ] as number;
        covariance[a * parts + b] = shared + (a === b ? (deviation[a] as number) : 0);
      }
    return new SkillBeliefs(parts, covariance);
  }

  copy(): SkillBeliefs {
    return new SkillBeliefs(this.topics, this.#covariance.slice());
  }

  /** Variance of the skill on a topic. */
  variance(topic: number): number {
    return this.#covariance[topic * this.topics + topic] as number;
  }

  /** Takes answers on a topic into account (Sherman and Morrison's formula). O(topics²). */
  observe(topic: number, information: number): void {
    if (information === 0) return;
    const { topics } = this;
    const row = this.#covariance.slice(topic * topics, (topic + 1) * topics);
    const scale = information / (1 + information * (row[topic] as number));
    for (let a = 0; a < topics; a++) {
      const step = scale * (row[a] as number);
      if (step === 0) continue;
      for (let b = 0; b < topics; b++) {
        const at = a * topics + b;
        this.#covariance[at] = (this.#covariance[at] as number) - step * (row[b] as number);
      }
    }
  }
}

function timesCovariance(loading: Float64Array, { covariance }: FactorPosterior): Float64Array {
  return loading.map((_, j) => {
    let sum = 0;
    for (let k = 0; k < RANK; k++) sum += (covariance[j * RANK + k] as number) * (loading[k] as number);
    return sum;
  });
}
