import { Command, Option } from "commander";
import { openKeyRing } from "../../compose/keys.js";
import type { CreatedKey } from "../../gateway/access/keys/key-ring.js";
import { loadSettings } from "../../gateway/index.js";
import { type CliContext, writeLine } from "../context.js";
import { jsonOption, KEY_SELECTOR, parseGrace } from "./key-options.js";

interface RotateOptions {
  /** Milliseconds. */
  readonly grace: number;
  readonly json?: true;
}

/** `sextant keys rotate`: what `POST /admin/keys/{id}/rotate` does. */
export function rotateCommand(context: CliContext): Command {
  return new Command("rotate")
    .description(
      "replace a key by a new one with the same id, limits, budget and traces, and print it, this once",
    )
    .argument("<id>", KEY_SELECTOR)
    .addOption(
      new Option(
        "--grace <time>",
        "how long the old key goes on working: 0 when it leaked, or a time such as 30m, 12h or 1d",
      )
        .makeOptionMandatory()
        .argParser(parseGrace),
    )
    .addOption(jsonOption())
    .action(async (id: string, { grace: graceMs, json }: RotateOptions) => {
      const ring = await openKeyRing(loadSettings(context.environment, context));
      const created = await ring.rotate(id, { graceMs });
      const { key, metadata } = created;
      if (json) return writeLine(context.stdout, JSON.stringify({ key, ...metadata }, null, 2));
      await writeLine(context.stderr, rotatedText(created, graceMs));
      await writeLine(context.stdout, key);
    })
    .addHelpText(
      "after",
      "\nExamples:\n  $ sextant keys rotate key_01J8ZV --grace 0\n  $ sextant keys rotate key_01J8ZV --grace 1d",
    );
}

function rotatedText({ metadata: { id, name, previous } }: CreatedKey, graceMs: number): string {
  const old = graceMs === 0 ? "no longer works" : `works until ${previous?.expires_at}`;
  return `Rotated ${id} (${name}). The old key ${old}. The new one is shown this once:`;
}
