import { parseArgs } from "node:util";
import type { Tuning } from "../../src/workbench/fitting/tune.js";
import { describeCommand, wholeNumber } from "../options.js";

/** Measurements of the suite. */
export const PARTS = ["held-out-prompts", "left-out-sets"] as const;
export type Part = (typeof PARTS)[number];

export interface CurrentOptions {
  readonly data: string;
  readonly parts: readonly Part[];
  /** Only these sets are left out or measured; undefined = all. */
  readonly sets: readonly string[] | undefined;
  readonly seed: number;
  readonly tuning: Tuning;
  /** Maximum number of prompts of each set. */
  readonly promptsPerSet: number | undefined;
  /** Folder that keeps the sets built without a set, by its name; undefined = none is kept. */
  readonly keep: string | undefined;
  /** As typed, without local paths. */
  readonly command: string;
}

export const CURRENT_USAGE = `npm run bench -- current --data DIR [options]

  --data DIR            holds routing, routing-current and published-scores
  --part NAME           ${PARTS.join(", ")}; may be repeated (default all)
  --set NAME            only this set is left out or measured; may be repeated (default all)
  --seed 0              of the split of prompts
  --tuning full         search for the best parameters of every set that is built (default defaults: fixed ones)
  --keep DIR            keeps the sets that are built for left-out-sets there, and takes those that are there already
  --prompts-per-set N   at most N prompts of each set, by hash: a quick look, not for reporting`;

/** @throws Error that names the flag, its value and the remedy */
export function parseCurrentOptions(argv: readonly string[]): CurrentOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      data: { type: "string" },
      part: { type: "string", multiple: true },
      set: { type: "string", multiple: true },
      seed: { type: "string", default: "0" },
      tuning: { type: "string", default: "defaults" },
      keep: { type: "string" },
      "prompts-per-set": { type: "string" },
    },
  });
  const { data, part, set, seed, tuning, keep } = values;
  if (data === undefined)
    throw new Error(`--data is not given; name the folder with the outcomes.\n\n${CURRENT_USAGE}`);
  if (tuning !== "full" && tuning !== "defaults")
    throw new Error(`--tuning is "${tuning}"; write full or defaults.`);
  const promptsPerSet = values["prompts-per-set"];
  return {
    ...{ data, sets: set, tuning, keep },
    parts: part === undefined ? PARTS : part.map(parsePart),
    seed: wholeNumber("--seed", { text: seed, least: 0 }),
    promptsPerSet:
      promptsPerSet === undefined
        ? undefined
        : wholeNumber("--prompts-per-set", { text: promptsPerSet, least: 10 }),
    command: describeCommand("current", argv),
  };
}

function parsePart(name: string): Part {
  const part = PARTS.find((known) => known === name);
  if (part === undefined) throw new Error(`--part is "${name}"; known are ${PARTS.join(", ")}.`);
  return part;
}
