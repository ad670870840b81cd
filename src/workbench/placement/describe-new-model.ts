import type { ModelDescription } from "../../engine/catalog/model-description.js";
import { describeByName, modelEntries } from "../../engine/index.js";
import type { Abilities } from "../fitting/abilities-file.js";

/** Facts that the user gives of a model to place. */
export interface GivenFacts {
  /** Model of the set of which it is a version or fine-tune. */
  readonly like?: string;
  /** ISO 8601 date. */
  readonly released?: string;
  readonly outputUsdPerMtok?: number;
  readonly effort?: string;
}

/**
 * Facts of a model apart from its scores: the given ones, else those of the model it is like or of another effort of
 * the same base model, else those in its name.
 */
export function describeNewModel(
  model: string,
  { abilities, given }: { readonly abilities: Abilities; readonly given: GivenFacts },
): ModelDescription {
  const byName = describeByName(model);
  const like = given.like === undefined ? undefined : known(given.like, abilities);
  const sibling = [...abilities.models.values()].find(({ base }) => base === byName.base);
  const similar = like ?? sibling;
  const effort = given.effort ?? byName.effort;
  const asked = effort === null ? undefined : describeByName(`${byName.base}:${effort}`);
  return {
    base: like?.base ?? byName.base,
    family: similar?.family ?? byName.family,
    released: dateWithinFitted(given.released ?? similar?.released ?? null, abilities),
    outputUsdPerMtok: priceWithinFitted(
      given.outputUsdPerMtok ?? similar?.outputUsdPerMtok ?? null,
      abilities,
    ),
    effort: effort ?? like?.effort ?? null,
    thinking: asked === undefined ? (like?.thinking ?? byName.thinking) : asked.thinking,
    predecessor: modelEntries().get(byName.base)?.predecessor ?? like?.base ?? null,
  };
}

/** Beyond the prices that the set was fitted to, a price says nothing more of what a model can do. Free is no price. */
function priceWithinFitted(price: number | null, { models }: Abilities): number | null {
  if (price === null || price === 0) return price;
  const fitted = [...models.values()].flatMap(({ outputUsdPerMtok: known }) => (known ? [known] : []));
  if (fitted.length === 0) return null;
  return Math.min(Math.max(price, Math.min(...fitted)), Math.max(...fitted));
}

/** A trend of years is followed for one more than was seen, so that no slip in a year decides what a model can do. */
function dateWithinFitted(date: string | null, { models }: Abilities): string | null {
  const fitted = [...models.values()].flatMap(({ released }) => released ?? []).sort();
  const [oldest, newest] = [fitted[0], fitted.at(-1)];
  if (date === null || oldest === undefined || newest === undefined) return null;
  const latest = `${Number(newest.slice(0, 4)) + 1}${newest.slice(4)}`;
  return date < oldest ? oldest : date > latest ? latest : date;
}

/** Description of a model of the set; from its name when it was added later. */
export const known = (model: string, { models }: Abilities): ModelDescription =>
  models.get(model) ?? describeByName(model);
