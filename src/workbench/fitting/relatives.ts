import type { ModelDescription } from "../../engine/catalog/model-description.js";
import { levelOfThinking } from "../../engine/index.js";
import { groupBy } from "../../foundation/group-by.js";

/** The relative that a model with few answers of its own is compared with. */
export interface Relative {
  readonly model: string;
  /** Level of thinking above the relative's: 1 from none to `high`. */
  readonly levels: number;
  /** 1 for a successor of the relative, −1 for its predecessor, 0 for another effort of the same model. */
  readonly generations: number;
}

export interface RelatedModel {
  readonly model: string;
  readonly description: ModelDescription;
  /** Prompts that the model was scored on. */
  readonly answers: number;
}

/** With fewer answers, the standard error of a mean score is above the usual gain of a successor. */
const FEW_ANSWERS = 100;
/** Orders of efforts need more answers, since neighbours differ by less. */
const FEW_ANSWERS_OF_AN_EFFORT = 200;

/**
 * The relatives of the models that need one, by model. Efforts of one model are compared with the next effort toward the one that has
 * the most answers, or toward the default one. That one is compared with the model that it succeeds,
 * at the default effort, or with its successor if only that has many answers. No chain is a circle.
 */
export function findRelatives(models: readonly RelatedModel[]): ReadonlyMap<string, Relative> {
  const relatives = new Map<string, Relative>();
  const references: RelatedModel[] = [];
  for (const variants of groupBy(models, ({ description }) => description.base).values()) {
    const reference = referenceOf(variants);
    references.push(reference);
    const least = levelOf(reference);
    const more = variants.filter((other) => other !== reference && levelOf(other) >= least);
    const less = variants.filter((other) => levelOf(other) < least);
    addChain([reference, ...more.sort((a, b) => levelOf(a) - levelOf(b))], relatives);
    addChain([reference, ...less.sort((a, b) => levelOf(b) - levelOf(a))], relatives);
  }
  const successors = new Map(references.map((model) => [model.description.predecessor, model]));
  for (const model of references) {
    if (model.answers >= FEW_ANSWERS) continue;
    const { base, predecessor } = model.description;
    const before = models.find((other) => other.model === predecessor);
    const after = successors.get(base);
    // Only a measured successor: two models that follow each other would be a circle.
    const isSurer = (after?.answers ?? 0) >= FEW_ANSWERS && (before?.answers ?? 0) < FEW_ANSWERS;
    if (after !== undefined && isSurer)
      relatives.set(model.model, { ...between(model, after), generations: -1 });
    else if (before !== undefined) relatives.set(model.model, { ...between(model, before), generations: 1 });
  }
  return relatives;
}

/** @param chain of efforts of one model, the reference first */
function addChain(chain: readonly RelatedModel[], into: Map<string, Relative>): void {
  for (const [at, model] of chain.entries()) {
    const before = chain[at - 1];
    if (before === undefined || model.answers >= FEW_ANSWERS_OF_AN_EFFORT) continue;
    into.set(model.model, { ...between(model, before), generations: 0 });
  }
}

/** The variant that the others of its model are compared with: with the most answers, and of equals the default effort. */
function referenceOf(variants: readonly RelatedModel[]): RelatedModel {
  const [first, ...others] = variants as readonly [RelatedModel, ...RelatedModel[]];
  return others.reduce((best, other) => {
    if (other.answers !== best.answers) return other.answers > best.answers ? other : best;
    return other.description.effort === null ? other : best;
  }, first);
}

const between = (model: RelatedModel, relative: RelatedModel) => ({
  model: relative.model,
  levels: levelOf(model) - levelOf(relative),
});

const levelOf = ({ description }: RelatedModel): number => levelOfThinking(description.thinking);
