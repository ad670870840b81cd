import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Embedder } from "../../../src/engine/embedding/embedder.js";
import { gatherEvidence } from "../../../src/engine/estimation/evidence.js";
import { loadProfileSet } from "../../../src/engine/profiles/load.js";
import type { ModelLookup } from "../../../src/engine/router/candidate.js";
import { createRouter, type Router } from "../../../src/engine/router/router.js";
import { buildFromOutcomes } from "../../../src/workbench/fitting/build-from-outcomes.js";
import type { OutcomeRows } from "../outcomes/outcome-rows.js";

export interface ShippedOptions {
  readonly name: string;
  readonly embedder: Embedder;
  readonly seed: number;
  /** Prices decisions reckon with, by original model name. */
  readonly lookup: ModelLookup;
  readonly signal?: AbortSignal | undefined;
}

/** Leaves cells out of what is learned: false = this model was not scored on this row. */
export type Observed = (row: number, model: number) => boolean;

interface TrainingOptions extends ShippedOptions {
  readonly observed?: Observed;
}

/**
 * Opens the shipped router: profile set built by the real builder from training rows, loaded and served by the real
 * router. It is in memory when this returns; the build folder is removed.
 */
export function openShipped(training: OutcomeRows, options: TrainingOptions): Promise<Router> {
  return withShippedSet(training, { ...options, use: (folder) => openSet(folder, options) });
}

/** Builds a profile set by the real builder from training rows. @param options.use is called with its folder, which is removed afterwards */
export async function withShippedSet<Result>(
  training: OutcomeRows,
  options: TrainingOptions & { readonly use: (folder: string) => Promise<Result> },
): Promise<Result> {
  const { name, embedder, seed, signal } = options;
  const folder = await mkdtemp(join(tmpdir(), "sextant-bench-"));
  try {
    await writeCanonical(training, folder, options.observed);
    const source = { name, licence: null, commit: null, url: null, prompts: [folder], outcomes: [folder] };
    const built = join(folder, "set");
    await buildFromOutcomes([source], {
      ...{ name, embedder, seed, folder: built },
      gather: gatherEvidence,
      builtAt: "2000-01-01T00:00:00Z",
      ...(signal === undefined ? {} : { signal }),
    });
    return await options.use(built);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The router of a set on disk, as it is shipped. */
export async function openSet(
  folder: string,
  { embedder, lookup }: Pick<ShippedOptions, "embedder" | "lookup">,
): Promise<Router> {
  const { set } = await loadProfileSet(folder, { embedder });
  return createRouter({ embedder, sets: [set], lookup, clock: () => performance.now() });
}

async function writeCanonical(
  rows: OutcomeRows,
  folder: string,
  observed: Observed = () => true,
): Promise<void> {
  const promptLines = rows.prompts.map(({ id, benchmark, category, text }) =>
    JSON.stringify({ id, benchmark, category, prompt: text }),
  );
  await writeFile(join(folder, "prompts.jsonl"), promptLines.join("\n"));
  const outcomeLines: string[] = [];
  const width = rows.models.length;
  rows.prompts.forEach(({ id }, row) => {
    rows.models.forEach((model, column) => {
      if (!observed(row, column)) return;
      const cell = row * width + column;
      // NaN becomes null, which is how the layout says "not known".
      const [score, tokens_in, tokens_out, cost_usd] = [
        rows.quality[cell],
        rows.tokensIn[cell],
        rows.tokensOut[cell],
        rows.costUsd[cell],
      ];
      outcomeLines.push(JSON.stringify({ id, model, score, tokens_in, tokens_out, cost_usd }));
    });
  });
  await writeFile(join(folder, "outcomes.jsonl"), outcomeLines.join("\n"));
}
