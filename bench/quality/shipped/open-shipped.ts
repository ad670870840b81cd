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

/**
 * Opens the shipped router: profile set built by the real builder from training rows, loaded and served by the real
 * router. It is in memory when this returns; the build folder is removed.
 */
export async function openShipped(training: OutcomeRows, options: ShippedOptions): Promise<Router> {
  const { name, embedder, lookup, seed, signal } = options;
  const folder = await mkdtemp(join(tmpdir(), "sextant-bench-"));
  try {
    await writeCanonical(training, folder);
    const source = { name, licence: null, commit: null, url: null, prompts: [folder], outcomes: [folder] };
    const built = join(folder, "set");
    await buildFromOutcomes([source], {
      name,
      embedder,
      seed,
      folder: built,
      gather: gatherEvidence,
      builtAt: "2000-01-01T00:00:00Z",
      ...(signal === undefined ? {} : { signal }),
    });
    const { set } = await loadProfileSet(built, { embedder });
    return createRouter({ embedder, sets: [set], lookup, clock: () => performance.now() });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeCanonical(rows: OutcomeRows, folder: string): Promise<void> {
  const promptLines = rows.prompts.map(({ id, benchmark, category, text }) =>
    JSON.stringify({ id, benchmark, category, prompt: text }),
  );
  await writeFile(join(folder, "prompts.jsonl"), promptLines.join("\n"));
  const outcomeLines: string[] = [];
  const width = rows.models.length;
  rows.prompts.forEach(({ id }, row) => {
    rows.models.forEach((model, column) => {
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
