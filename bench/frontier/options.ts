import { parseArgs } from "node:util";
import type { Tuning } from "../../src/workbench/fitting/tune.js";
import { describeCommand, wholeNumber } from "../options.js";

export interface FrontierOptions {
  readonly data: string;
  readonly sets: readonly string[];
  readonly folds: number;
  /** Of the folds and of the builds. */
  readonly seed: number;
  readonly tuning: Tuning;
  /**
   * Whether every fold also learns from all other sets and published scores, as the shipped profiles do (`all`), or from these alone
   * (`others`): the set is then one that no one measured.
   */
  readonly evidence: "own" | "all" | "others";
  readonly promptsPerSet: number | undefined;
  /** Markdown file to write; undefined = none. */
  readonly out: string | undefined;
  readonly command: string;
}

/** Sets whose answers' dollars are known: recorded, or recorded tokens at list prices. */
export const PAID_SETS = [
  "openhands_index",
  "zoonk_evals",
  "ctala_business_es",
  "next_evals",
  "trick_questions",
  "routerbench_subset",
];

export const FRONTIER_USAGE = `npm run bench -- frontier --data DIR [options]

  --data DIR            holds routing, routing-current and published-scores
  --set NAME            ${PAID_SETS.join(" or ")}; may be repeated (default all)
  --seed 0              of the folds and of the builds: another one tells a gap from noise
  --evidence own        what a fold learns from: its set's other prompts (own), all other sets and published scores too (all), or these alone (others)
  --tuning full         search for the best parameters of every fold (default defaults: fixed ones)
  --out FILE            page to write, such as docs/frontier.md (default none)
  --prompts-per-set N   at most N prompts of each set, by hash: a quick look, not for reporting`;

/** @throws Error that names the flag, its value and the remedy */
export function parseFrontierOptions(argv: readonly string[]): FrontierOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      data: { type: "string" },
      set: { type: "string", multiple: true, default: PAID_SETS },
      seed: { type: "string", default: "0" },
      evidence: { type: "string", default: "own" },
      tuning: { type: "string", default: "defaults" },
      "prompts-per-set": { type: "string" },
      out: { type: "string" },
    },
  });
  const { data, set, evidence, tuning, out } = values;
  if (data === undefined)
    throw new Error(`--data is not given; name the folder with the outcomes.\n\n${FRONTIER_USAGE}`);
  if (tuning !== "full" && tuning !== "defaults")
    throw new Error(`--tuning is "${tuning}"; write full or defaults.`);
  if (evidence !== "own" && evidence !== "all" && evidence !== "others")
    throw new Error(`--evidence is "${evidence}"; write own, all or others.`);
  for (const name of set) {
    if (!PAID_SETS.includes(name)) throw new Error(`--set is "${name}"; write ${PAID_SETS.join(" or ")}.`);
  }
  const promptsPerSet = values["prompts-per-set"];
  return {
    ...{ data, tuning, evidence, sets: set, out },
    folds: evidence === "others" ? 1 : 5,
    seed: wholeNumber("--seed", { text: values.seed, least: 0 }),
    promptsPerSet:
      promptsPerSet === undefined
        ? undefined
        : wholeNumber("--prompts-per-set", { text: promptsPerSet, least: 10 }),
    command: describeCommand("frontier", argv),
  };
}
