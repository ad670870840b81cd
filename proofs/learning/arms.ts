import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Embedder } from "../../src/engine/embedding/embedder.js";
import { gatherEvidence } from "../../src/engine/estimation/evidence.js";
import { loadProfileSet } from "../../src/engine/profiles/load.js";
import { createRouter } from "../../src/engine/router/router.js";
import { buildFromOutcomes } from "../../src/workbench/fitting/build-from-outcomes.js";
import { collectOutcomes } from "../../src/workbench/fitting/collect.js";
import { embedPrompts } from "../../src/workbench/fitting/embed-prompts.js";
import { extendSet } from "../../src/workbench/learning/extend-set.js";
import type { Served } from "./traffic.js";
import { type World, type WorldAnswer, writeOutcomes } from "./world.js";

const NO_ORIGIN = { licence: null, commit: null, url: null };
const BUILT_AT = "2000-01-01T00:00:00Z";

export interface ArmOptions {
  readonly embedder: Embedder;
  /** Folder of the set to write. */
  readonly folder: string;
}

/** Builds a set from every model's answer to every prompt that is profiled, as `sextant profile build` does. */
export async function buildSet({ models, profiled }: World, { embedder, folder }: ArmOptions): Promise<void> {
  const answers = profiled.flatMap((prompt) => models.map((_, model) => ({ prompt, model })));
  const files = await writeOutcomes(models, answers);
  await buildFromOutcomes([{ ...NO_ORIGIN, name: "profiled", prompts: [files], outcomes: [files] }], {
    ...{ name: "bench", embedder, seed: 0, folder, tuning: "defaults", builtAt: BUILT_AT },
    gather: gatherEvidence,
  });
  await rm(files, { recursive: true });
}

/** The answers of traffic, each prompt and model once. */
export function distinctAnswers(served: readonly Served[]): Served[] {
  const seen = new Map<string, Served>();
  for (const each of served) {
    const key = `${each.prompt.id} ${each.model}`;
    const before = seen.get(key);
    if (before === undefined || before.probability < each.probability) seen.set(key, each);
  }
  return [...seen.values()];
}

/** Extends a set by the answers of traffic, as `sextant profile from-traces --update` does. */
export async function learnSet(
  { models }: World,
  { from, answers }: { readonly from: string; readonly answers: readonly WorldAnswer[] },
  { embedder, folder }: ArmOptions,
): Promise<void> {
  const files = await writeOutcomes(models, answers);
  const source = { ...NO_ORIGIN, name: "traffic", prompts: [files], outcomes: [files] };
  const table = await collectOutcomes([source]);
  const { vectors, tiers } = await embedPrompts(
    { sources: [source], promptIds: table.promptIds, embedder },
    { checkpointFile: join(files, "checkpoint") },
  );
  await extendSet(
    from,
    { table, vectors, tiers },
    { folder, name: "learned", sourceName: "traffic", embedder, builtAt: BUILT_AT, seed: 0 },
  );
  await rm(files, { recursive: true });
}

export async function openSet(folder: string, { lookup }: World, embedder: Embedder) {
  const { set } = await loadProfileSet(folder, { embedder });
  const router = createRouter({ embedder, sets: [set], lookup, clock: () => performance.now() });
  return { set, router };
}
