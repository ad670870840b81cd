import { findSets, saveRecommendedWeight } from "../../engine/index.js";
import { WorkbenchError } from "../workbench-error.js";
import type { ChosenWeight, WeightGoal } from "./choose-weight.js";

interface SaveOptions {
  readonly goal: WeightGoal;
  /** Held-out prompts that it was chosen by. */
  readonly prompts: number;
  /** ISO 8601, UTC. */
  readonly savedAt: string;
}

/**
 * The one set of a folder, to save a recommendation in.
 *
 * @throws WorkbenchError when the folder is not named, or holds none or several
 */
export async function setToSaveIn(folder: string | undefined): Promise<string> {
  if (folder === undefined)
    throw new WorkbenchError("A cost weight is saved in one profile set: name its folder with `set`.");
  const [set, ...more] = await findSets(folder);
  if (set === undefined) throw new WorkbenchError(`${folder} holds no profile set to save a cost weight in.`);
  if (more.length > 0)
    throw new WorkbenchError(`${folder} holds ${more.length + 1} profile sets; name one of its sub-folders`);
  return set;
}

/**
 * Saves a chosen cost weight in the set that it was chosen on.
 *
 * @throws WorkbenchError when none was found, or the manifest of the set cannot be written
 */
export async function saveChosenWeight(
  set: string,
  { costWeight }: Pick<ChosenWeight, "costWeight">,
  { goal, prompts, savedAt }: SaveOptions,
): Promise<void> {
  if (costWeight === null)
    throw new WorkbenchError(
      goal === "knee"
        ? "The curve of cost and quality has no pronounced knee, so that no cost weight was saved. Say how much quality may be lost instead: `maxLoss`."
        : "No cost weight keeps to the goal, so that none was saved. Allow more, or profile other models.",
    );
  const recommended = { cost_weight: costWeight, ...ruleOf(goal), prompts, saved_at: savedAt };
  try {
    await saveRecommendedWeight(set, recommended);
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    throw new WorkbenchError(`The cost weight cannot be saved in ${set}: ${cause.message}`, { cause });
  }
}

function ruleOf(goal: WeightGoal) {
  if (goal === "knee") return { rule: "knee", limit: null } as const;
  return "maxLoss" in goal
    ? ({ rule: "max_loss", limit: goal.maxLoss } as const)
    : ({ rule: "max_cost", limit: goal.maxCostUsd } as const);
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error;
