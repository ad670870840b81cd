import type { Abilities } from "../build/abilities-file.js";
import { describeByName, type ModelDescription } from "../build/model-description.js";

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
    released: given.released ?? similar?.released ?? null,
    outputUsdPerMtok: given.outputUsdPerMtok ?? similar?.outputUsdPerMtok ?? null,
    effort: effort ?? like?.effort ?? null,
    thinking: asked === undefined ? (like?.thinking ?? byName.thinking) : asked.thinking,
  };
}

/** Description of a model of the set; from its name when it was added later. */
const known = (model: string, { models }: Abilities): ModelDescription =>
  models.get(model) ?? describeByName(model);
