/** What fixed models would have cost for the answers that routing gave: the fair thing to compare it with. */
import type { Estimate } from "../../../foundation/bootstrap.js";
import { groupBy } from "../../../foundation/group-by.js";
import { AnswerCosts } from "./answer-costs.js";
import { QualityErrors } from "./quality-errors.js";

/** What is expected of a model for one request: US dollars, and quality in [0, 1]. */
interface Expectation {
  readonly costUsd: number;
  readonly quality: number;
  /** Of the quality. */
  readonly qualityStderr: number;
}

/** A routed answer, with what is expected of the candidates for it. */
export interface RoutedAnswer {
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  readonly preset: string | null;
  readonly costWeight: number;
  /** That answered, what that was billed, and what was expected. */
  readonly model: string;
  readonly billedUsd: number;
  readonly own: Expectation;
  /** Candidates whose cost is known, by model. */
  readonly candidates: ReadonlyMap<string, Expectation>;
}

interface SampleScale {
  readonly matching: number;
  readonly sampled: number;
}

/** A model for all requests, or two that would answer these shares of them, drawn at random. */
export interface FixedChoice {
  readonly models: readonly { readonly model: string; readonly share: number }[];
  /** Dollars a request for a whole point of quality, by which answers of unequal quality are compared; 0: they are not adjusted. */
  readonly usdPerQuality: number;
}

/** What routing saved against a fixed choice, for all requests that match. */
export interface FixedComparison {
  /** Answers of the sample that were compared. */
  readonly requests: number;
  /** What all such answers were billed. */
  readonly spentUsd: number;
  /** Negative: the fixed choice would have been cheaper. */
  readonly savedUsd: Estimate;
  /** Of what the fixed choice would have cost; null when that may be nothing. */
  readonly savedShare: Estimate | null;
}

/** Decisions are compared with models that were candidates of at least that share of the requests. */
const USUAL_SHARE = 0.5;
/** Of the standard normal distribution, for 95 %. */
const NORMAL_95 = 1.96;

/**
 * Compares routed answers with fixed models. Costs of other models are expected ones, times what was learned from bills of how far
 * these are from what was expected. Intervals contain the sampling, how little is known of that factor, and of the models' quality.
 */
export class FixedModels {
  readonly #answers: readonly RoutedAnswer[];
  readonly #scale: SampleScale;
  readonly #costs: AnswerCosts;
  /** Mean differences from what answered, by model. */
  readonly #differences: ReadonlyMap<string, Pick<Expectation, "costUsd" | "quality">>;

  constructor(answers: readonly RoutedAnswer[], scale: SampleScale) {
    this.#answers = answers;
    this.#scale = scale;
    this.#costs = new AnswerCosts(
      answers.map(({ model, billedUsd, own }) => ({ model, billedUsd, expectedUsd: own.costUsd })),
    );
    const known = groupBy(
      answers.flatMap((answer) => [...answer.candidates.keys()].map((model) => ({ answer, model }))),
      ({ model }) => model,
    );
    this.#differences = new Map(
      [...known]
        .filter(([, { length }]) => length >= USUAL_SHARE * answers.length)
        .map(([model, pairs]) => [model, this.#differenceOf(model, pairs)]),
    );
  }

