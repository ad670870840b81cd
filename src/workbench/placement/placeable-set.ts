import { join } from "node:path";
import {
  ABILITIES_FILE,
  ANCHORS_FILE,
  CLUSTERS_FILE,
  FACTS_FILE,
  ProfileSetError,
  readChecked,
  readManifest,
  readProfiles,
  readVectors,
  scanOf,
} from "../../engine/index.js";
import type { AnchorFacts, ClusterFacts } from "../../engine/profiles/assemble.js";
import type { ReadProfile } from "../../engine/profiles/load.js";
import type { Manifest } from "../../engine/profiles/manifest.js";
import type { AnchorVectors } from "../../engine/search/anchor-vectors.js";
import { decodeSections } from "../../foundation/section-file.js";
import { type Abilities, decodeAbilities } from "../fitting/abilities-file.js";
import { type AnchorMemberships, assignBySimilarity } from "../fitting/cluster-tables.js";
import { vectorSource } from "../fitting/clusters.js";
import type { AnchorTable } from "../fitting/model-profiles.js";

/** A set with the data needed to place a model in it. */
export interface PlaceableSet {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly anchorsSha256: string;
  readonly vectors: AnchorVectors;
  readonly facts: AnchorFacts;
  readonly clusters: ClusterFacts;
  readonly members: AnchorMemberships;
  readonly table: AnchorTable;
  readonly abilities: Abilities;
  readonly profiles: readonly ReadProfile[];
}

/** @throws ProfileSetError when the set cannot be used, or lacks the data to place models */
export async function openPlaceableSet(folder: string): Promise<PlaceableSet> {
  const manifest = await readManifest(folder);
  const anchors = manifest.files.find(({ path }) => path === ANCHORS_FILE);
  if (anchors === undefined || !manifest.files.some(({ path }) => path === ABILITIES_FILE)) {
    throw new ProfileSetError(
      `${join(folder, ABILITIES_FILE)} is missing, without which no model can be placed in the set. Build the set again.`,
    );
  }
  const [vectorBytes, factBytes, clusterBytes, abilityBytes] = await Promise.all([
    readChecked(folder, { file: ANCHORS_FILE, manifest }),
    readChecked(folder, { file: FACTS_FILE, manifest }),
    readChecked(folder, { file: CLUSTERS_FILE, manifest }),
    readChecked(folder, { file: ABILITIES_FILE, manifest }),
  ]);
  const vectors = readVectors(decodeSections(vectorBytes, ANCHORS_FILE), manifest);
  const facts = decodeSections(factBytes, FACTS_FILE).sections as unknown as AnchorFacts;
  const clusters = decodeSections(clusterBytes, CLUSTERS_FILE).sections as unknown as ClusterFacts;
  const resolutionStarts = manifest.clusters.resolution_starts;
  const table = tableOf(manifest, facts);
  return {
    folder,
    manifest,
    anchorsSha256: anchors.sha256,
    vectors,
    facts,
    clusters,
    members: assignBySimilarity(vectorSource(vectors), {
      resolutionStarts,
      similaritiesOf: scanOf(clusters, {
        clusters: resolutionStarts.at(-1) as number,
        dimensions: vectors.dimensions,
      }),
    }),
    table,
    abilities: decodeAbilities(abilityBytes),
    profiles: (await readProfiles(folder, { manifest })).read,
  };
}

function tableOf(manifest: Manifest, facts: AnchorFacts): AnchorTable {
  return {
    benchmarks: manifest.benchmarks,
    benchmarkOf: facts.benchmark,
    topics: manifest.topics,
    topicOf: facts.topic,
    sources: manifest.sources,
    // Anchors are numbered source by source.
    sourceOf: Uint16Array.from(
      manifest.sources.flatMap(({ anchors }, source) => Array<number>(anchors).fill(source)),
    ),
  };
}
