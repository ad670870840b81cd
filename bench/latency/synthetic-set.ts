import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Embedder } from "../../src/engine/embedding/embedder.js";
import type { AnchorSet } from "../../src/engine/estimation/anchor-set.js";
import { gatherEvidence } from "../../src/engine/estimation/evidence.js";
import { loadProfileSet } from "../../src/engine/profiles/load.js";
import type { AnchorVectors } from "../../src/engine/search/anchor-vectors.js";
import { buildProfileSet } from "../../src/workbench/fitting/build-profile-set.js";
import type { ModelOutcomes, OutcomeTable } from "../../src/workbench/fitting/outcome-table.js";
import { realisticAnchors } from "./anchors.js";
import { seededRandom } from "./prompts.js";

export interface SyntheticSetSize {
  readonly anchors: number;
  readonly models: number;
}

/** Changes with this file and anchors.ts: sets of an earlier version are built again. */
const VERSION = 2;
/** Kinds of prompts on which models differ. */
const TOPICS = 16;

/** What a result says of its sets. */
export const SET_NOTE =
  "Sets are invented, not measured: vectors of the shipped profile set's prompts, beyond 25,831 copies moved along the " +
  "directions of their 24 nearest neighbours; scores drawn by a seeded rule for models that do not exist. Builder, index and " +
  "loader are the real ones. Prompts are made up of real words.";

export type SetBuildProgress = (stage: string, done: number, total: number) => void;

/**
 * A profile set on whose anchors (`realisticAnchors`) every model has an invented score, written by the real builder with
 * the real index and read by the real loader. Kept under bench/results/sets, because building takes a while: seconds up
 * to 25,000 anchors, most of two hours of a busy core and 2 GB of memory for a million.
 */
export async function openSyntheticSet(
  size: SyntheticSetSize,
  embedder: Embedder,
  onProgress?: SetBuildProgress,
): Promise<AnchorSet> {
  const folder = syntheticSetFolder(size, embedder);
  const name = `synthetic-${size.anchors}x${size.models}`;
  const load = () => loadProfileSet(folder, { embedder });
  if (existsSync(folder)) {
    const kept = await load().catch(() => undefined);
    if (kept) return kept.set;
  }
  const vectors = await realisticAnchors(size.anchors, embedder);
  await buildProfileSet(
    { table: outcomesOf(size, topicsOf(vectors)), vectors, embedder },
    {
      ...{ folder, name, seed: 1, gather: gatherEvidence },
      builtAt: "2026-01-01T00:00:00Z",
      ...(onProgress ? { onStage: onProgress } : {}),
    },
  );
  return (await load()).set;
}

/** Where `openSyntheticSet` keeps a set. */
export function syntheticSetFolder({ anchors, models }: SyntheticSetSize, embedder: Embedder): string {
  const version = `v${VERSION}-${embedder.fingerprint.slice(0, 8)}`;
  return join("bench", "results", "sets", `${version}-${anchors}x${models}`);
}

/** By the largest of a vector's first values, so that neighbours tend to share a topic. */
function topicsOf({ count, dimensions, codes }: AnchorVectors): Uint16Array {
  return Uint16Array.from({ length: count }, (_, anchor) => {
    const values = codes.subarray(anchor * dimensions, anchor * dimensions + TOPICS);
    return values.indexOf(Math.max(...values));
  });
}

function outcomesOf({ anchors, models }: SyntheticSetSize, topics: Uint16Array): OutcomeTable {
  const source = { name: "synthetic", licence: null, commit: null, url: null };
  const counts = { anchors, promptsWithoutScore: 0, rows: anchors * models };
  const names = Array.from({ length: TOPICS }, (_, topic) => `topic-${String(topic).padStart(2, "0")}`);
  return {
    promptIds: Array.from({ length: anchors }, (_, anchor) => `synthetic:${anchor}`),
    benchmarks: names,
    benchmarkOf: topics,
    topics: names,
    topicOf: topics,
    sources: [{ ...source, ...counts, rowsOfUnknownPrompts: 0 }],
    sourceOf: new Uint16Array(anchors),
    tokensIn: new Float32Array(anchors).fill(60),
    models: Array.from({ length: models }, (_, model) => outcomesOfModel(model, topics)),
  };
}

/** Models differ in ability, and each is strong on some topics. */
function outcomesOfModel(model: number, topics: Uint16Array): ModelOutcomes {
  const anchors = topics.length;
  const random = seededRandom(1_000 + model);
  const ability = 0.35 + 0.4 * random();
  const strength = Array.from({ length: TOPICS }, () => 0.3 * random());
  const name = syntheticModelName(model);
  return {
    model: name,
    originalNames: [name],
    anchors: Uint32Array.from({ length: anchors }, (_, anchor) => anchor),
    quality: Float32Array.from({ length: anchors }, (_, anchor) =>
      random() < ability + (strength[topics[anchor] ?? 0] ?? 0) ? 1 : 0,
    ),
    samples: new Uint16Array(anchors).fill(1),
    tokensOut: Float32Array.from({ length: anchors }, () => Math.round(2 ** (5 + 5 * random()))),
    costUsd: new Float32Array(anchors).fill(Number.NaN),
  };
}

export function syntheticModelName(model: number): string {
  return `synthetic-${String(model).padStart(4, "0")}`;
}