  /**
   * The cheapest mixture of at most two models whose mean expected quality is that of the answers, which is a point of the hull of
   * single models; a single one where that is better.
   *
   * @param including a model that has a part in it
   * @returns undefined where no models are as good, or the model is not known for half of the requests
   */
  atEqualQuality(including?: string): FixedChoice | undefined {
    const all = [...this.#differences].map(([model, difference]) => ({ model, ...difference }));
    const better = all.filter(({ quality }) => quality >= 0);
    const worse = all.filter(({ quality }) => quality <= 0);
    const singles = better.map(({ model, costUsd }) => ({
      models: [{ model, share: 1 }],
      costUsd,
      usdPerQuality: 0,
    }));
    const pairs = better.flatMap((good) =>
      worse.flatMap((cheap) => {
        if (good.quality === cheap.quality) return [];
        const share = -cheap.quality / (good.quality - cheap.quality);
        return {
          models: [
            { model: good.model, share },
            { model: cheap.model, share: 1 - share },
          ],
          costUsd: share * good.costUsd + (1 - share) * cheap.costUsd,
          usdPerQuality: (good.costUsd - cheap.costUsd) / (good.quality - cheap.quality),
        };
      }),
    );
    const [cheapest] = [...singles, ...pairs]
      .filter(({ models }) => including === undefined || models.some(({ model }) => model === including))
      .sort((left, right) => left.costUsd - right.costUsd);
    return cheapest && { models: cheapest.models, usdPerQuality: cheapest.usdPerQuality };
  }

  /** The model of highest expected quality, and those that answered most often: to compare with one by one. */
  notable(most: number): readonly string[] {
    const answered = [...groupBy(this.#answers, ({ model }) => model)]
      .sort(([, left], [, right]) => right.length - left.length)
      .map(([model]) => model);
    const [best] = [...this.#differences].sort(
      ([, left], [, right]) => right.quality - left.quality || left.costUsd - right.costUsd,
    );
    const known = [...(best === undefined ? [] : [best[0]]), ...answered].filter((model) =>
      this.#differences.has(model),
    );
    return [...new Set(known)].slice(0, most);
  }

  /** @param among default: all answers; of a part of them: what it contributes to the whole */
  saved({ models, usdPerQuality }: FixedChoice, among = this.#answers): FixedComparison {
    const { scaled, total } = this.#scaled();
    const savings: number[] = [];
    const predicted = new Map<string, number>();
    const qualities = new QualityErrors();
    let spent = 0;
    for (const answer of among) {
      const { billedUsd, own, candidates } = answer;
      if (!models.every(({ model }) => candidates.has(model))) continue;
      let saving = usdPerQuality * own.quality - billedUsd;
      const kept = models.find(({ model }) => model === answer.model)?.share ?? 0;
      qualities.add(`from ${answer.model}`, (1 - kept) * own.qualityStderr);
      for (const { model, share } of models) {
        const { quality, qualityStderr } = candidates.get(model) as Expectation;
        const costUsd = this.#costAt(answer, model);
        saving += share * (costUsd - usdPerQuality * quality);
        if (model === answer.model) continue;
        predicted.set(model, (predicted.get(model) ?? 0) + scaled * share * costUsd);
        qualities.add(`to ${model}`, share * qualityStderr);
      }
      savings.push(saving);
      spent += billedUsd;
    }
    const { value, stderr } = total(savings);
    const further = NORMAL_95 * Math.hypot(stderr, scaled * usdPerQuality * qualities.stderr);
    const { below, above } = this.#costs.errorsOf(predicted);
    const savedUsd = {
      value,
      low: value - Math.hypot(further, below),
      high: value + Math.hypot(further, above),
    };
    const spentUsd = scaled * spent;
    const shareOf = (usd: number): number => usd / (usd + spentUsd);
    const savedShare =
      savedUsd.low + spentUsd > 0
        ? { value: shareOf(value), low: shareOf(savedUsd.low), high: shareOf(savedUsd.high) }
        : null;
    return { requests: savings.length, spentUsd, savedUsd, savedShare };
  }

  /** Of the expected quality of a model less that of the answers. NaN for one that is not known. */
  qualityOf(model: string): Estimate {
    const qualities = new QualityErrors();
    const differences = this.#answers.flatMap(({ own, model: answered, candidates }) => {
      const other = candidates.get(model);
      if (other === undefined) return [];
      if (answered !== model) {
        qualities.add(`to ${model}`, other.qualityStderr);
        qualities.add(`from ${answered}`, own.qualityStderr);
      }
      return other.quality - own.quality;
    });
    const value = differences.reduce((sum, one) => sum + one, 0) / differences.length;
    const squares = differences.reduce((sum, one) => sum + (one - value) ** 2, 0);
    const sampling = squares / Math.max(1, differences.length - 1) / differences.length;
    const further = NORMAL_95 * Math.hypot(Math.sqrt(sampling), qualities.stderr / differences.length);
    return { value, low: value - further, high: value + further };
  }

  #costAt({ model: own, billedUsd, candidates }: RoutedAnswer, model: string): number {
    return own === model
      ? billedUsd
      : (candidates.get(model)?.costUsd ?? Number.NaN) * this.#costs.ratioOf(model);
  }

  #differenceOf(model: string, pairs: readonly { readonly answer: RoutedAnswer }[]) {
    let [costUsd, quality] = [0, 0];
    for (const { answer } of pairs) {
      costUsd += this.#costAt(answer, model) - answer.billedUsd;
      quality += (answer.candidates.get(model)?.quality ?? Number.NaN) - answer.own.quality;
    }
    return { costUsd: costUsd / pairs.length, quality: quality / pairs.length };
  }

  /** For all requests that match, from a random sample without replacement; what is not compared in it saves nothing. */
  #scaled() {
    const { sampled } = this.#scale;
    const all = Math.max(this.#scale.matching, sampled);
    const scaled = all / Math.max(1, sampled);
    return {
      scaled,
      total: (values: readonly number[]) => {
        const sum = values.reduce((before, one) => before + one, 0);
        const squares = values.reduce((before, one) => before + one * one, 0);
        const variance = sampled > 1 ? Math.max(0, squares - sum ** 2 / sampled) / (sampled - 1) : 0;
        return { value: scaled * sum, stderr: all * Math.sqrt((variance / sampled) * (1 - sampled / all)) };
      },
    };
  }
}
