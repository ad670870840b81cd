import { Command, Option } from "commander";
import { openKeyRing } from "../../compose/keys.js";
import type { ApiKeyMetadata } from "../../gateway/access/keys/api-key.js";
import type { CreatedKey } from "../../gateway/access/keys/key-ring.js";
import { loadSettings } from "../../gateway/index.js";
import { type CliContext, writeLine } from "../context.js";
import { recordAct } from "../operators.js";
import { tableFor } from "../table.js";
import { createCommand } from "./create.js";
import { editCommand } from "./edit.js";
import { jsonOption, KEY_SELECTOR, keyTarget, parseGrace } from "./key-options.js";

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
      await recordAct({ kind: "key.revoked", target: keyTarget(revoked), details: {} }, context);
      const text = json ? JSON.stringify(revoked, null, 2) : `Revoked ${revoked.id} (${revoked.name}).`;
      await writeLine(context.stdout, text);
    });
}

/** All fields of keys that are no secret. */
export function keysTable(keys: readonly ApiKeyMetadata[], { stdout, now }: CliContext): string {
  const head = [
    "id",
    "name",
    "prefix",
    "source",
    "scopes",
    "limits",
    "created",
    "expires",
    "last used",
    "state",
  ];
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.prefix,
    key.source ?? "–",
    key.scopes.join(" "),
    limitsText(key.limits),
    day(key.created_at),
    day(key.expires_at),
    key.last_used_at === null ? "never" : key.last_used_at.slice(0, 16).replace("T", " "),
    stateOf(key, now()),
  ]);
  return tableFor(stdout, { head, rows });
}

const LIMITS: readonly (readonly [name: keyof ApiKeyMetadata["limits"], text: (limit: string) => string])[] =
  [
    ["requests_per_minute", (limit) => `${limit} requests/min`],
    ["tokens_per_minute", (limit) => `${limit} tokens/min`],
    ["usd_per_month", (limit) => `${limit} USD/month`],
    ["max_usd_per_request", (limit) => `${limit} USD/request`],
    ["allowed_models", (limit) => `models ${limit}`],
    ["min_cost_weight", (limit) => `weight at least ${limit}`],
  ];

/** `60 requests/min, 5 USD/month`; a dash where the defaults of the server apply. */
const limitsText = (limits: ApiKeyMetadata["limits"]): string =>
  LIMITS.flatMap(([name, text]) => (limits[name] === null ? [] : text(String(limits[name])))).join(", ") ||
  "–";

const day = (time: string | null): string => time?.slice(0, 10) ?? "–";

function stateOf(key: ApiKeyMetadata, nowMs: number): string {
  if (key.revoked_at !== null) return "revoked";
  return key.expires_at !== null && Date.parse(key.expires_at) <= nowMs ? "expired" : "active";
}

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
      const details = { grace_seconds: graceMs / 1000, previous: metadata.previous };
      await recordAct({ kind: "key.rotated", target: keyTarget(metadata), details }, context);
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
