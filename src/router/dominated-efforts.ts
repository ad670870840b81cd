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
/** Easy and hard prompts: thinking gains least and costs least on the first, most on the last. */
const TIERS = [0, 4] as const;

/**
 * Efforts that another effort of the same model dominates: by the profiles, it costs no more and is no worse beyond noise, on every
 * topic and at every difficulty, and costs less on average. Some 30 ms for 400 profiles and 150 efforts without one.
 *
 * @returns the dominating effort by the dominated one
 */
export function dominatedEfforts(
  sets: readonly AnchorSet[],
  models: readonly Effort[],
): ReadonlyMap<string, string> {
  const groups = effortsByModel(models);
  const dominated = new Map<string, string>();
  if (groups.length === 0) return dominated;
  const places = sets.flatMap(placesOf);
  for (const group of groups) {
    const efforts = group
      .map((effort) => expectedOf(effort, places))
      .toSorted((a, b) => sum(a.costUsd) - sum(b.costUsd) || (a.model < b.model ? -1 : 1));
    const left: Expected[] = [];
    for (const effort of efforts) {
      const better = left.find((other) => dominates(other, effort, places));
      if (better === undefined) left.push(effort);
      else dominated.set(effort.model, better.model);
    }
  }
  return dominated;
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
  /** Expected qualities and their errors, `[models of the set]`. */
  readonly quality: Float64Array;
  readonly stderr: Float64Array;
  /** Ratios of bills to the expected ones, as 1 + code, `[models of the set]`. */
  readonly bills: Float32Array;
}

function placesOf(set: AnchorSet, setNumber: number): Place[] {
  const { prior, models, topics } = set;
  const count = models.length;
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
  return [{ leastGain: GAIN_OVER_ALL, quality, bills }, ...rows].flatMap((row) =>
    TIERS.map((tier) => {
      const expected = {
        quality: Float64Array.from(row.quality.subarray(0, count)),
        stderr: new Float64Array(count),
      };
      followRelatives(set.relatives, expected, tier);
      return { set, setNumber, tier, leastGain: row.leastGain, bills: row.bills, ...expected };
    }),
  );
}

/** What is expected of an effort, by place; NaN in sets that do not know it. */
interface Expected {
  readonly model: string;
  readonly quality: Float64Array;
  readonly costUsd: Float64Array;
}

function expectedOf({ model, profileColumns, facts }: Effort, places: readonly Place[]): Expected {
  const quality = new Float64Array(places.length).fill(Number.NaN);
  const costUsd = new Float64Array(places.length).fill(Number.NaN);
  places.forEach((place, at) => {
    const { set, setNumber, tier, bills } = place;
    const known = profileColumns.find((one) => one.set === setNumber);
    if (known === undefined) return;
    const { column, derived } = known;
    const { columns, answerLevels } = set;
    const hidden = derived?.thinkingTokens ?? (columns.thinkingTokens[column] as number);
    const visible = visibleTokens(answerLevels, { answerRatio: 2 ** answerLevels.overall });
    const answerTokens = hidden * hiddenFactor(tier) + visible * (columns.verbosity[column] as number);
    const price = facts.price ?? columns.bills[column]?.price ?? REFERENCE_PRICE;
    quality[at] =
      derived === undefined
        ? (place.quality[column] as number)
        : qualityAtEffort(derived, place, tier).quality;
    costUsd[at] =
      decodeRatio((bills[column] as number) - 1) * costAt(price, { promptTokens: 0, answerTokens });
  });
  return { model, quality, costUsd };
}

const sum = (costs: Float64Array): number =>
  costs.reduce((total, cost) => (Number.isNaN(cost) ? total : total + cost), 0);

/** Both are known in the same sets, which a model without a profile in one need not be. */
const dominates = (cheaper: Expected, dearer: Expected, places: readonly Place[]): boolean =>
  places.every(({ leastGain }, at) => {
    const gain = (dearer.quality[at] as number) - (cheaper.quality[at] as number);
    if (Number.isNaN(gain)) return Number.isNaN(dearer.quality[at]) && Number.isNaN(cheaper.quality[at]);
    return gain <= leastGain && (cheaper.costUsd[at] as number) <= (dearer.costUsd[at] as number);
  });
