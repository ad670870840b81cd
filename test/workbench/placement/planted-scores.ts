import { gatherEvidence } from "../../../src/engine/estimation/evidence.js";
import { seededRandom } from "../../../src/foundation/random.js";
import { buildProfileSet } from "../../../src/workbench/fitting/build-profile-set.js";
import type { PublishedScore } from "../../../src/workbench/outcomes/published-scores.js";
import { EMBEDDER, type PlantedWorld, plantWorld } from "../../engine/profiles/planted-set.js";
import { chance, normalOf } from "../statistics.js";

/** Models whose general ability and bent are known, with their answers and what was published of them. */
export interface ScoredWorld {
  readonly world: PlantedWorld;
  readonly scores: readonly PublishedScore[];
  readonly models: readonly string[];
}

const FAMILIES = ["ada", "bede", "cuvier", "darwin", "euler"];
const MODELS_A_FAMILY = 9;
/** How much the bent of a model counts on each topic, and on each benchmark. */
const TOPIC_BENTS = [1, 1, 0, 0, -1, -1];
const PUBLISHED = { source: "us", date: "2026-01-01", released: null, outputUsdPerMtok: null };
const BENCHMARKS = { essays: -1, exam: 0, proofs: 1, puzzles: 0.5 };

export function plantScoredWorld(seed: number): ScoredWorld {
  const random = seededRandom(seed);
  const normal = normalOf(random);
  const planted = FAMILIES.flatMap((family) => {
    const ofFamily = 0.5 * normal();
    return Array.from({ length: MODELS_A_FAMILY }, (_, index) => ({
      model: `${family}-${index + 1}`,
      general: ofFamily + 0.8 * normal(),
      bent: 0.6 * normal(),
    }));
  });
  const scores = planted.flatMap(({ model, general, bent }) =>
    Object.entries(BENCHMARKS).map(
      ([benchmark, weight]): PublishedScore => ({
        ...PUBLISHED,
        model,
        benchmark,
        score: chance(general + weight * bent + 0.8 * normal() - 0.3),
      }),
    ),
  );
  const world = plantWorld(
    planted.map(({ model, general, bent }) => ({
      model,
      skill: TOPIC_BENTS.map((weight) => chance(general + weight * bent)),
      tokensOut: 200,
    })),
    { prompts: 240, seed },
  );
  return { world, scores, models: planted.map(({ model }) => model) };
}

/** Builds the set of some of the world's models. */
export async function buildScored(
  { world, scores }: ScoredWorld,
  { folder, includes }: { readonly folder: string; readonly includes: (model: string) => boolean },
): Promise<void> {
  const models = world.table.models.filter(({ model }) => includes(model));
  const parts = { table: { ...world.table, models }, vectors: world.vectors, embedder: EMBEDDER };
  await buildProfileSet(
    { ...parts, scores: scores.filter(({ model }) => includes(model)) },
    { folder, name: "planted", builtAt: "2026-01-01T00:00:00Z", seed: 7, gather: gatherEvidence },
  );
}
