import { parseArgs } from "node:util";
import { describeCommand, wholeNumber } from "../../bench/options.js";

export interface ConversationsOptions {
  readonly conversations: number;
  readonly seed: number;
  /** Half of the figures alone. */
  readonly only: "models" | "hosts" | undefined;
  /** Share of the tool loops in which the user writes while the agent works. */
  readonly steered: number;
  readonly command: string;
}

export const CONVERSATIONS_USAGE = `npm run proof -- conversations [options]

  --conversations N  conversations to play, 1 to 20 turns each (default 300)
  --seed N           of the traffic and the vendors (default 1)
  --only PART        models or hosts (default both)
  --steered SHARE    of the tool loops begin with a trivial question, and get another one on the way (default 0)`;

/** @throws Error that names the flag, its value and the remedy */
export function parseConversationsOptions(argv: readonly string[]): ConversationsOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      conversations: { type: "string", default: "300" },
      seed: { type: "string", default: "1" },
      only: { type: "string" },
      steered: { type: "string", default: "0" },
    },
  });
  const { only } = values;
  if (only !== undefined && only !== "models" && only !== "hosts")
    throw new Error(`--only is "${only}"; write models or hosts.`);
  const steered = Number(values.steered);
  if (!(steered >= 0 && steered <= 1))
    throw new Error(`--steered is "${values.steered}"; write a share from 0 to 1.`);
  return {
    only,
    steered,
    conversations: wholeNumber("--conversations", { text: values.conversations, least: 1 }),
    seed: wholeNumber("--seed", { text: values.seed, least: 1 }),
    command: describeCommand("conversations", argv),
  };
}
