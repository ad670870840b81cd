import { parseArgs } from "node:util";
import { describeCommand, wholeNumber } from "../current/options.js";
import { EFFORT_SETS } from "./effort-costs.js";

export interface EffortsOptions {
  readonly data: string;
  readonly sets: readonly string[];
  readonly folds: number;
  /** Markdown file to write; undefined = none. */
  readonly out: string | undefined;
  readonly promptsPerSet: number | undefined;
  readonly command: string;
}

export const EFFORTS_USAGE = `npm run bench -- efforts --data DIR [options]

  --data DIR            holds routing, routing-current, lengths and published-scores
  --set NAME            ${EFFORT_SETS.join(", ")}; may be repeated (default all)
  --folds 5             of the cross-validation
  --out FILE            page to write, such as docs/efforts.md (default none)
  --prompts-per-set N   at most N prompts of each set, by hash: a quick look, not for reporting`;

/** @throws Error that names the flag, its value and the remedy */
export function parseEffortsOptions(argv: readonly string[]): EffortsOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      data: { type: "string" },
      set: { type: "string", multiple: true, default: [...EFFORT_SETS] },
      folds: { type: "string", default: "5" },
      out: { type: "string" },
      "prompts-per-set": { type: "string" },
    },
  });
  const { data, set: sets, folds, out, "prompts-per-set": most } = values;
  if (data === undefined)
    throw new Error(`--data is not given; name the folder with the outcomes.\n\n${EFFORTS_USAGE}`);
  const unknown = sets.find((name) => !(EFFORT_SETS as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`--set is "${unknown}"; write ${EFFORT_SETS.join(" or ")}.`);
  return {
    ...{ data, sets, out },
    folds: wholeNumber("--folds", { text: folds, least: 2 }),
    promptsPerSet:
      most === undefined ? undefined : wholeNumber("--prompts-per-set", { text: most, least: 10 }),
    command: describeCommand("efforts", argv),
  };
}
