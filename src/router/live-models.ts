import type { ProfileSummary } from "../estimation/profile-summary.js";
import type { Exclusion, ModelAvailability } from "./candidate.js";
import type { Snapshot, SnapshotModel } from "./snapshot.js";

/** The available models of a snapshot, and the others with the reason. */
export interface LiveModels {
  readonly models: readonly SnapshotModel[];
  /** The available models that a choice among all considers: without variants that are not known to differ from their base. */
  readonly distinct: readonly SnapshotModel[];
  readonly excluded: readonly Exclusion[];
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
  /** Of these: without efforts that are not known to differ from their model. */
  readonly candidates: number;
}

/** Treats every model as available. */
export const EVERY_MODEL_AVAILABLE: ModelAvailability = {
  unavailability: () => null,
  availabilityEpoch: () => 0,
};

/**
 * Divides the models of a snapshot into available and unavailable ones, once per snapshot and day of a retirement, so
 * that requests do not check hundreds of old models.
 */
export function watchLiveModels(availability: ModelAvailability): (snapshot: Snapshot) => LiveModels {
  let sorted: { readonly snapshot: Snapshot; readonly epoch: number; readonly live: LiveModels } | undefined;
  return (snapshot) => {
    const epoch = availability.availabilityEpoch();
    if (sorted?.snapshot !== snapshot || sorted.epoch !== epoch) {
      sorted = { snapshot, epoch, live: sortModels(snapshot, availability) };
    }
    return sorted.live;
  };
}

/**
 * Whether the evidence distinguishes an effort variant (`model:effort`) from its base model: their qualities differ by
 * more than the standard error of the difference. A variant that is not known to be better is only more expensive.
 */
function isDistinct({ model }: SnapshotModel, summaryOf: ReadonlyMap<string, ProfileSummary>): boolean {
  const colon = model.lastIndexOf(":");
  const own = summaryOf.get(model);
  const base = colon < 0 ? undefined : summaryOf.get(model.slice(0, colon));
  if (own === undefined || base === undefined) return true;
  const difference = Math.abs(own.expected_quality - base.expected_quality);
  return difference > Math.hypot(own.quality_stderr, base.quality_stderr);
}

function sortModels(snapshot: Snapshot, availability: ModelAvailability): LiveModels {
  const models: SnapshotModel[] = [];
  const excluded: Exclusion[] = [];
  for (const model of snapshot.models) {
    const why = availability.unavailability(model.model);
    if (why === null) models.push(model);
    else excluded.push({ model: model.model, ...why });
  }
  const summaryOf = new Map(snapshot.summaries.map((summary) => [summary.model, summary]));
  return {
    models,
    distinct: models.filter((model) => isDistinct(model, summaryOf)),
    excluded,
    exclusionOf(name) {
      const why = availability.unavailability(name);
      return why === null ? undefined : { model: name, ...why };
    },
  };
}
