import { parseArgs } from "node:util";
import { describeCommand, wholeNumber } from "../options.js";

/** Measurements of the suite. */
export const PARTS = ["held-out-prompts", "left-out-sets"] as const;
export type Part = (typeof PARTS)[number];

export interface CurrentOptions {
  readonly data: string;
  readonly parts: readonly Part[];
  /** Maximum number of prompts of each set. */
  readonly promptsPerSet: number | undefined;
  /** As typed, without local paths. */
  readonly command: string;
}

export const CURRENT_USAGE = `npm run bench -- current --data DIR [options]

  --data DIR            holds routing, routing-current and published-scores
  --part NAME           ${PARTS.join(", ")}; may be repeated (default all)
  --prompts-per-set N   at most N prompts of each set, by hash: a quick look, not for reporting`;

/** @throws Error that names the flag, its value and the remedy */
export function parseCurrentOptions(argv: readonly string[]): CurrentOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      data: { type: "string" },
      part: { type: "string", multiple: true },
      "prompts-per-set": { type: "string" },
    },
  });
  const { data, part } = values;
  if (data === undefined)
    throw new Error(`--data is not given; name the folder with the outcomes.\n\n${CURRENT_USAGE}`);
  const promptsPerSet = values["prompts-per-set"];
  return {
    data,
    parts: part === undefined ? PARTS : part.map(parsePart),
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
