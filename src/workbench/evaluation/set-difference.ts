import { describeSet } from "../../engine/index.js";
import type { ModelSummary, SetDescription } from "../../engine/profiles/describe-set.js";
import type { LoadedSet } from "../../engine/profiles/load.js";

/** What one set holds and the other does not. */
export interface SetDifference {
  readonly first: SetIdentity;
  readonly second: SetIdentity;
  readonly sources: { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** Models that came or went, then those whose expected quality changed most; those that are the same are left out. */
  readonly models: readonly ModelDifference[];
  readonly unchanged: number;
}

interface SetIdentity {
  readonly name: string;
  readonly version: string;
  /** ISO 8601. */
  readonly builtAt: string;
  /** Profiled prompts. */
  readonly anchors: number;
  readonly embedder: SetDescription["embedder"];
}

interface ModelDifference {
  readonly model: string;
  readonly change: "added" | "removed" | "changed";
  /** Over all topics of a set, 0 to 1, in the first and the second one; null where the model is not in it. */
  readonly expectedQuality: readonly [number | null, number | null];
  /** Profiled prompts with an answer of the model. */
  readonly samples: readonly [number | null, number | null];
}

/** What changed from one set to another, by what they say of themselves: no prompt is decided. */
export function setDifference(first: LoadedSet, second: LoadedSet): SetDifference {
  const [before, after] = [describeSet(first), describeSet(second)];
  const all = modelPairs(before, after);
  const [oldSources, newSources] = [sourceNames(before), sourceNames(after)];
  const models = all
    .filter(({ old, now }) => contentOf(old, oldSources) !== contentOf(now, newSources))
    .map(differenceOf);
  return {
    first: identityOf(before),
    second: identityOf(after),
    sources: {
      added: newSources.filter((name) => !oldSources.includes(name)),
      removed: oldSources.filter((name) => !newSources.includes(name)),
    },
    models: models.sort((a, b) => sizeOf(b) - sizeOf(a) || (a.model < b.model ? -1 : 1)),
    unchanged: all.length - models.length,
  };
}

interface ModelPair {
  readonly model: string;
  readonly old: ModelSummary | undefined;
  readonly now: ModelSummary | undefined;
}

function modelPairs(before: SetDescription, after: SetDescription): ModelPair[] {
  const [old, now] = [before, after].map(({ models }) => new Map(models.map((one) => [one.model, one])));
  const names = new Set([...before.models, ...after.models].map(({ model }) => model));
  return [...names].map((model) => ({ model, old: old?.get(model), now: now?.get(model) }));
}

/** Prompts without a benchmark have the name of their source, by default that of the set's folder: that is no difference. */
function contentOf(model: ModelSummary | undefined, sources: readonly string[]): string {
  if (model === undefined) return "";
  const benchmarks = Object.entries(model.benchmarks).map(([name, quality]) => {
    const source = sources.indexOf(name);
    return [source < 0 ? name : source, quality];
  });
  return JSON.stringify({ ...model, benchmarks });
}

const differenceOf = ({ model, old, now }: ModelPair): ModelDifference => ({
  model,
  change: old === undefined ? "added" : now === undefined ? "removed" : "changed",
  expectedQuality: [old?.expected_quality ?? null, now?.expected_quality ?? null],
  samples: [old?.samples ?? null, now?.samples ?? null],
});

const sourceNames = ({ sources }: SetDescription): string[] => sources.map(({ name }) => name);

const identityOf = ({ name, version, built_at, anchors, embedder }: SetDescription): SetIdentity => ({
  name,
  version,
  builtAt: built_at,
  anchors,
  embedder,
});

const sizeOf = ({ expectedQuality: [before, after] }: ModelDifference): number =>
  before === null || after === null ? Number.POSITIVE_INFINITY : Math.abs(after - before);
