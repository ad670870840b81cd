import { Command } from "commander";
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
  limitOptions,
  limitsIn,
  orWord,
  parseExpiry,
  parseName,
  parseSource,
  parseWeight,
} from "./key-options.js";

interface EditOptions {
  readonly name?: string;
  readonly team?: string;
  readonly expires?: number | "never";
  readonly costWeight?: number | "default";
  readonly json?: true;
}

/** `sextant keys edit`: what `PATCH /admin/keys/{id}` does. */
export function editCommand(context: CliContext): Command {
  const command = new Command("edit")
    .description("change the name, limits or expiry of a key; what is not named stays")
    .argument("<id>", KEY_SELECTOR)
    .option("--name <name>", "what the key is for", parseName)
    .option("--team <team>", "team that its requests belong to; `none`: as they say", parseSource)
    .option(
      "--expires <when>",
      "when it stops working: a date, a time from now such as 90d or 12h, or `never`",
      orWord("never", (text) => parseExpiry(text, context.now())),
    )
    .option(
      "--cost-weight <weight>",
      "cost weight of `auto`, 0 to 1; `default`: as the settings say",
      orWord("default", parseWeight),
    );
  for (const option of limitOptions("change")) command.addOption(option);
  return command
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
function changeOf(options: Omit<EditOptions, "json">): KeyChange {
  const { name, team, expires, costWeight } = options;
  if (Object.keys(options).length === 0) {
    throw new CommandFailure(
      "nothing to change: name --name, --team, --expires, --cost-weight or a limit (`sextant keys edit --help` lists them)",
      2,
    );
  }
  return {
    name,
    team: team === "none" ? null : team,
    expiresAtMs: expires === "never" ? null : expires,
    costWeight: costWeight === "default" ? null : costWeight,
    limits: limitsIn(options),
  };
}
