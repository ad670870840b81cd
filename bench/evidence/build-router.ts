import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ScoreLine } from "../../datasets/scores/published-scores.js";
import { createCatalog } from "../../src/engine/catalog/catalog.js";
import { describeModel } from "../../src/engine/catalog/describe-model.js";
import type { Embedder } from "../../src/engine/embedding/embedder.js";
import { gatherEvidence } from "../../src/engine/estimation/evidence.js";
import { loadProfileSet } from "../../src/engine/profiles/load.js";
import type { ModelFacts, ModelLookup } from "../../src/engine/router/candidate.js";
import { createRouter, type Router } from "../../src/engine/router/router.js";
import { buildFromOutcomes } from "../../src/workbench/fitting/build-from-outcomes.js";
import { PRICES_AT } from "../quality/load-set.js";
import type { SparseSet } from "./sparse-set.js";

/** What is known of models beside their scores, as in a build by the command line. */
export const CATALOG = createCatalog({ providers: [], deployments: [], prices: {} }, { at: PRICES_AT });

/** Facts without price, context window and provider, so that only the profiles decide. */
export const UNKNOWN_FACTS: ModelFacts = {
  provider: null,
  price: null,
  contextTokens: null,
  capabilities: { images: null, tools: null },
};

export interface BuildRouterOptions {
  readonly embedder: Embedder;
  readonly scores?: readonly ScoreLine[];
  /** `defaults` skips the search for the best parameters, which takes most of a build's time. */
  readonly tuning: "full" | "defaults";
  readonly seed: number;
  readonly signal?: AbortSignal | undefined;
  /** Called repeatedly with the builder's stage. */
  readonly onStep?: (step: string) => void;
  /** What the router knows of models; default: nothing. */
  readonly lookup?: ModelLookup;
}

/** Builds a set from outcomes and scores with the real builder and opens the real router. Closing it closes the embedder. */
export async function buildRouter(sets: readonly SparseSet[], options: BuildRouterOptions): Promise<Router> {
  const { embedder, scores = [], tuning, seed, signal, onStep } = options;
  const { lookup = () => UNKNOWN_FACTS } = options;
  const folder = await mkdtemp(join(tmpdir(), "sextant-bench-"));
  try {
    const sources = [];
    for (const set of sets) {
      const setFolder = join(folder, set.name);
      await writeSparseSet(set, setFolder);
      const facts = {
        name: set.name,
        licence: null,
        commit: null,
        url: null,
        lengths: set.lengths ?? "total",
      };
      sources.push({ ...facts, prompts: [setFolder], outcomes: [setFolder] });
    }
    const scoresFile = join(folder, "scores.jsonl");
    await writeFile(scoresFile, scores.map((score) => JSON.stringify(score)).join("\n"));
    const built = join(folder, "set");
    await buildFromOutcomes(sources, {
      ...{ name: "bench", embedder, seed, folder: built, tuning },
      ...(scores.length > 0 ? { scores: [scoresFile] } : {}),
      gather: gatherEvidence,
      describe: (model) => describeModel(model, CATALOG.lookup),
      builtAt: "2000-01-01T00:00:00Z",
      ...(signal === undefined ? {} : { signal }),
      onProgress: (step) => onStep?.(step),
    });
    const { set } = await loadProfileSet(built, { embedder });
    return createRouter({ embedder, sets: [set], lookup, clock: () => performance.now() });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As files in the canonical layout, with catalog ids for names. */
export async function writeSparseSet({ prompts, cells }: SparseSet, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const promptLines = prompts.map(({ id, benchmark, category, text }) =>
    JSON.stringify({ id, benchmark, category: category === "" ? null : category, prompt: text }),
  );
  const outcomeLines = cells.map(({ prompt, model, score, samples, ...amounts }) =>
    JSON.stringify({
      ...{ id: prompts[prompt]?.id, model, score, n_samples: samples },
      ...{ tokens_in: amounts.tokensIn, tokens_out: amounts.tokensOut },
      ...{ tokens_reasoning: amounts.tokensReasoning, cost_usd: amounts.costUsd },
    }),
  );
  await writeFile(join(folder, "prompts.jsonl"), promptLines.join("\n"));
  await writeFile(join(folder, "outcomes.jsonl"), outcomeLines.join("\n"));
}
