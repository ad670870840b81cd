import { createHash } from "node:crypto";
import { join } from "node:path";
import { EVERYDAY_PROMPTS } from "../../bench/everyday/prompts.js";
import { loadSparseSet } from "../../bench/evidence/sparse-set.js";
import { findSetFolders } from "../../bench/quality/options.js";
import { sampleByHash, splitHash } from "../../bench/quality/outcomes/split.js";

/** Prompts by their use. None is in both parts. */
export interface AttackedPrompts {
  /** On which an attacker tries texts. */
  readonly train: readonly string[];
  /** On which attacks are measured. */
  readonly heldOut: readonly string[];
  readonly sha256: string;
}

/** Share of the prompts that attacks are measured on. */
const HELD_OUT_SHARE = 0.6;
const SALT = "sextant-attacks";

/**
 * The prompts of `datasets/sample` and the everyday prompts, none of which the shipped profiles hold; with a folder, at
 * most `promptsPerSet` prompts of each outcome set in it instead, which the shipped profiles may hold.
 */
export async function attackedPrompts({
  data,
  promptsPerSet,
}: {
  readonly data: string | undefined;
  readonly promptsPerSet: number;
}): Promise<AttackedPrompts> {
  const texts =
    data === undefined
      ? [...(await textsIn(join("datasets", "sample"))), ...EVERYDAY_PROMPTS.map(({ text }) => text)]
      : await textsIn(data, promptsPerSet);
  const distinct = [...new Set(texts)];
  const isHeldOut = (text: string): boolean => splitHash(text, 0) < HELD_OUT_SHARE;
  return {
    train: distinct.filter((text) => !isHeldOut(text)),
    heldOut: distinct.filter(isHeldOut),
    sha256: createHash("sha256").update(JSON.stringify(distinct)).digest("hex"),
  };
}

async function textsIn(folder: string, most = Number.POSITIVE_INFINITY): Promise<string[]> {
  const texts: string[] = [];
  for (const source of await findSetFolders(folder)) {
    if (!("folder" in source)) continue;
    const { prompts } = await loadSparseSet(source);
    const chosen = sampleByHash(prompts, Math.min(most, prompts.length), SALT);
    texts.push(...chosen.map((index) => prompts[index]?.text ?? ""));
  }
  return texts;
}
