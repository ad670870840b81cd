import type { AnchorSet } from "../estimation/anchor-set.js";
import { costAt, decodeRatio, REFERENCE_PRICE, type TokenPrice } from "../estimation/bills.js";
import type { Evidence } from "../estimation/evidence.js";
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
 * Efforts that another effort of the same model dominates: by the profiles, it costs no more and is no worse beyond noise, on
 * hard and on easy prompts of every topic, and costs less over all. Pauses after each kind of prompt. Some 25 ms for 400
 * profiles and 150 efforts without one.
 *
 * @returns the dominating effort by the dominated one
 */
export function* dominatedEfforts(
  sets: readonly AnchorSet[],
  models: readonly Effort[],
): Generator<void, ReadonlyMap<string, string>, void> {
  const [first] = placesOf(sets);
  const dominated = new Map<string, string>();
  if (first === undefined) return dominated;
  let pairs = effortsByModel(models).flatMap((group) => pairsByCost(group, first));
  // Most pairs are decided by the first places.
  for (const place of placesOf(sets)) {
    if (pairs.length === 0) break;
    const expected = expectationsAt(place);
    pairs = pairs.filter(({ cheaper, costlier }) => {
      const [less, more] = [expected(cheaper), expected(costlier)];
      // Both are known in the same sets, which a model without a profile in one need not be.
      if (less === null || more === null) return less === more;
      return more.quality - less.quality <= place.leastGain && less.costUsd <= more.costUsd;
    });
    yield;
  }
  // The cheaper of a pair comes first: what dominates it dominates the costlier too.
  for (const { cheaper, costlier } of pairs)
    if (!dominated.has(costlier.model))
      dominated.set(costlier.model, dominated.get(cheaper.model) ?? cheaper.model);
  return dominated;
}

interface Pair {
  readonly cheaper: Effort;
  readonly costlier: Effort;
}

/** By cost over all topics. */
function pairsByCost(group: readonly Effort[], first: Place): Pair[] {
  const expected = expectationsAt(first);
  const costOf = (effort: Effort): number => expected(effort)?.costUsd ?? Number.POSITIVE_INFINITY;
  const ordered = group.toSorted((a, b) => costOf(a) - costOf(b) || (a.model < b.model ? -1 : 1));
  return ordered.flatMap((costlier, at) => ordered.slice(0, at).map((cheaper) => ({ cheaper, costlier })));
}

/** As `expectedAt`, computed once for each effort. */
function expectationsAt(place: Place): (effort: Effort) => ExpectedAt | null {
  const known = new Map<Effort, ExpectedAt | null>();
  return (effort) => {
    const found = known.get(effort);
    if (found !== undefined) return found;
    const expected = expectedAt(place, effort);
    known.set(effort, expected);
    return expected;
  };
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
  /** Expected qualities and their errors, `[models of the set]`. */
  readonly expected: Pick<Evidence, "quality" | "stderr" | "ownError" | "oddsScale">;
}

/** All topics first. One at a time: their expectations take megabytes together. */
function* placesOf(sets: readonly AnchorSet[]): Generator<Place, void> {
  for (const [setNumber, set] of sets.entries()) {
    const { prior, models, topics, answerLevels } = set;
    const count = models.length;
    const visible = visibleTokens(answerLevels, { answerRatio: 2 ** answerLevels.overall });
    for (let topic = -1; topic < topics.names.length; topic++) {
      const [from, to] = [topic * count, (topic + 1) * count];
      const { quality, length: bills } =
        topic < 0
          ? prior.overall
          : { quality: prior.quality.subarray(from, to), length: prior.length.subarray(from, to) };
      const leastGain = topic < 0 ? GAIN_OVER_ALL : GAIN_ON_A_TOPIC;
      for (const tier of TIERS) {
        const expected = {
          quality: new Float64Array(quality.subarray(0, count)),
          stderr: new Float64Array(count),
          ownError: new Float64Array(count),
          oddsScale: 1,
        };
        followRelatives(set.relatives, expected.quality, tier);
        yield { set, setNumber, tier, leastGain, visible, bills, expected };
      }
    }
  }
}

interface ExpectedAt {
  readonly quality: number;
  readonly costUsd: number;
}

/** Null in a set that does not know the effort. */
function expectedAt(place: Place, { profileColumns, facts }: Effort): ExpectedAt | null {
  const { set, setNumber, tier, bills, visible, expected } = place;
  const known = profileColumns.find((one) => one.set === setNumber);
  if (known === undefined) return null;
  const { column, derived } = known;
  const { columns } = set;
  const hidden = derived?.thinkingTokens ?? (columns.thinkingTokens[column] as number);
  const answerTokens = hidden * hiddenFactor(tier) + visible * (columns.verbosity[column] as number);
  const price = facts.price ?? columns.bills[column]?.price ?? REFERENCE_PRICE;
  return {
    quality:
      derived === undefined
        ? (expected.quality[column] as number)
        : qualityAtEffort(derived, expected, {
            difficulty: tier,
            into: { quality: 0, stderr: 0, ownError: 0 },
          }).quality,
    costUsd: decodeRatio((bills[column] as number) - 1) * costAt(price, { promptTokens: 0, answerTokens }),
  };
}
