import { SextantError } from "../../foundation/errors.js";
import type { AnchorSet } from "../estimation/anchor-set.js";

/** Models that two sets must share: with one alone, its own difference between the sets would be attributed to the sets. */
const FEWEST_SHARED_MODELS = 2;
/** Qualities are kept this far from 0 and 1, which have no log-odds. */
const CLOSEST_TO_CERTAIN = 0.01;

/**
 * Offsets in log-odds that bring the qualities of each set to the scale of the first, since harder prompts or stricter
 * grading lower all values. Computed from the models that two sets share, set by set, starting from the sets already on
 * the scale.
 *
 * @throws SextantError `no_profiles_available` when a set shares fewer than two models with the others
 */
export function stepsToCommonScale(sets: readonly AnchorSet[]): readonly number[] {
  const scaled = new Map<string, number[]>();
  const steps = new Map<AnchorSet, number>();
  const join = (set: AnchorSet, step: number): void => {
    steps.set(set, step);
    for (const { model, logOdds } of overallOdds(set))
      scaled.set(model, [...(scaled.get(model) ?? []), logOdds + step]);
  };
  for (let open = [...sets]; open.length > 0; open = open.filter((set) => !steps.has(set))) {
    const [first] = open;
    if (first !== undefined && steps.size === 0) {
      join(first, 0);
      continue;
    }
    const next = open.map((set) => ({ set, shared: differences(set, scaled) })).reduce(mostShared);
    if (next.shared.length < FEWEST_SHARED_MODELS) throw notComparable(next.set, sets);
    join(next.set, mean(next.shared));
  }
  return sets.map((set) => steps.get(set) ?? 0);
}

interface Shared {
  readonly set: AnchorSet;
  /** Of each shared model: its log-odds on the scale, minus those in the set. */
  readonly shared: readonly number[];
}

const mostShared = (a: Shared, b: Shared): Shared => (b.shared.length > a.shared.length ? b : a);

function differences(set: AnchorSet, scaled: ReadonlyMap<string, readonly number[]>): readonly number[] {
  return overallOdds(set).flatMap(({ model, logOdds }) => {
    const known = scaled.get(model);
    return known === undefined ? [] : [mean(known) - logOdds];
  });
}

function overallOdds(set: AnchorSet): readonly { readonly model: string; readonly logOdds: number }[] {
  return set.summaries.map(({ model, expected_quality }) => {
    const quality = Math.min(1 - CLOSEST_TO_CERTAIN, Math.max(CLOSEST_TO_CERTAIN, expected_quality));
    return { model, logOdds: Math.log(quality / (1 - quality)) };
  });
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

function notComparable(set: AnchorSet, sets: readonly AnchorSet[]): SextantError {
  const others = sets.filter((other) => other !== set).map(({ name }) => name);
  return new SextantError(
    "no_profiles_available",
    `The profile set "${set.name}" shares fewer than ${FEWEST_SHARED_MODELS} models with ${others.join(", ")}, so that ` +
      "nothing shows how their qualities compare. Build one set from the outcomes of all (`sextant profile build` takes several " +
      "sources), score two models or more on both, or load one of the sets alone.",
  );
}
