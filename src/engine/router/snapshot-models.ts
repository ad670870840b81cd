import type { AnchorSet } from "../estimation/anchor-set.js";
import { type Basis, jointBasis } from "../estimation/basis.js";
import type { ModelService } from "../estimation/model-service.js";
import type { ProfileSummary } from "../estimation/profile-summary.js";
import type { ModelFacts, ModelLookup } from "./candidate.js";
import { derivedEfforts, type ProfileColumn, splitEffort } from "./effort-dial.js";
import type { Estimated } from "./estimates.js";

export interface SnapshotModel extends Estimated {
  /** The model without its effort. */
  readonly base: string;
  readonly facts: ModelFacts;
  /** How it was served when its answers were measured; undefined where no set knows. */
  readonly service: ModelService | undefined;
  /** False when neither a price nor measured costs are known. */
  readonly costKnown: boolean;
  /** What its estimates rest on in each set that knows it. At least one. */
  readonly profileColumns: readonly ProfileColumn[];
  /** Whether it is a candidate only where a request names it: an effort that no one measured, of a set that holds what its owner did. */
  readonly byNameOnly: boolean;
}

/** The models of all sets and their efforts, by id. */
export function joinModels(sets: readonly AnchorSet[], lookup: ModelLookup): SnapshotModel[] {
  const profileColumns = new Map<string, { set: number; column: number }[]>();
  sets.forEach((set, setNumber) => {
    set.models.forEach((model, column) => {
      profileColumns.set(model, [...(profileColumns.get(model) ?? []), { set: setNumber, column }]);
    });
  });
  const derived = derivedEfforts(sets, [...profileColumns.keys()], lookup);
  return [...profileColumns, ...derived]
    .map(([model, at]) => {
      const facts = lookup(model);
      const isDerived = derived.has(model);
      return {
        model,
        ...splitEffort(model, lookup),
        provider: facts.provider,
        facts,
        profileColumns: at,
        service: serviceAt(sets, at),
        ...(isCounted(sets, at) && { successProbability: successAt(sets, at) }),
        costKnown: facts.price !== null || isPaid(sets, at),
        basis: isDerived ? ("placed" as const) : basisIn(sets, at),
        byNameOnly: isDerived && at.every(({ set }) => sets[set]?.candidates === "all"),
      };
    })
    .sort((a, b) => (a.model < b.model ? -1 : 1));
}

/** Of an effort without a profile the times are unknown: it thinks for longer, or less long. */
function serviceAt(
  sets: readonly AnchorSet[],
  at: SnapshotModel["profileColumns"],
): ModelService | undefined {
  const own = at.filter(({ derived }) => derived === undefined);
  return own.map(({ set, column }) => sets[set]?.columns.services[column]).find((one) => one !== undefined);
}

const isCounted = (sets: readonly AnchorSet[], at: SnapshotModel["profileColumns"]): boolean =>
  at.some(({ set, column }) => sets[set]?.columns.services[column]?.calls !== undefined);

const successAt = (sets: readonly AnchorSet[], at: SnapshotModel["profileColumns"]): number =>
  Math.min(...at.map(({ set, column }) => (sets[set] as AnchorSet).columns.success[column] as number));

function basisIn(sets: readonly AnchorSet[], at: SnapshotModel["profileColumns"]): Basis {
  const [first, ...rest] = at.map(({ set, column }) => summaryAt(sets, { set, column }).basis);
  return jointBasis([first as Basis, ...rest]);
}

export const summaryAt = (
  sets: readonly AnchorSet[],
  { set, column }: SnapshotModel["profileColumns"][number],
): ProfileSummary => (sets[set] as AnchorSet).summaries[column] as ProfileSummary;

function isPaid(sets: readonly AnchorSet[], at: SnapshotModel["profileColumns"]): boolean {
  return at.some(({ set, column }) => sets[set]?.columns.bills[column]?.isPaid === true);
}

export function atEffort(
  model: SnapshotModel,
  { effort, byName }: { readonly effort: string; readonly byName: ReadonlyMap<string, SnapshotModel> },
): SnapshotModel {
  const efforts = byName.get(model.base)?.facts.efforts;
  const asked = byName.get(efforts?.byWord[effort] ?? "");
  if (asked === undefined) return model;
  const { profileColumns, basis } = asked;
  return { ...model, effort: asked.effort ?? effort, profileColumns, basis };
}

/** Aliases are followed this far: a deployment may name a model's undated name, and that a dated one. */
const LONGEST_CHAIN = 3;

export function findDeployment(
  name: string,
  { byName, lookup }: { readonly byName: ReadonlyMap<string, SnapshotModel>; readonly lookup: ModelLookup },
): SnapshotModel | undefined {
  const facts = lookup(name);
  let profiled: SnapshotModel | undefined;
  let { profile } = facts;
  for (let step = 0; step < LONGEST_CHAIN && profiled === undefined && profile !== undefined; step++) {
    profiled = byName.get(profile);
    profile = lookup(profile).profile;
  }
  if (profiled === undefined) return undefined;
  return { ...profiled, model: name, provider: facts.provider, facts, costKnown: facts.price !== null };
}
