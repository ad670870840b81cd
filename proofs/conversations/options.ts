import { parseArgs } from "node:util";
import { describeCommand } from "../../bench/options.js";

export interface ConversationsOptions {
  readonly conversations: number;
  /** The day whose models and prices are used. */
  readonly at: Date;
  readonly seed: number;
  /** Half of the figures alone. */
  readonly only: "models" | "hosts" | undefined;
  /** Share of the tool loops in which the user writes while the agent works. */
  readonly steered: number;
  readonly command: string;
}

const DEFAULT_DAY = "2026-11-22";

export const CONVERSATIONS_USAGE = `npm run proof -- conversations [options]

  --conversations N  conversations to play, 1 to 20 turns each (default 300)
  --at DATE          the day whose models and prices count (default ${DEFAULT_DAY})
  --seed N           of the traffic and the vendors (default 1)
  --only PART        models or hosts (default both)
  --steered SHARE    of the tool loops begin with a trivial question, and get another one on the way (default 0)`;

/** @throws Error that names the flag, its value and the remedy */
export function parseConversationsOptions(argv: readonly string[]): ConversationsOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      conversations: { type: "string", default: "300" },
      at: { type: "string", default: DEFAULT_DAY },
      seed: { type: "string", default: "1" },
      only: { type: "string" },
      steered: { type: "string", default: "0" },
    },
  });
  const at = new Date(values.at);
  if (Number.isNaN(at.getTime()))
    throw new Error(`--at is "${values.at}"; write a date such as ${DEFAULT_DAY}.`);
  const { only } = values;
  if (only !== undefined && only !== "models" && only !== "hosts")
    throw new Error(`--only is "${only}"; write models or hosts.`);
  const steered = Number(values.steered);
  if (!(steered >= 0 && steered <= 1))
    throw new Error(`--steered is "${values.steered}"; write a share from 0 to 1.`);
  return {
    only,
    steered,
    conversations: wholeNumber("--conversations", values.conversations),
    at,
    seed: wholeNumber("--seed", values.seed),
    command: describeCommand("conversations", argv),
  };
}

function wholeNumber(flag: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new Error(`${flag} is "${text}"; write a whole number of at least 1.`);
}
