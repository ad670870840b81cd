import { type ModelFacts, ratesAt } from "../../src/engine/router/candidate.js";
import { seededRandom } from "../../src/foundation/random.js";
import { type LoopModel, stepsUntilHelp } from "./loop.js";

/** A model at a task. */
export interface Attempt {
  /** Chance of solving it, in [0, 1]: recorded, of one run or several. */
  readonly solved: number;
  /** Dollars of the whole task. */
  readonly usd: number;
}

/** A task for the model that was chosen for it, and for the one that would help. */
export interface Task {
  readonly chosen: Attempt;
  /** Undefined where it is the same model. */
  readonly better: (Attempt & { readonly price: NonNullable<ModelFacts["price"]> }) | undefined;
}

/** When the better model takes over. A number: after so many failed results in a row. `oracle` knows before the task which solves it. */
export type Policy = "never" | "always" | "oracle" | number;

export interface Played extends Attempt {
  /** 1 where the model was switched. */
  readonly switched: number;
}

/** Tokens of a prompt at a step (guesses). */
const promptTokensAt = (step: number): number => 10_000 + 1500 * step;

export interface PlayOptions {
  readonly model: LoopModel;
  /** Whether the better model does all steps of the task, or those that are left. */
  readonly work: "all" | "left";
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * One run. After a switch the task is solved with the chance of the better model, whatever was done before, which pays its steps, and
 * once the part of the prompt that it would have had in its cache: the price of writing it, or of the input, less that of reading it.
 */
export function play({ chosen, better }: Task, policy: Policy, options: PlayOptions): Played {
  const { model, work, random } = options;
  const solves = random() < chosen.solved;
  const own = { solved: Number(solves), usd: chosen.usd, switched: 0 };
  if (policy === "never" || better === undefined) return own;
  if (policy === "always" || (policy === "oracle" && !solves && random() < better.solved))
    return { solved: policy === "oracle" ? 1 : better.solved, usd: better.usd, switched: 0 };
  if (policy === "oracle") return own;
  const step = stepsUntilHelp(model, { inARow: policy, solves, random });
  if (step === undefined) return own;
  const tokens = promptTokensAt(step);
  const rates = ratesAt(better.price, tokens);
  const { inputUsdPerMtok: input, cachedInputUsdPerMtok: read, cacheWriteUsdPerMtok: write } = rates;
  const rereadUsd = (tokens * ((write ?? input) - (read ?? input))) / 1e6;
  const share = step / model.steps;
  const helpUsd = work === "all" ? better.usd : (1 - share) * better.usd + rereadUsd;
  return { solved: better.solved, usd: share * chosen.usd + helpUsd, switched: 1 };
}

/** The mean of many runs, which are the same under every policy until it switches. @param options.seed of the task */
export function playOften(
  task: Task,
  policy: Policy,
  { runs, seed, ...options }: Omit<PlayOptions, "random"> & { readonly runs: number; readonly seed: number },
): Played {
  const played = Array.from({ length: runs }, (_, run) =>
    play(task, policy, { ...options, random: seededRandom(seed * runs + run) }),
  );
  const mean = (of: keyof Played) => played.reduce((sum, one) => sum + one[of], 0) / runs;
  return { solved: mean("solved"), usd: mean("usd"), switched: mean("switched") };
}
