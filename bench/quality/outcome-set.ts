import { createHash } from "node:crypto";
import { findDataFiles } from "../../src/profiles/outcomes/find-files.js";
import { readOutcomes } from "../../src/profiles/outcomes/read-outcomes.js";
import { readPrompts } from "../../src/profiles/outcomes/read-prompts.js";

/** Prompts, and the quality of each model on each of them, without gaps. */
export interface PromptOutcomes {
  readonly prompts: readonly BenchPrompt[];
  /** Original model names. */
  readonly models: readonly string[];
  /** `[prompts × models]`, row-major, in [0, 1]. */
  readonly quality: Float64Array;
}

export interface BenchPrompt {
  readonly id: string;
  readonly benchmark: string;
  readonly category: string;
  readonly text: string;
}

/** One set in two parts, as every router of the bench sees it. */
export interface SplitSet {
  readonly name: string;
  readonly train: PromptOutcomes;
  readonly test: PromptOutcomes;
}

/**
 * The complete rows of a set: models scored on more than `minCoverage` of the prompts, prompts scored for all of those.
 *
 * @param folder in the canonical layout
 */
export async function loadCompleteRows(folder: string, minCoverage: number): Promise<PromptOutcomes> {
  const prompts = await loadPrompts(folder);
  const scores = await loadScores(folder);
  const models = [...scores.keys()]
    .filter((model) => (scores.get(model)?.size ?? 0) > minCoverage * prompts.length)
    .sort();
  const complete = prompts.filter(({ id }) => models.every((model) => scores.get(model)?.has(id)));
  const quality = complete.flatMap(({ id }) =>
    models.map((model) => scores.get(model)?.get(id) ?? Number.NaN),
  );
  return { prompts: complete, models, quality: Float64Array.from(quality) };
}

async function loadPrompts(folder: string): Promise<BenchPrompt[]> {
  const prompts: BenchPrompt[] = [];
  for (const file of await findDataFiles([folder], "prompts")) {
    for await (const { id, benchmark, category, text } of readPrompts(file)) {
      prompts.push({ id, benchmark: benchmark ?? "", category: category ?? "", text });
    }
  }
  return prompts;
}

/** Scores by model and prompt id; null scores are absent. */
async function loadScores(folder: string): Promise<Map<string, Map<string, number>>> {
  const scores = new Map<string, Map<string, number>>();
  for (const file of await findDataFiles([folder], "outcomes")) {
    for await (const { id, model, score } of readOutcomes(file)) {
      if (score === null) continue;
      const ofModel = scores.get(model) ?? new Map<string, number>();
      scores.set(model, ofModel.set(id, score));
    }
  }
  return scores;
}

/** Splits by a hash of the text, so that equal prompts stay together and every engine can make the same split. */
export function splitByHash(
  outcomes: PromptOutcomes,
  { name, seed }: { name: string; seed: number },
): SplitSet {
  const places = outcomes.prompts.map((_, place) => place);
  const isTest = outcomes.prompts.map(({ text }) => isTestPrompt(text, seed));
  return {
    name,
    train: selectRows(
      outcomes,
      places.filter((place) => !isTest[place]),
    ),
    test: selectRows(
      outcomes,
      places.filter((place) => isTest[place]),
    ),
  };
}

/** True for 30 % of texts: first 32 bits of sha256(`sextant-split-${seed}\n` + text), as a fraction, below 0.3. */
export function isTestPrompt(text: string, seed: number): boolean {
  const digest = createHash("sha256").update(`sextant-split-${seed}\n${text}`, "utf8").digest();
  return digest.readUInt32BE(0) / 2 ** 32 < 0.3;
}

function selectRows({ prompts, models, quality }: PromptOutcomes, places: readonly number[]): PromptOutcomes {
  const width = models.length;
  const rows = places.flatMap((place) => [...quality.subarray(place * width, (place + 1) * width)]);
  return {
    prompts: places.flatMap((place) => prompts[place] ?? []),
    models,
    quality: Float64Array.from(rows),
  };
}

/** Mean quality of each model, `[models]`. */
export function modelMeans({ prompts, models, quality }: PromptOutcomes): Float64Array {
  const sums = new Float64Array(models.length);
  for (let cell = 0; cell < quality.length; cell++) {
    sums[cell % models.length] = (sums[cell % models.length] ?? 0) + (quality[cell] ?? 0);
  }
  return sums.map((sum) => sum / prompts.length);
}
