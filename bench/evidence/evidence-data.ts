import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publishedScores, type ScoreLine } from "../../datasets/scores/published-scores.js";
import { planBuild } from "../../src/cli/profile/sources.js";
import { findSetFolders } from "../quality/options.js";
import { sampleByHash } from "../quality/outcomes/split.js";
import { loadSparseSet, type SparseSet, takePrompts } from "./sparse-set.js";

/** All data that the profiles are built from. */
export interface EvidenceData {
  /** Outcomes of models of 2023 and 2024, and of some later ones. */
  readonly old: readonly SparseSet[];
  /** Outcomes of models of 2025 and 2026. */
  readonly current: readonly SparseSet[];
  readonly scores: readonly ScoreLine[];
  /** Outcomes that nothing that ships is built from; only those asked for. */
  readonly measured: readonly SparseSet[];
}

/** Says which rows of a set the shipped profiles are built from. */
const DEFAULT_SET = fileURLToPath(new URL("../../datasets/default-set.json", import.meta.url));

/** Used for measurement only, because its licence does not allow shipping what is built from it. */
const MEASURED_ONLY = ["routerbench_subset"];

export interface LoadEvidenceOptions {
  /** Names of sets that are read although only measured: they are kept apart, in `measured`. */
  readonly sets?: readonly string[] | undefined;
  /** Maximum number of prompts of each set, chosen by hash; for tests of the suite. */
  readonly promptsPerSet?: number | undefined;
}

/**
 * Reads `<folder>/routing` and `<folder>/routing-current`; of the sources of the shipped profiles the rows that these are built from.
 *
 * @throws Error that names the folder that is missing, and OutcomeDataError at the first fault of a file
 */
export async function loadOutcomeSets(
  folder: string,
  { promptsPerSet, sets: named = [] }: LoadEvidenceOptions = {},
): Promise<Omit<EvidenceData, "scores">> {
  const { sources } = await planBuild({ config: DEFAULT_SET, out: "" });
  const planOf = new Map(sources.map((source) => [source.name, source]));
  const measured: SparseSet[] = [];
  const load = async (name: string): Promise<SparseSet[]> => {
    const sets: SparseSet[] = [];
    for (const source of await findSetFolders(requireFolder(join(folder, name)))) {
      const isMeasuredOnly = MEASURED_ONLY.includes(source.name);
      if (isMeasuredOnly && !named.includes(source.name)) continue;
      const { only, lengths } = planOf.get(source.name) ?? {};
      const set = await loadSparseSet({ ...source, only, lengths });
      (isMeasuredOnly ? measured : sets).push(
        promptsPerSet === undefined
          ? set
          : takePrompts(set, sampleByHash(set.prompts, promptsPerSet, "sextant-evidence")),
      );
    }
    return sets;
  };
  return { old: await load("routing"), current: await load("routing-current"), measured };
}

/** The outcome sets, and `<folder>/published-scores`. @throws as `loadOutcomeSets` */
export async function loadEvidenceData(
  folder: string,
  options: LoadEvidenceOptions = {},
): Promise<EvidenceData> {
  return {
    ...(await loadOutcomeSets(folder, options)),
    scores: await publishedScores(requireFolder(join(folder, "published-scores"))),
  };
}

function requireFolder(folder: string): string {
  if (existsSync(folder)) return folder;
  throw new Error(
    `${folder} is not there; give --data the folder that holds routing, routing-current and published-scores.`,
  );
}

/** Patterns of published benchmarks with the same questions as a set, which would reveal its results. */
const SAME_BENCHMARK: Readonly<Record<string, RegExp>> = {
  openhands_index: /swe-?bench|openhands|swt-bench/i,
  bullshit_v1: /bullshit/i,
  svelte_bench: /svelte/i,
  longform_writing: /longform|eq-?bench/i,
  pm_hallucination: /pm.?hallucination/i,
  trick_questions: /trick/i,
  textclass: /textclass/i,
  zoonk_evals: /zoonk/i,
  misguided_attention: /misguided/i,
  mmlu_pro: /mmlu[-_ ]?pro/i,
  zeroeval: /gsm-?8?k|math-?l5|\bmath$|crux|numersense|zebra/i,
  llmrouter_ulab:
    /gsm-?8?k|\bmath$|humaneval|mbpp|mmlu$|gpqa|triviaqa|natural.?q|commonsense|arc-c|openbook|commongen|mgsm/i,
};

/** Whether a published benchmark has the same questions as an outcome set. */
export const isSameBenchmark = (benchmark: string, set: string): boolean =>
  SAME_BENCHMARK[set]?.test(benchmark) ?? false;

/** Scores without those of any of the sets' own benchmarks. */
export const withoutOwnBenchmarks = (scores: readonly ScoreLine[], sets: readonly string[]): ScoreLine[] =>
  scores.filter(({ benchmark }) => !sets.some((set) => isSameBenchmark(benchmark, set)));
