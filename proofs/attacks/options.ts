import { parseArgs } from "node:util";
import { describeCommand, wholeNumber } from "../../bench/current/options.js";
import type { SearchEffort } from "./measure.js";

export interface AttackOptions {
  /** Folder of outcome sets whose prompts are attacked; undefined = prompts of the repository. */
  readonly data: string | undefined;
  readonly promptsPerSet: number;
  readonly effort: SearchEffort;
  readonly seed: number;
  /** The day whose models and prices are used. */
  readonly at: Date;
  /** As typed, without local paths. */
  readonly command: string;
}

const DEFAULT_DAY = "2026-11-22";

export const ATTACKS_USAGE = `npm run proof -- attacks [options]

  --data DIR            attack prompts of these outcome sets (default datasets/sample and the everyday prompts)
  --prompts-per-set 50  of each set of --data, at most
  --rounds 400          changes tried for each searched text
  --words 12            words of a searched text
  --tried 66            training prompts on which each change is tried
  --seed 0              of typos and searches
  --at DATE             the day whose models and prices count (default ${DEFAULT_DAY})`;

/** @throws Error that names the flag, its value and the remedy */
export function parseAttackOptions(argv: readonly string[]): AttackOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      data: { type: "string" },
      "prompts-per-set": { type: "string", default: "50" },
      rounds: { type: "string", default: "400" },
      words: { type: "string", default: "12" },
      tried: { type: "string", default: "66" },
      seed: { type: "string", default: "0" },
      at: { type: "string", default: DEFAULT_DAY },
    },
  });
  const at = new Date(values.at);
  if (Number.isNaN(at.getTime()))
    throw new Error(`--at is "${values.at}"; write a date such as ${DEFAULT_DAY}.`);
  return {
    data: values.data,
    promptsPerSet: wholeNumber("--prompts-per-set", { text: values["prompts-per-set"], least: 4 }),
    effort: {
      words: wholeNumber("--words", { text: values.words, least: 1 }),
      rounds: wholeNumber("--rounds", { text: values.rounds, least: 0 }),
      prompts: wholeNumber("--tried", { text: values.tried, least: 1 }),
    },
    seed: wholeNumber("--seed", { text: values.seed, least: 0 }),
    at,
    command: describeCommand("attacks", argv),
  };
}
