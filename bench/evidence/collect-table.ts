import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ScoreLine } from "../../datasets/scores/published-scores.js";
import { collectOutcomes } from "../../src/workbench/fitting/collect.js";
import type { OutcomeTable } from "../../src/workbench/fitting/outcome-table.js";
import type { PublishedScore } from "../../src/workbench/outcomes/published-scores.js";
import { writeSparseSet } from "./build-router.js";
import type { SparseSet } from "./sparse-set.js";

/** The builder's own table of some sets. Prompts are named `set:id`. */
export async function collectTable(sets: readonly SparseSet[]): Promise<OutcomeTable> {
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
    return await collectOutcomes(sources);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A line of the canonical file as the builder reads it. */
export const publishedScoreOf = ({
  output_usd_per_mtok: outputUsdPerMtok,
  ...line
}: ScoreLine): PublishedScore => ({
  ...line,
  outputUsdPerMtok,
});
