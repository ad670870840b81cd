import type { AnchorSet } from "../estimation/anchor-set.js";
import type { EffortStep } from "../estimation/relatives.js";
import type { EffortVariant, ModelLookup } from "./candidate.js";

/** The parts of `model:effort`; of an id without an effort, the id and null. */
export function splitEffort(
  id: string,
  lookup: ModelLookup,
): { readonly base: string; readonly effort: string | null } {
  const colon = id.lastIndexOf(":");
  const base = colon < 0 ? id : id.slice(0, colon);
  const isVariant = colon > 0 && lookup(base).efforts?.variants.some(({ model }) => model === id) === true;
  return isVariant ? { base, effort: id.slice(colon + 1) } : { base: id, effort: null };
}

/** Where a set has the estimates of a model. */
export interface ProfileColumn {
  readonly set: number;
  /** Of its profile; of an effort without one, of the nearest effort that has one. */
  readonly column: number;
  readonly derived?: DerivedEffort;
}

/** How an effort without a profile is estimated from those of the set that have one. */
interface DerivedEffort extends EffortStep {
  /** Hidden reasoning tokens on a prompt of medium difficulty. */
  readonly thinkingTokens: number;
}

/**
 * The efforts that models of the sets can be asked for and no set has a profile of, and where their estimates are derived from.
 *
 * @param profiled models with a profile
 */
export function derivedEfforts(
  sets: readonly AnchorSet[],
  profiled: readonly string[],
  lookup: ModelLookup,
): ReadonlyMap<string, readonly ProfileColumn[]> {
  const known = new Set(profiled);
  const derived = new Map<string, readonly ProfileColumn[]>();
  for (const base of new Set(profiled.map((model) => splitEffort(model, lookup).base))) {
    const variants = lookup(base).efforts?.variants ?? [];
    for (const variant of variants) {
      if (known.has(variant.model)) continue;
      const at = sets.flatMap((set, setNumber) => columnIn(set, setNumber, { variant, variants }));
      if (at.length > 0) derived.set(variant.model, at);
    }
  }
  return derived;
}

interface Derivation {
  readonly variant: EffortVariant;
  /** All efforts of the model. */
  readonly variants: readonly EffortVariant[];
}

function columnIn(
  { models, columns }: Pick<AnchorSet, "models" | "columns">,
  setNumber: number,
  { variant, variants }: Derivation,
): ProfileColumn[] {
  const byDistance = variants
    .map((one) => ({ ...one, column: models.indexOf(one.model) }))
    .filter(({ column }) => column >= 0)
    .sort((a, b) => Math.abs(a.level - variant.level) - Math.abs(b.level - variant.level));
  const [nearest, ...others] = byDistance;
  if (nearest === undefined) return [];
  const levels = variant.level - nearest.level;
  const across = others.find(({ level }) => (level - variant.level) * levels > 0);
  const thinks = byDistance.find(({ hiddenTokens }) => hiddenTokens > 0);
  const perExpected =
    thinks === undefined ? 1 : (columns.thinkingTokens[thinks.column] as number) / thinks.hiddenTokens;
  const derived = {
    column: nearest.column,
    levels,
    across:
      across === undefined ? null : { column: across.column, share: levels / (across.level - nearest.level) },
    thinkingTokens: variant.hiddenTokens * perExpected,
  };
  return [{ set: setNumber, column: nearest.column, derived }];
}
