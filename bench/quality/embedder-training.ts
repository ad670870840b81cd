import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/**
 * The prompts of outcome sets that an embedder was trained on, from the `training` block of its `config.json`:
 * `{"split_seed": 0, "part": "train", "sets": ["mmlu_pro"]}`. `part` `train` = those whose hash of that split is 0.3 or
 * more (see `splitHash`), `fit` = some of these, `all` = every prompt, `none` = none. Without `sets`: of any set.
 */
const training = z.object({
  part: z.enum(["none", "fit", "train", "all"]),
  split_seed: z.int().min(0).optional(),
  sets: z.array(z.string()).readonly().optional(),
});

export type EmbedderTraining = Readonly<z.infer<typeof training>>;

/** Null when the folder has no such block, and for hub ids. */
export async function readEmbedderTraining(folder: string): Promise<EmbedderTraining | null> {
  let config: unknown;
  try {
    config = JSON.parse(await readFile(join(folder, "config.json"), "utf8"));
  } catch {
    return null;
  }
  const block = (config as { training?: unknown } | null)?.training;
  return block === undefined ? null : training.parse(block);
}

/** Whether the embedder may have been trained on test prompts of a set in a split. */
export function sawTestPrompts(
  found: EmbedderTraining | null,
  { set, seed }: { readonly set: string; readonly seed: number },
): "no" | "yes" | "unknown" {
  if (found === null) return "unknown";
  const { sets, part, split_seed } = found;
  if (part === "none" || sets?.includes(set) === false) return "no";
  return part !== "all" && split_seed === seed ? "no" : "yes";
}
