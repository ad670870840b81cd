import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Embedder } from "../../src/embedding/embedder.js";
import { buildFromOutcomes } from "../../src/profiles/build/build-from-outcomes.js";
import { loadProfileSet } from "../../src/profiles/load.js";
import type { ModelFacts } from "../../src/router/candidate.js";
import { gatherEvidence } from "../../src/router/evidence.js";
import { createRouter, type Router } from "../../src/router/router.js";
import type { BenchPrompt, PromptOutcomes, SplitSet } from "./outcome-set.js";

const PROMPTS_AT_ONCE = 256;
const UNKNOWN: ModelFacts = {
  provider: null,
  price: null,
  contextTokens: null,
  capabilities: { images: null, tools: null },
};

export interface ShippedResult {
  /** Expected quality of the real router at cost weight 0, `[test × models]`, in the set's model order. */
  readonly predicted: Float64Array;
  /** Index of the model that was selected, `[test]`. */
  readonly selected: Int32Array;
}

/** Builds a profile set from the training part into a temporary folder and routes the test part by the real router. */
export async function routeByShippedPath(
  set: SplitSet,
  options: { readonly embedder: Embedder; readonly seed: number },
): Promise<ShippedResult> {
  const folder = await mkdtemp(join(tmpdir(), "sextant-bench-"));
  try {
    const router = await buildRouter(set, { ...options, folder });
    return await routeAll(router, set);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function buildRouter(
  { name, train }: SplitSet,
  options: { readonly embedder: Embedder; readonly seed: number; readonly folder: string },
): Promise<Router> {
  const { embedder, seed, folder } = options;
  await writeCanonical(train, folder);
  const facts = { licence: null, commit: null, url: null };
  await buildFromOutcomes([{ name, ...facts, prompts: [folder], outcomes: [folder] }], {
    ...{ name, embedder, seed, folder: join(folder, "set"), scratchDir: folder },
    gather: gatherEvidence,
    builtAt: "2000-01-01T00:00:00Z",
  });
  const { set } = await loadProfileSet(join(folder, "set"), {
    embedder,
    hasPrice: () => false,
    scratchDir: folder,
  });
  return createRouter({ embedder, sets: [set], lookup: () => UNKNOWN, clock: () => performance.now() });
}

async function writeCanonical({ prompts, models, quality }: PromptOutcomes, folder: string): Promise<void> {
  const promptLines = prompts.map(({ id, benchmark, category, text }) =>
    JSON.stringify({ id, benchmark, category, prompt: text }),
  );
  const outcomeLines = prompts.flatMap(({ id }, row) =>
    models.map((model, column) =>
      JSON.stringify({ id, model, score: quality[row * models.length + column] }),
    ),
  );
  await writeFile(join(folder, "prompts.jsonl"), promptLines.join("\n"));
  await writeFile(join(folder, "outcomes.jsonl"), outcomeLines.join("\n"));
}

async function routeAll(router: Router, { test }: SplitSet): Promise<ShippedResult> {
  const columns = new Map(test.models.map((model, column) => [model, column]));
  const predicted = new Float64Array(test.quality.length);
  const selected = new Int32Array(test.prompts.length);
  for (let start = 0; start < test.prompts.length; start += PROMPTS_AT_ONCE) {
    const decisions = await router.routeMany(
      test.prompts.slice(start, start + PROMPTS_AT_ONCE).map(requestFor),
    );
    for (const [offset, { selectedModel, candidates }] of decisions.entries()) {
      selected[start + offset] = columns.get(selectedModel) ?? -1;
      for (const { model, expectedQuality } of candidates) {
        predicted[(start + offset) * columns.size + (columns.get(model) ?? 0)] = expectedQuality;
      }
    }
  }
  return { predicted, selected };
}

function requestFor({ text }: BenchPrompt) {
  return { messages: [{ role: "user" as const, content: text }], costWeight: 0 };
}
