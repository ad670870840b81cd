import { once } from "../../foundation/once.js";
import type { AnchorSet } from "../estimation/anchor-set.js";
import { costAt, decodeRatio, REFERENCE_PRICE, type TokenPrice } from "../estimation/bills.js";
import { hiddenFactor, visibleTokens } from "../estimation/expected-tokens.js";
import { followRelatives, qualityAtEffort } from "../estimation/relatives.js";
import type { ProfileColumn } from "./effort-dial.js";

/** An effort of a model, and what its estimates rest on. */
interface Effort {
  readonly model: string;
  /** The model without its effort. */
  readonly base: string;
  readonly profileColumns: readonly ProfileColumn[];
  readonly facts: { readonly price: TokenPrice | null };
}

/** Gain of quality on one kind of prompt, and over all topics, up to which an order of two efforts is as often wrong as right (guesses). */
const GAIN_ON_A_TOPIC = 0.02;
const GAIN_OVER_ALL = 0.01;
/** Hard and easy prompts: thinking gains most on the first, and costs least on the last. */
const TIERS = [4, 0] as const;

/**
 * Efforts that another effort of the same model dominates: by the profiles, it costs no more and is no worse beyond noise, on hard
 * and on easy prompts of every topic, and costs less over all. Pauses after each kind of
 * prompt. Some 25 ms for 400 profiles and 150 efforts
 * without one.
 *
 * @returns the dominating effort by the dominated one
 */
export function* dominatedEfforts(
  sets: readonly AnchorSet[],
  models: readonly Effort[],
): Generator<void, ReadonlyMap<string, string>, void> {
  const places = sets.flatMap(placesOf);
  const dominated = new Map<string, string>();
  for (const group of effortsByModel(models)) {
    // The cheaper of a pair comes first: what dominates it dominates the costlier too.
    for (const { cheaper, costlier } of yield* dominatingPairs(group, places))
      if (!dominated.has(costlier.model))
        dominated.set(costlier.model, dominated.get(cheaper.model) ?? cheaper.model);
  }
  return dominated;
}

interface Pair {
  readonly cheaper: Effort;
  readonly costlier: Effort;
}

/** By cost over all topics. Most pairs are decided by the first places. */
function* dominatingPairs(
  group: readonly Effort[],
  places: readonly Place[],
): Generator<void, readonly Pair[], void> {
  const first = places[0];
  if (first === undefined) return [];
  const costs = new Map(
    group.map((effort) => [effort, expectedAt(first, effort)?.costUsd ?? Number.POSITIVE_INFINITY]),
  );
  const costOf = (effort: Effort): number => costs.get(effort) as number;
  const ordered = group.toSorted((a, b) => costOf(a) - costOf(b) || (a.model < b.model ? -1 : 1));
  let pairs = ordered.flatMap((_, costlier) =>
    ordered.slice(0, costlier).map((_, cheaper) => ({ cheaper, costlier })),
  );
  for (const place of places) {
    if (pairs.length === 0) break;
    const known: (ExpectedAt | null | undefined)[] = ordered.map(() => undefined);
    const expected = (number: number): ExpectedAt | null => {
      known[number] ??= expectedAt(place, ordered[number] as Effort);
      return known[number];
    };
    pairs = pairs.filter(({ cheaper, costlier }) => {
      const [less, more] = [expected(cheaper), expected(costlier)];
      // Both are known in the same sets, which a model without a profile in one need not be.
      if (less === null || more === null) return less === more;
      return more.quality - less.quality <= place.leastGain && less.costUsd <= more.costUsd;
    });
    yield;
  }
  return pairs.map(({ cheaper, costlier }) => ({
    cheaper: ordered[cheaper] as Effort,
    costlier: ordered[costlier] as Effort,
  }));
}

/** Of the models that have several. */
function effortsByModel(models: readonly Effort[]): readonly (readonly Effort[])[] {
  const groups = new Map<string, Effort[]>();
  for (const model of models) {
    const group = groups.get(model.base);
    if (group === undefined) groups.set(model.base, [model]);
    else group.push(model);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

/** A kind of prompt: a topic of a set, or all of them, at a difficulty. */
interface Place {
  readonly set: AnchorSet;
  readonly setNumber: number;
  readonly tier: number;
  readonly leastGain: number;
  /** Visible tokens of a model of verbosity 1. */
  readonly visible: number;
  /** Ratios of bills to the expected ones, as 1 + code, `[models of the set]`. */
  readonly bills: Float32Array;
  /** Expected qualities and their errors, `[models of the set]`. Computed when first asked for. */
  readonly expected: () => { readonly quality: Float64Array; readonly stderr: Float64Array };
}

/** All topics first. */
function placesOf(set: AnchorSet, setNumber: number): Place[] {
  const { prior, models, topics, answerLevels } = set;
  const count = models.length;
  const visible = visibleTokens(answerLevels, { answerRatio: 2 ** answerLevels.overall });
  const firstTopic = prior.resolutionStarts.at(-1) as number;
  const rows = topics.names.map((_, topic) => {
    const [from, to] = [(firstTopic + topic) * count, (firstTopic + topic + 1) * count];
    return {
      leastGain: GAIN_ON_A_TOPIC,
      quality: prior.quality.subarray(from, to),
      bills: prior.length.subarray(from, to),
    };
  });
  const { quality, length: bills } = prior.overall;
  return [{ leastGain: GAIN_OVER_ALL, quality, bills }, ...rows].flatMap(({ quality: own, ...row }) =>
    TIERS.map((tier) => ({
      ...{ set, setNumber, tier, visible, ...row },
      expected: once(() => {
        const expected = {
          quality: new Float64Array(own.subarray(0, count)),
          stderr: new Float64Array(count),
        };
        followRelatives(set.relatives, expected, tier);
        return expected;
      }),
    })),
  );
}

interface ExpectedAt {
  readonly quality: number;
  readonly costUsd: number;
}

/** Null in a set that does not know the effort. */
function expectedAt(place: Place, { profileColumns, facts }: Effort): ExpectedAt | null {
  const { set, setNumber, tier, bills, visible } = place;
  const known = profileColumns.find((one) => one.set === setNumber);
  if (known === undefined) return null;
  const { column, derived } = known;
  const { columns } = set;
  const expected = place.expected();
  const hidden = derived?.thinkingTokens ?? (columns.thinkingTokens[column] as number);
  const answerTokens = hidden * hiddenFactor(tier) + visible * (columns.verbosity[column] as number);
  const price = facts.price ?? columns.bills[column]?.price ?? REFERENCE_PRICE;
  return {
    quality:
      derived === undefined
        ? (expected.quality[column] as number)
        : qualityAtEffort(derived, expected, { difficulty: tier, into: { quality: 0, stderr: 0 } }).quality,
    costUsd: decodeRatio((bills[column] as number) - 1) * costAt(price, { promptTokens: 0, answerTokens }),
  };
}
