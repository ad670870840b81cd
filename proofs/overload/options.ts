import { parseArgs } from "node:util";
import { describeCommand, wholeNumber } from "../../bench/current/options.js";
import type { OverloadPlan } from "./measure.js";

export interface OverloadOptions extends OverloadPlan {
  readonly parts: readonly OverloadPart[];
  /** Settings of the gateway that are measured. */
  readonly environment: Readonly<Record<string, string>>;
  readonly model: string;
  readonly ownCore: boolean;
  /** As typed. */
  readonly command: string;
}

const PARTS = ["decisions", "chat", "hang"] as const;
export type OverloadPart = (typeof PARTS)[number];

export const OVERLOAD_USAGE = `npm run proof -- overload [options]

  --part NAME             ${PARTS.join(", ")}; may be repeated (default all)
  --rounds 3              searches for the peak, each followed by twice that rate
  --first-rate 200        requests a second at which the first search begins
  --step-seconds 4        of each rate of the search
  --overload-seconds 20   of twice the peak, and of a provider that hangs
  --connections 1024      open connections of the sender; requests beyond them wait in the sender
  --model gpt-4o-mini     what chat completions ask for; auto for decisions, too
  --own-core              the gateway on the first core, sender and provider on the others (taskset), so that they do not
                          take its time as their load grows
  --max-queue-ms N        SEXTANT_MAX_QUEUE_MS of the gateway (default its own)`;

/** @throws Error that names the flag, its value and the remedy */
export function parseOverloadOptions(argv: readonly string[]): OverloadOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      part: { type: "string", multiple: true },
      rounds: { type: "string", default: "3" },
      "first-rate": { type: "string", default: "200" },
      "step-seconds": { type: "string", default: "4" },
      "overload-seconds": { type: "string", default: "20" },
      connections: { type: "string", default: "1024" },
      model: { type: "string", default: "gpt-4o-mini" },
      "own-core": { type: "boolean", default: false },
      "max-queue-ms": { type: "string" },
    },
  });
  const queue = values["max-queue-ms"];
  return {
    parts: values.part === undefined ? PARTS : values.part.map(parsePart),
    rounds: wholeNumber("--rounds", { text: values.rounds, least: 1 }),
    firstRate: wholeNumber("--first-rate", { text: values["first-rate"], least: 1 }),
    stepSeconds: wholeNumber("--step-seconds", { text: values["step-seconds"], least: 1 }),
    overloadSeconds: wholeNumber("--overload-seconds", { text: values["overload-seconds"], least: 1 }),
    connections: wholeNumber("--connections", { text: values.connections, least: 1 }),
    model: values.model,
    ownCore: values["own-core"],
    environment: queue === undefined ? {} : { SEXTANT_MAX_QUEUE_MS: queue },
    command: describeCommand("overload", argv),
  };
}

function parsePart(name: string): OverloadPart {
  const part = PARTS.find((known) => known === name);
  if (part === undefined) throw new Error(`--part is "${name}"; known are ${PARTS.join(", ")}.`);
  return part;
}
