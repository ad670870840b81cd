/** What fixed models of the same expected quality as the decisions would have cost: the fair thing to compare routing with. */
import type { Estimate } from "../../../foundation/bootstrap.js";
import type { SavingsBody } from "./savings-schema.js";

/** What a candidate, or the decision, was expected to cost and to be worth. */
export interface CandidateExpectation {
  readonly costUsd: number;
  readonly quality: number;
}

type EqualQuality = NonNullable<SavingsBody["equal_quality"]>;

interface DecidedRequest {
  readonly decided: CandidateExpectation;
  readonly others: ReadonlyMap<string, CandidateExpectation>;
}

/** Mean differences from the decisions on the same requests. */
interface Difference extends CandidateExpectation {
  readonly model: string;
}

interface SampleScale {
  readonly matching: number;
  readonly sampled: number;
  /** By which expected costs are multiplied. */
  readonly correction: number;
}

/** Of the standard normal distribution, for 95 %. */
const NORMAL_95 = 1.96;

/**
 * The cheapest mixture of at most two of the models that is expected to be as good as the decisions, which is a point of the
 * hull of single models. Its interval is that of the sample: that of the mean of each request's saving, corrected for the
 * uncertain shares by the price of quality along that edge of the hull.
 *
 * @returns null where no model is expected to be as good
 */
export function equalQuality(
  requests: readonly DecidedRequest[],
  models: readonly string[],
  scale: SampleScale,
): EqualQuality | null {
  const differences = models.map((model) => differenceOf(model, requests));
  const [mixture] = mixturesOf(differences).toSorted((left, right) => left.costUsd - right.costUsd);
  if (mixture === undefined) return null;
  const { parts, usdPerQuality } = mixture;
  const savings: number[] = [];
  for (const { decided, others } of requests) {
    let saving = usdPerQuality * decided.quality - decided.costUsd;
    for (const { model, share } of parts) {
      const other = others.get(model);
      saving += share * (other === undefined ? Number.NaN : other.costUsd - usdPerQuality * other.quality);
    }
    if (!Number.isNaN(saving)) savings.push(saving);
  }
  return {
    models: parts,
    requests: savings.length,
    saved_usd: savedInAll(totalsOf(savings, requests.length), scale),
  };
}

function differenceOf(model: string, requests: readonly DecidedRequest[]): Difference {
  let [known, costUsd, quality] = [0, 0, 0];
  for (const { decided, others } of requests) {
    const other = others.get(model);
    if (other === undefined) continue;
    known += 1;
    costUsd += other.costUsd - decided.costUsd;
    quality += other.quality - decided.quality;
  }
  return { model, costUsd: costUsd / known, quality: quality / known };
}

interface Mixture {
  readonly parts: EqualQuality["models"];
  /** Mean, less that of the decisions. */
  readonly costUsd: number;
  /** Dollars a request for a whole point of quality along the edge; 0 for a single model. */
  readonly usdPerQuality: number;
}

function mixturesOf(differences: readonly Difference[]): readonly Mixture[] {
  const better = differences.filter(({ quality }) => quality >= 0);
  const worse = differences.filter(({ quality }) => quality < 0);
  const single = better.map(({ model, costUsd }) => ({
    parts: [{ model, share: 1 }],
    costUsd,
    usdPerQuality: 0,
  }));
  const pairs = better.flatMap((good) =>
    worse.map((cheap) => {
      const share = -cheap.quality / (good.quality - cheap.quality);
      return {
        parts: [
          { model: good.model, share },
          { model: cheap.model, share: 1 - share },
        ],
        costUsd: share * good.costUsd + (1 - share) * cheap.costUsd,
        usdPerQuality: (good.costUsd - cheap.costUsd) / (good.quality - cheap.quality),
      };
    }),
  );
  return [...single, ...pairs];
}

/** Those whose expectations are not known are taken to save what the others do. */
function totalsOf(savings: readonly number[], decided: number): SavingTotals {
  const perKnown = savings.length === 0 ? 0 : decided / savings.length;
  return {
    sum: perKnown * savings.reduce((total, one) => total + one, 0),
    squares: perKnown * savings.reduce((total, one) => total + one * one, 0),
  };
}

interface SavingTotals {
  readonly sum: number;
  readonly squares: number;
}

/** For all requests that match, from a random sample without replacement; what was not decided in it saves nothing. */
function savedInAll(
  { sum, squares }: SavingTotals,
  { matching, sampled, correction }: SampleScale,
): Estimate {
  const all = Math.max(matching, sampled);
  const variance = sampled > 1 ? Math.max(0, squares - sum ** 2 / sampled) / (sampled - 1) : 0;
  const stderr = correction * all * Math.sqrt((variance / sampled) * (1 - sampled / all));
  const value = (correction * sum * all) / Math.max(1, sampled);
  return { value, low: value - NORMAL_95 * stderr, high: value + NORMAL_95 * stderr };
}
