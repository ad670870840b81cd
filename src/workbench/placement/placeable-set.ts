import { join } from "node:path";
import {
  ABILITIES_FILE,
  ANCHORS_FILE,
  FACTS_FILE,
  ProfileSetError,
  readChecked,
  readManifest,
  readProfiles,
  readVectors,
} from "../../engine/index.js";
import type { AnchorFacts } from "../../engine/profiles/assemble.js";
import type { ReadProfile } from "../../engine/profiles/load.js";
import type { Manifest } from "../../engine/profiles/manifest.js";
import type { AnchorVectors } from "../../engine/search/anchor-vectors.js";
import { decodeSections } from "../../foundation/section-file.js";
import { type Abilities, decodeAbilities } from "../fitting/abilities-file.js";
import type { AnchorTable } from "../fitting/model-profiles.js";

/** A set with the data needed to place a model in it. */
export interface PlaceableSet {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly anchorsSha256: string;
  readonly vectors: AnchorVectors;
  readonly facts: AnchorFacts;
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
  const [vectorBytes, factBytes, abilityBytes] = await Promise.all([
    readChecked(folder, { file: ANCHORS_FILE, manifest }),
    readChecked(folder, { file: FACTS_FILE, manifest }),
    readChecked(folder, { file: ABILITIES_FILE, manifest }),
  ]);
  const vectors = readVectors(decodeSections(vectorBytes, ANCHORS_FILE), manifest);
  const facts = decodeSections(factBytes, FACTS_FILE).sections as unknown as AnchorFacts;
  const table = tableOf(manifest, facts);
  return {
    folder,
    manifest,
    anchorsSha256: anchors.sha256,
    vectors,
    facts,
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
