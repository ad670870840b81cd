import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Embedder } from "../../../src/engine/embedding/embedder.js";
import type { AnchorSet } from "../../../src/engine/estimation/anchor-set.js";
import { type Evidence, gatherEvidence } from "../../../src/engine/estimation/evidence.js";
import { loadProfileSet } from "../../../src/engine/profiles/load.js";
import type { ModelFacts } from "../../../src/engine/router/candidate.js";
import { createRouter, type Router } from "../../../src/engine/router/router.js";
import { seededRandom } from "../../../src/foundation/random.js";
import { buildFromOutcomes } from "../../../src/workbench/fitting/build-from-outcomes.js";

/** A user's own small set: files of prompts in categories and of outcomes, built as `sextant profile build` does. */
export interface PlantedFiles {
  readonly name: string;
  readonly seed: number;
  readonly categories: number;
  readonly promptsACategory: number;
  readonly models: readonly PlantedRater[];
}

export interface PlantedRater {
  readonly model: string;
  /** Chance of a right answer on a prompt of each category. */
  readonly quality: readonly number[];
  /** Prompts it was scored on; all when absent. */
  readonly scoredOn?: (prompt: number) => boolean;
  /** Dollars for a million tokens of answer; none when absent. */
  readonly priceUsd?: number;
}

export interface PlantedSet {
  readonly set: AnchorSet;
  /** Mean of a model's scores in each category, NaN without any. */
  readonly measured: (model: string) => number[];
}

const DIMENSIONS = 32;
const NOISE = 0.12;
const TOKENS_OUT = 300;

/**
 * `category 3 prompt 17` lies near the centre of category 3, its own place for every prompt; `far …` lies where no
 * category is.
 */
const plantedEmbedder: Embedder = {
  id: "planted-text",
  fingerprint: "cd".repeat(32),
  dimensions: DIMENSIONS,
  embed: async (texts) => texts.map(vectorOf),
  close: async () => {},
};

function vectorOf(text: string): Float32Array {
  const [, category, prompt] = /category (\d+) prompt (\d+)/.exec(text) ?? [];
  if (category === undefined) return unit(gaussian(hashOf(text), { scale: 1, from: DIMENSIONS / 2 }));
  const centre = unit(gaussian(1000 + Number(category), { scale: 1, to: DIMENSIONS / 2 }));
  const noise = gaussian(hashOf(`${category} ${prompt}`), { scale: NOISE });
  return unit(centre.map((value, d) => value + (noise[d] as number)));
}

/** Builds the set, and loads it; nothing of it is left on disk. */
export async function buildPlantedFiles(planted: PlantedFiles): Promise<PlantedSet> {
  const scratch = await mkdtemp(join(tmpdir(), "sextant-files-"));
  try {
    return await buildIn(scratch, planted);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function buildIn(scratch: string, planted: PlantedFiles): Promise<PlantedSet> {
  const random = seededRandom(planted.seed);
  const prompts = Array.from({ length: planted.categories * planted.promptsACategory }, (_, prompt) => ({
    id: `p${prompt}`,
    benchmark: planted.name,
    category: `category-${prompt % planted.categories}`,
    prompt: `category ${prompt % planted.categories} prompt ${prompt}`,
  }));
  const outcomes = planted.models.flatMap(({ model, quality, scoredOn }) =>
    prompts.flatMap(({ id }, prompt) => {
      const isRight = random() < (quality[prompt % planted.categories] as number);
      if (scoredOn?.(prompt) === false) return [];
      return [{ id, model, score: isRight ? 1 : 0, tokens_out: TOKENS_OUT }];
    }),
  );
  const files = join(scratch, "files");
  await mkdir(files);
  await writeFile(join(files, "prompts.jsonl"), lines(prompts));
  await writeFile(join(files, "outcomes.jsonl"), lines(outcomes));
  const source = {
    name: planted.name,
    licence: null,
    commit: null,
    url: null,
    prompts: [files],
    outcomes: [files],
  };
  const folder = join(scratch, planted.name);
  await buildFromOutcomes([source], {
    name: planted.name,
    folder,
    embedder: plantedEmbedder,
    gather: gatherEvidence,
    seed: 7,
    builtAt: "2026-01-01T00:00:00Z",
  });
  const { set } = await loadProfileSet(folder, {
    embedder: plantedEmbedder,
  });
  return {
    set,
    measured: (model) =>
      Array.from({ length: planted.categories }, (_, category) => {
        const scores = outcomes.filter(
          (row) => row.model === model && Number(row.id.slice(1)) % planted.categories === category,
        );
        return scores.reduce((sum, { score }) => sum + score, 0) / scores.length;
      }),
  };
}

/** A router over the sets, where models have the prices that were planted. */
export function routerOver(sets: readonly AnchorSet[], models: readonly PlantedRater[]): Router {
  const lookup = (name: string): ModelFacts => {
    const price = models.find(({ model }) => model === name)?.priceUsd;
    return {
      provider: "planted",
      price: price === undefined ? null : { inputUsdPerMtok: price / 4, outputUsdPerMtok: price },
      contextTokens: null,
      capabilities: { images: null, tools: null },
    };
  };
  return createRouter({ embedder: plantedEmbedder, sets, lookup, clock: () => 0 });
}

export function evidenceFor(set: AnchorSet, text: string): Evidence {
  const vector = vectorOf(text);
  return gatherEvidence(set, vector, set.index.search(vector, set.parameters.neighbours));
}

const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193);
  return hash >>> 0;
}

/** Normal numbers at the places `from … to − 1`, zero elsewhere. */
function gaussian(
  seed: number,
  {
    scale,
    from = 0,
    to = DIMENSIONS,
  }: { readonly scale: number; readonly from?: number; readonly to?: number },
): Float32Array {
  const random = seededRandom(seed);
  return Float32Array.from({ length: DIMENSIONS }, (_, d) => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return d >= from && d < to ? scale * normal : 0;
  });
}

function unit(vector: Float32Array): Float32Array {
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}
