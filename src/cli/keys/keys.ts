import { Command } from "commander";
import { openKeyRing } from "../../compose/keys.js";
import { loadSettings } from "../../gateway/index.js";
import { type CliContext, writeLine } from "../context.js";
import { createCommand } from "./create.js";
import { editCommand } from "./edit.js";
import { jsonOption, KEY_SELECTOR } from "./key-options.js";
import { keysTable } from "./key-table.js";
import { rotateCommand } from "./rotate.js";

/** `sextant keys create|list|edit|rotate|revoke`: works on the key file; a running server follows within half a second. */
export function keysCommand(context: CliContext): Command {
  return new Command("keys")
    .description("create, list, change and revoke API keys; a running server follows by itself")
    .addCommand(createCommand(context))
    .addCommand(listCommand(context))
    .addCommand(editCommand(context))
    .addCommand(rotateCommand(context))
    .addCommand(revokeCommand(context));
}

function listCommand(context: CliContext): Command {
  return new Command("list")
    .description("list all keys, oldest first")
    .addOption(jsonOption())
    .action(async ({ json }: { readonly json?: true }) => {
      const ring = await openKeyRing(loadSettings(context.environment, context));
      const keys = ring.list();
      if (json) return writeLine(context.stdout, JSON.stringify(keys, null, 2));
      await writeLine(context.stdout, keysTable(keys, context));
    });
}

function revokeCommand(context: CliContext): Command {
  return new Command("revoke")
    .description("make a key useless, for good")
    .argument("<id>", KEY_SELECTOR)
    .addOption(jsonOption())
    .action(async (id: string, { json }: { readonly json?: true }) => {
      const ring = await openKeyRing(loadSettings(context.environment, context));
      const revoked = await ring.revoke(id);
      const text = json ? JSON.stringify(revoked, null, 2) : `Revoked ${revoked.id} (${revoked.name}).`;
      await writeLine(context.stdout, text);
    });
}
