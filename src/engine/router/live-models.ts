import type { Exclusion, ModelAvailability } from "./candidate.js";
import type { Snapshot } from "./snapshot.js";
import type { SnapshotModel } from "./snapshot-models.js";

/** The available models of a snapshot, and the others with the reason. */
export interface LiveModels {
  readonly models: readonly SnapshotModel[];
  /** The available models that a choice among all considers: without efforts that another available effort of their model dominates. */
  readonly choosable: readonly SnapshotModel[];
  /** Those efforts, and what dominates them. */
  readonly dominated: readonly { readonly model: SnapshotModel; readonly by: string }[];
  /** The available models that a choice among all considers when the request names an effort: each at that effort, under its plain id. */
  atEffort(effort: string): readonly SnapshotModel[];
  /** Why a model of that name cannot be chosen; undefined when it can. */
  exclusionOf(name: string): Exclusion | undefined;
}

/** From all models with a profile down to those that a choice among all considers, efforts (`model:effort`) counted apart. */
export interface ModelCounts {
  readonly profiled: number;
  /** Of these: not retired, and served by someone. */
  readonly live: number;
  /** Of these: a configured provider serves them; all of them while none is configured. */
  readonly runnable: number;
  /** Of these: without efforts that another effort of their model dominates. */
  readonly candidates: number;
}

/** Treats every model as available. */
export const EVERY_MODEL_AVAILABLE: ModelAvailability = {
  unavailability: () => null,
  epoch: () => 0,
};

/**
 * Divides the models of a snapshot into available and unavailable ones, once per snapshot and day of a retirement, so
 * that requests do not check hundreds of old models.
 */
export function watchLiveModels(availability: ModelAvailability): (snapshot: Snapshot) => LiveModels {
  let sorted: { readonly snapshot: Snapshot; readonly epoch: number; readonly live: LiveModels } | undefined;
  return (snapshot) => {
    const epoch = availability.epoch();
    if (sorted?.snapshot !== snapshot || sorted.epoch !== epoch) {
      sorted = { snapshot, epoch, live: sortModels(snapshot, availability) };
    }
    return sorted.live;
  };
}

/** More than there are words for efforts. */
const MOST_EFFORTS = 16;

function sortModels(snapshot: Snapshot, availability: ModelAvailability): LiveModels {
  const models = snapshot.models.filter(({ model }) => availability.unavailability(model) === null);
  const choosable: SnapshotModel[] = [];
  const dominated: { readonly model: SnapshotModel; readonly by: string }[] = [];
  for (const model of models) {
    if (model.byNameOnly) continue;
    const by = snapshot.dominated.get(model.model);
    if (by === undefined || availability.unavailability(by) !== null) choosable.push(model);
    else dominated.push({ model, by });
  }
  const available = new Set(models.map(({ model }) => model));
  const byEffort = new Map<string, readonly SnapshotModel[]>();
  return {
    models,
    choosable,
    dominated,
    atEffort(effort) {
      const known = byEffort.get(effort);
      if (known !== undefined) return known;
      const plain = models.filter((model) => model.effort === null && !model.byNameOnly);
      const found = plain.map((model) => snapshot.atEffort(model, effort));
      if (byEffort.size < MOST_EFFORTS) byEffort.set(effort, found);
      return found;
    },
    exclusionOf(name) {
      if (available.has(name)) return undefined;
      const why = availability.unavailability(name);
      return why === null ? undefined : { model: name, ...why };
    },
  };
}
