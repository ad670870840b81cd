import { type Basis, basisOf } from "../estimation/basis.js";
import type { PublishedSource } from "../estimation/profile-summary.js";
import type { RecommendedWeight } from "../estimation/saved-weight.js";
import type { LoadedSet } from "./load.js";
import type { ModelProfile } from "./model-profile.js";
import { recommendedWeightOf } from "./saved-weights.js";

/** What a set says of itself, without its prompts. */
export interface SetDescription {
  readonly name: string;
  readonly version: string;
  readonly built_at: string;
  readonly embedder: { readonly id: string; readonly fingerprint: string; readonly dimensions: number };
  readonly anchors: number;
  readonly bytes: number;
  readonly seed: number;
  readonly benchmarks: readonly string[];
  /** What the models' skills are told apart by. */
  readonly topics: readonly string[];
  /** How a prompt's difficulty becomes ease; null in sets built without a difficulty model. */
  readonly difficulty: NonNullable<LoadedSet["manifest"]["difficulty"]> | null;
  readonly sources: LoadedSet["manifest"]["sources"];
  readonly parameters: LoadedSet["manifest"]["parameters"];
  /** What `sextant profile tune --save` recommends; null when nothing was saved. */
  readonly recommended_cost_weight: RecommendedWeight | null;
  /** Best expected quality first. */
  readonly models: readonly ModelSummary[];
}

export interface ModelSummary {
  readonly model: string;
  readonly original_names: readonly string[];
  readonly basis: Basis;
  /** Over all topics of the set, the difficulty of prompts taken out: comparable between models. */
  readonly expected_quality: number;
  /** Standard error of `expected_quality`. */
  readonly quality_stderr: number;
  /** Anchors the model was scored on. */
  readonly samples: number;
  /** Over those anchors, easy or hard as they are: not comparable between models. */
  readonly mean_quality: number;
  /** Published scores that the model was placed by. */
  readonly published: readonly PublishedSource[];
  readonly measured: { readonly tokens: boolean; readonly cost: boolean };
  readonly benchmarks: Readonly<Record<string, number>>;
}

export function describeSet(loaded: LoadedSet): SetDescription {
  const { set, manifest, profiles } = loaded;
  return {
    name: manifest.name,
    version: set.version,
    built_at: manifest.built_at,
    embedder: manifest.embedder,
    anchors: manifest.anchors,
    bytes: manifest.files.reduce((sum, { bytes }) => sum + bytes, 0),
    seed: manifest.seed,
    benchmarks: manifest.benchmarks,
    topics: manifest.topics,
    difficulty: manifest.difficulty ?? null,
    sources: manifest.sources,
    parameters: manifest.parameters,
    recommended_cost_weight: recommendedWeightOf(loaded),
    models: profiles.map(describeModel).sort(byExpectedQuality),
  };
}

/** Best first; of equal ones the surer, then by id. */
function byExpectedQuality(a: ModelSummary, b: ModelSummary): number {
  return (
    b.expected_quality - a.expected_quality ||
    a.quality_stderr - b.quality_stderr ||
    (a.model < b.model ? -1 : 1)
  );
}

function describeModel({ facts, bill }: ModelProfile): ModelSummary {
  return {
    model: facts.model,
    original_names: facts.original_names,
    basis: basisOf(facts),
    expected_quality: facts.overall_quality,
    quality_stderr: facts.overall_error,
    samples: facts.scored,
    mean_quality: facts.mean_quality,
    published: facts.published,
    measured: { tokens: bill?.codes !== undefined, cost: facts.bill?.paid ?? false },
    benchmarks: facts.benchmarks,
  };
}
