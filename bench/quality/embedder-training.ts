import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/**
 * Which prompts of outcome sets an embedder was trained on, as the `sextant_training` block of its `config.json` says:
 * `{"routing_prompts": {"sets": ["mmlu_pro"], "part": "train", "split": 0}}`. `part` `train` = those whose hash of that
 * split is 0.3 or more (see `splitHash`), `all` = every prompt, `none` = not one.
 */
const training = z.object({
  routing_prompts: z.object({
    sets: z.array(z.string()).default([]),
    part: z.enum(["none", "train", "all"]),
    split: z.int().min(0).optional(),
  }),
});

export type EmbedderTraining = z.infer<typeof training>["routing_prompts"];

/** Null when the folder says nothing, or is none: the embedder of a hub is its maker's. */
export async function readEmbedderTraining(folder: string): Promise<EmbedderTraining | null> {
  let config: unknown;
  try {
    config = JSON.parse(await readFile(join(folder, "config.json"), "utf8"));
  } catch {
    return null;
  }
  const block = (config as { sextant_training?: unknown } | null)?.sextant_training;
  return block === undefined ? null : training.parse(block).routing_prompts;
}

/** `none`, `all` or `train:<split>` of every set, as a person says it on the command line. */
export function parseEmbedderTraining(text: string): EmbedderTraining {
  const [part, split] = text.split(":");
  if ((part === "none" || part === "all") && split === undefined) return { sets: ["*"], part };
  if (part === "train" && split !== undefined && /^\d+$/.test(split)) {
    return { sets: ["*"], part, split: Number(split) };
  }
  throw new Error(
    `--embedder-saw is "${text}"; say none, all, or train:SPLIT for the training part of that split.`,
  );
}

/** Whether the embedder may have been trained on test prompts of a set in a split. */
export function sawTestPrompts(
  found: EmbedderTraining | null,
  { set, seed }: { readonly set: string; readonly seed: number },
): "no" | "yes" | "unknown" {
  if (found === null) return "unknown";
  const { sets, part, split } = found;
  if (part === "none" || !(sets.includes(set) || sets.includes("*"))) return "no";
  return part === "train" && split === seed ? "no" : "yes";
}
