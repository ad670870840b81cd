import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoadedSet } from "../../bench/quality/load-set.js";
import { splitHash } from "../../bench/quality/outcomes/split.js";
import type { ModelLookup } from "../../src/engine/router/candidate.js";
import { seededRandom } from "../../src/foundation/random.js";

/** A prompt, and what every model scores and costs on it. */
export interface WorldPrompt {
  readonly id: string;
  readonly text: string;
  readonly topic: string;
  /** In [0, 1], `[models]`. */
  readonly quality: Float64Array;
  /** Dollars, `[models]`. */
  readonly costUsd: Float64Array;
  /** Tokens of the answers, NaN = unknown, `[models]`. */
  readonly tokensOut: Float64Array;
}

/** Prompts that profiles exist for, and traffic of other topics. */
export interface World {
  readonly name: string;
  readonly models: readonly string[];
  readonly lookup: ModelLookup;
  readonly profiled: readonly WorldPrompt[];
  /** What users ask, and prompts of the same topics that are only measured on. */
  readonly asked: readonly WorldPrompt[];
  readonly heldOut: readonly WorldPrompt[];
}

const HELD_OUT = 0.3;

/**
 * Divides the topics of a set (its benchmarks, or the categories of a single one) at random in two halves: one is profiled, the
 * other is asked. Only models with known costs take part.
 *
 * @throws Error when costs are known of fewer than two models
 */
export function divideWorld(
  { name, rows, costs, lookup }: LoadedSet,
  { seed }: { readonly seed: number },
): World {
  const { priced, usd } = costs ?? assumedCosts(rows);
  if (priced.length < 2)
    throw new Error(`${name} has costs or sizes of fewer than two models; routing needs two`);
  const width = rows.models.length;
  const of = (values: Float64Array, row: number) =>
    Float64Array.from(priced, (column) => values[row * width + column] as number);
  const hasBenchmarks = new Set(rows.prompts.map(({ benchmark }) => benchmark)).size > 1;
  const prompts = rows.prompts.map(({ id, text, benchmark, category }, row) => ({
    ...{ id, text, topic: hasBenchmarks ? benchmark : category },
    quality: of(rows.quality, row),
    costUsd: of(usd, row),
    tokensOut: of(rows.tokensOut, row),
  }));
  const topics = shuffled([...new Set(prompts.map(({ topic }) => topic))].sort(), seed);
  const isProfiled = new Set(topics.slice(0, topics.length >> 1));
  const traffic = prompts.filter(({ topic }) => !isProfiled.has(topic));
  const isHeldOut = ({ text }: WorldPrompt) => splitHash(text, seed) < HELD_OUT;
  return {
    ...{ name, lookup, models: priced.map((column) => rows.models[column] as string) },
    profiled: prompts.filter(({ topic }) => isProfiled.has(topic)),
    asked: traffic.filter((prompt) => !isHeldOut(prompt)),
    heldOut: traffic.filter(isHeldOut),
  };
}

/** Dollars an answer for each billion of a model's parameters, where nothing is known of costs (assumed). */
const USD_PER_BILLION = 1e-5;

/** An answer costs in proportion to the size in the model's name: `gemma-2-9b-it`. */
function assumedCosts({ models, prompts }: LoadedSet["rows"]) {
  const sizes = models.map((model) => Number(/(\d+(?:\.\d+)?)b(?![a-z])/i.exec(model)?.[1]));
  const usd = Float64Array.from(
    { length: prompts.length * models.length },
    (_, cell) => USD_PER_BILLION * (sizes[cell % models.length] as number),
  );
  return { priced: sizes.flatMap((size, column) => (Number.isNaN(size) ? [] : [column])), usd };
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = seededRandom(seed);
  const left = [...items];
  return Array.from(items, () => left.splice(Math.floor(random() * left.length), 1)[0] as T);
}

/** A graded answer of one model. */
export interface WorldAnswer {
  readonly prompt: WorldPrompt;
  readonly model: number;
  /** With which it was chosen; absent where it was not. */
  readonly probability?: number;
}

/** Writes prompts and answers in the canonical layout to a new folder. */
export async function writeOutcomes(
  models: readonly string[],
  answers: readonly WorldAnswer[],
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sextant-learning-"));
  await mkdir(folder, { recursive: true });
  const prompts = new Map(answers.map(({ prompt }) => [prompt.id, prompt]));
  const lines = [...prompts.values()].map(({ id, text, topic }) =>
    JSON.stringify({ id, prompt: text, benchmark: topic === "" ? null : topic }),
  );
  const rows = answers.map(({ prompt: { id, quality, costUsd, tokensOut }, model, probability = null }) =>
    JSON.stringify({
      ...{ id, model: models[model], score: quality[model] },
      ...{ tokens_out: orNull(tokensOut[model]), cost_usd: orNull(costUsd[model]), probability },
    }),
  );
  await writeFile(join(folder, "prompts.jsonl"), lines.join("\n"));
  await writeFile(join(folder, "outcomes.jsonl"), rows.join("\n"));
  return folder;
}

const orNull = (value: number | undefined): number | null =>
  value === undefined || Number.isNaN(value) ? null : value;
