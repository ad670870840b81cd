import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gatherEvidence } from "../../../src/engine/estimation/evidence.js";
import { type AnchorVectors, quantise } from "../../../src/engine/search/anchor-vectors.js";
import { seededRandom } from "../../../src/foundation/random.js";
import { buildProfileSet } from "../../../src/workbench/fitting/build-profile-set.js";
import type { ModelOutcomes, OutcomeTable } from "../../../src/workbench/fitting/outcome-table.js";

/** A small world whose truth is known: prompts of some topics, and models that are good at some of them. */
export interface PlantedWorld {
  readonly table: OutcomeTable;
  readonly vectors: AnchorVectors;
  /** Unit vector at the centre of each topic. */
  readonly topics: readonly Float32Array[];
}

export interface PlantedModel {
  readonly model: string;
  /** Chance of a right answer per topic, before the prompt's own difficulty. */
  readonly skill: readonly number[];
  /** Topics it was scored on; all when absent. */
  readonly scoredOn?: readonly number[];
  readonly tokensOut?: number;
  readonly costUsd?: number;
}

export const DIMENSIONS = 32;
const TOPICS = 6;

export const EMBEDDER = { id: "planted", fingerprint: "ab".repeat(32) };

/** @param options.prompts number of prompts, shared out evenly over the topics */
export function plantWorld(
  models: readonly PlantedModel[],
  options: { readonly prompts: number; readonly seed: number },
): PlantedWorld {
  const random = seededRandom(options.seed);
  const topics = Array.from({ length: TOPICS }, () => unit(gaussian(random, 1)));
  const topicOf = Array.from({ length: options.prompts }, (_, prompt) => prompt % TOPICS);
  const rows = new Float32Array(options.prompts * DIMENSIONS);
  topicOf.forEach((topic, prompt) => {
    const noise = gaussian(random, 0.12);
    rows.set(
      unit((topics[topic] as Float32Array).map((value, d) => value + (noise[d] as number))),
      prompt * DIMENSIONS,
    );
  });
  const columns = [...models]
    .sort((a, b) => (a.model < b.model ? -1 : 1))
    .map((model) => outcomesOf(model, { topicOf, random }));
  const table: OutcomeTable = {
    promptIds: topicOf.map((_, prompt) => `planted:${prompt}`),
    benchmarks: Array.from({ length: TOPICS }, (_, topic) => `topic-${topic}`),
    benchmarkOf: Uint16Array.from(topicOf),
    topics: Array.from({ length: TOPICS }, (_, topic) => `topic-${topic}`),
    topicOf: Uint16Array.from(topicOf),
    sources: [
      {
        name: "planted",
        licence: "CC0-1.0",
        commit: null,
        url: null,
        anchors: options.prompts,
        promptsWithoutScore: 0,
        rows: 0,
        rowsOfUnknownPrompts: 0,
      },
    ],
    sourceOf: new Uint16Array(options.prompts),
    tokensIn: new Float32Array(options.prompts).fill(40),
    models: columns,
  };
  return { table, vectors: quantise(rows, DIMENSIONS), topics };
}

function outcomesOf(
  { model, skill, scoredOn, tokensOut, costUsd }: PlantedModel,
  { topicOf, random }: { readonly topicOf: readonly number[]; readonly random: () => number },
): ModelOutcomes {
  const scored = [...topicOf.keys()].filter(
    (prompt) => scoredOn?.includes(topicOf[prompt] as number) ?? true,
  );
  return {
    model,
    originalNames: [model],
    anchors: Uint32Array.from(scored),
    quality: Float32Array.from(scored, (prompt) =>
      random() < (skill[topicOf[prompt] as number] as number) ? 1 : 0,
    ),
    samples: new Uint16Array(scored.length).fill(1),
    tokensOut: new Float32Array(scored.length).fill(tokensOut ?? Number.NaN),
    costUsd: new Float32Array(scored.length).fill(costUsd ?? Number.NaN),
  };
}

/** Builds the world's set in a new temporary folder and returns that folder. */
export async function buildPlanted(world: PlantedWorld, name = "planted"): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), "sextant-planted-"));
  const folder = join(scratch, name);
  await buildProfileSet(
    { table: world.table, vectors: world.vectors, embedder: EMBEDDER },
    { folder, name, builtAt: "2026-01-01T00:00:00Z", seed: 7, gather: gatherEvidence },
  );
  return folder;
}

function gaussian(random: () => number, scale: number): Float32Array {
  return Float32Array.from(
    { length: DIMENSIONS },
    () => scale * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
}

function unit(vector: Float32Array): Float32Array {
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}
