import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Embedder } from "../../../src/engine/embedding/embedder.js";
import type { AnchorSet } from "../../../src/engine/estimation/anchor-set.js";
import { type Evidence, gatherEvidence } from "../../../src/engine/estimation/evidence.js";
import { type LoadedSet, loadProfileSet } from "../../../src/engine/profiles/load.js";
import type { ModelFacts } from "../../../src/engine/router/candidate.js";
import { type AnchorVectors, quantise } from "../../../src/engine/search/anchor-vectors.js";
import { seededRandom } from "../../../src/foundation/random.js";
import { buildProfileSet } from "../../../src/workbench/fitting/build-profile-set.js";
import type { ModelOutcomes, OutcomeTable } from "../../../src/workbench/fitting/outcome-table.js";
import { gaussian, unit } from "../../contracts/clustered-vectors.js";

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
  /** It was scored on this many prompts, the first ones; on all when absent. */
  readonly scoredFirst?: number;
  readonly tokensOut?: number;
  readonly costUsd?: number;
}

export const DIMENSIONS = 32;
const TOPICS = 6;
/** Of a prompt about its topic, in each dimension. */
const NOISE = 0.12;

export const EMBEDDER = { id: "planted", fingerprint: "ab".repeat(32) };

/** @param options.prompts number of prompts, shared out evenly over the topics */
export function plantWorld(
  models: readonly PlantedModel[],
  options: { readonly prompts: number; readonly seed: number },
): PlantedWorld {
  const random = seededRandom(options.seed);
  // At right angles: each has dimensions of its own.
  const topics = Array.from({ length: TOPICS }, (_, topic) =>
    unit(Float32Array.from({ length: DIMENSIONS }, (_, d) => Number(d % TOPICS === topic))),
  );
  const topicOf = Array.from({ length: options.prompts }, (_, prompt) => prompt % TOPICS);
  const rows = new Float32Array(options.prompts * DIMENSIONS);
  topicOf.forEach((topic, prompt) => {
    const noise = gaussian(DIMENSIONS, random);
    rows.set(
      unit((topics[topic] as Float32Array).map((value, d) => value + NOISE * (noise[d] as number))),
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
  { model, skill, scoredOn, scoredFirst = Number.POSITIVE_INFINITY, tokensOut, costUsd }: PlantedModel,
  { topicOf, random }: { readonly topicOf: readonly number[]; readonly random: () => number },
): ModelOutcomes {
  const scored = [...topicOf.keys()].filter(
    (prompt) => prompt < scoredFirst && (scoredOn?.includes(topicOf[prompt] as number) ?? true),
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

/** Builds the world's set in the folder `planted` of this one, and returns that. To try kernels takes longest. */
export async function buildPlanted(
  world: PlantedWorld,
  parent: string,
  { gather = gatherEvidence }: { readonly gather?: typeof gatherEvidence } = {},
): Promise<string> {
  const folder = join(parent, "planted");
  const source = { table: world.table, vectors: world.vectors, embedder: EMBEDDER };
  const settings = { name: "planted", builtAt: "2026-01-01T00:00:00Z", seed: 7, tuning: "defaults" } as const;
  await buildProfileSet(source, { ...settings, folder, gather });
  return folder;
}

/** The set of the world as it is loaded. Nothing of it is left on disk. */
export async function loadedPlanted(world: PlantedWorld): Promise<LoadedSet> {
  const scratch = await mkdtemp(join(tmpdir(), "sextant-planted-"));
  try {
    return await loadProfileSet(await buildPlanted(world, scratch), { embedder: EMBEDDER });
  } finally {
    await rm(scratch, { recursive: true });
  }
}

export const loadPlanted = async (world: PlantedWorld): Promise<AnchorSet> =>
  (await loadedPlanted(world)).set;

/** What the set says of a prompt with this vector. */
export function evidenceAt(set: AnchorSet, vector: Float32Array): Evidence {
  return gatherEvidence(set, set.index.search(vector, set.parameters.neighbours));
}

/** `topic 3` lies at the centre of topic 3, `topic 3, prompt 17` near it, `far 1` on the other side of all topics. */
export function plantedVector({ topics }: PlantedWorld, text: string): Float32Array {
  const [, kind, number, prompt] = /\b(topic|far) (\d+)(?:, prompt (\d+))?/.exec(text) ?? [];
  if (kind === undefined) return new Float32Array(DIMENSIONS);
  const opposite = (d: number) => -topics.reduce((sum, one) => sum + (one[d] ?? 0), 0);
  const centre =
    kind === "topic"
      ? (topics[Number(number)] as Float32Array)
      : unit(Float32Array.from({ length: DIMENSIONS }, (_, d) => opposite(d)));
  const seed = kind === "topic" ? prompt : number;
  if (seed === undefined) return centre;
  const noise = gaussian(DIMENSIONS, seededRandom(Number(seed) + 1000));
  return unit(centre.map((value, d) => value + NOISE * (noise[d] as number)));
}

/** An embedder of the prompts that `plantedVector` knows. Others have a vector of zeros. */
export const plantedEmbedder = (world: PlantedWorld): Embedder => ({
  ...EMBEDDER,
  dimensions: DIMENSIONS,
  embed: async (texts) => texts.map((text) => plantedVector(world, text)),
  close: async () => {},
});

/** The facts of a model at these prices in dollars per million tokens; without a price where none is given. */
export const factsAt = (
  inputUsdPerMtok?: number,
  outputUsdPerMtok = 4 * (inputUsdPerMtok ?? 0),
): ModelFacts => ({
  provider: "acme",
  price: inputUsdPerMtok === undefined ? null : { inputUsdPerMtok, outputUsdPerMtok },
  contextTokens: null,
  capabilities: { images: null, tools: null },
});
