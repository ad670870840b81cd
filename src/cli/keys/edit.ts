import { Command, Option } from "commander";
import { openKeyRing } from "../../compose/keys.js";
import { snakeCased } from "../../foundation/snake-case.js";
import type { KeyChange } from "../../gateway/access/keys/key-records.js";
import { loadSettings } from "../../gateway/index.js";
import { type CliContext, CommandFailure, writeLine } from "../context.js";
import { recordAct } from "../operators.js";
import {
  jsonOption,
  KEY_SELECTOR,
  keyTarget,
  orWord,
  parseCount,
  parseDollars,
  parseExpiry,
  parseName,
  parseSource,
  parseWeight,
} from "./key-options.js";

type Limit = number | "default";

interface EditOptions {
  readonly name?: string;
  readonly team?: string;
  readonly expires?: number | "never";
  readonly requestsPerMinute?: Limit;
  readonly tokensPerMinute?: Limit;
  readonly usdPerMonth?: Limit;
  readonly costWeight?: Limit;
  readonly json?: true;
}

/** `sextant keys edit`: what `PATCH /admin/keys/{id}` does. */
export function editCommand(context: CliContext): Command {
  const limit = (flags: string, what: string, parse: (text: string) => number) =>
    new Option(flags, `${what}; \`default\`: as the settings say`).argParser(orWord("default", parse));
  return new Command("edit")
    .description("change the name, limits or expiry of a key; what is not named stays")
    .argument("<id>", KEY_SELECTOR)
    .option("--name <name>", "what the key is for", parseName)
    .option("--team <team>", "team that its requests belong to; `none`: as they say", parseSource)
    .option(
      "--expires <when>",
      "when it stops working: a date, a time from now such as 90d or 12h, or `never`",
      orWord("never", (text) => parseExpiry(text, context.now())),
    )
    .addOption(limit("--requests-per-minute <count>", "requests it may make in a minute", parseCount))
    .addOption(limit("--tokens-per-minute <count>", "tokens it may use in a minute", parseCount))
    .addOption(
      limit("--usd-per-month <amount>", "US dollars it may spend in a calendar month, UTC", parseDollars),
    )
    .addOption(limit("--cost-weight <weight>", "cost weight of `auto`, 0 to 1", parseWeight))
    .addOption(jsonOption())
    .action(async (id: string, { json, ...options }: EditOptions) => {
      const change = changeOf(options);
      const ring = await openKeyRing(loadSettings(context.environment, context));
      const changed = await ring.update(id, change);
      await recordAct(
        { kind: "key.updated", target: keyTarget(changed), details: snakeCased(options) },
        context,
      );
      const text = json ? JSON.stringify(changed, null, 2) : `Changed ${changed.id} (${changed.name}).`;
      await writeLine(context.stdout, text);
    })
    .addHelpText(
      "after",
      "\nExamples:\n  $ sextant keys edit key_01J8ZV --usd-per-month 10\n" +
        "  $ sextant keys edit key_01J8ZV --requests-per-minute default --expires never",
    );
}

/** @throws CommandFailure when nothing is to be changed */
function changeOf({ name, team, expires, costWeight, ...limits }: Omit<EditOptions, "json">): KeyChange {
  const isEmpty = [name, team, expires, costWeight].every((one) => one === undefined);
  if (isEmpty && Object.keys(limits).length === 0) {
    throw new CommandFailure(
      "nothing to change: name --name, --team, --expires, --cost-weight, --requests-per-minute, --tokens-per-minute or --usd-per-month",
      2,
    );
  }
  return {
    ...(name === undefined ? {} : { name }),
    ...(team === undefined ? {} : { team: team === "none" ? null : team }),
    ...(expires === undefined ? {} : { expiresAtMs: expires === "never" ? null : expires }),
    ...(costWeight === undefined ? {} : { costWeight: costWeight === "default" ? null : costWeight }),
    limits: Object.fromEntries(
      Object.entries(limits).map(([limit, value]) => [limit, value === "default" ? null : value]),
    ),
  };
}
