import Table from "cli-table3";
import { Command, InvalidArgumentError, Option } from "commander";
import type { ApiKeyMetadata } from "../access/api-key.js";
import { SCOPES, type Scope } from "../access/principal.js";
import { openKeyRing } from "../compose.js";
import { loadSettings } from "../load-settings.js";
import { type CliContext, writeLine } from "./context.js";
import { plainTable } from "./plain-table.js";

/** `sextant keys create|list|revoke`: works on the key file; a running server follows within half a second. */
export function keysCommand(context: CliContext): Command {
  return new Command("keys")
    .description("create, list and revoke API keys; a running server follows by itself")
    .addCommand(createCommand(context))
    .addCommand(listCommand(context))
    .addCommand(revokeCommand(context));
}

interface CreateOptions {
  readonly name: string;
  readonly source?: string;
  readonly scopes: readonly Scope[];
  readonly expires?: number;
  readonly json?: true;
}

const jsonOption = () => new Option("--json", "print JSON");

function createCommand(context: CliContext): Command {
  return new Command("create")
    .description("make a key and print it, this once")
    .requiredOption("--name <name>", "what the key is for")
    .option("--source <source>", "source that traces of the key carry; without it a request may name one")
    .addOption(
      new Option("--scopes <scopes>", `what it may do, separated by commas: ${SCOPES.join(", ")}`)
        .default(["inference", "traces:read"], "inference,traces:read")
        .argParser(parseScopes),
    )
    .addOption(
      new Option(
        "--expires <when>",
        "when it stops working: a date, or a time from now such as 90d or 12h",
      ).argParser((text) => parseExpiry(text, context.now())),
    )
    .addOption(jsonOption())
    .action(async (options: CreateOptions) => {
      const ring = await openKeyRing(loadSettings(context.environment, context));
      const { key, metadata } = await ring.create({
        name: options.name,
        source: options.source,
        scopes: options.scopes,
        expiresAtMs: options.expires,
      });
      if (options.json) return writeLine(context.stdout, JSON.stringify({ key, ...metadata }, null, 2));
      await writeLine(context.stderr, `Created ${metadata.id}. The key is shown this once:`);
      await writeLine(context.stdout, key);
    })
    .addHelpText(
      "after",
      '\nExamples:\n  $ sextant keys create --name "my app"\n  $ sextant keys create --name dashboards --scopes traces:read:all --expires 90d',
    );
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
    .argument("<id>", "id of the key, or its first 12 characters when only one key has them")
    .addOption(jsonOption())
    .action(async (id: string, { json }: { readonly json?: true }) => {
      const ring = await openKeyRing(loadSettings(context.environment, context));
      const revoked = await ring.revoke(id);
      const text = json ? JSON.stringify(revoked, null, 2) : `Revoked ${revoked.id} (${revoked.name}).`;
      await writeLine(context.stdout, text);
    });
}

function keysTable(keys: readonly ApiKeyMetadata[], { stdout, now }: CliContext): string {
  const head = ["id", "name", "prefix", "source", "scopes", "created", "expires", "last used", "state"];
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.prefix,
    key.source ?? "–",
    key.scopes.join(" "),
    day(key.created_at),
    day(key.expires_at),
    key.last_used_at === null ? "never" : key.last_used_at.slice(0, 16).replace("T", " "),
    stateOf(key, now()),
  ]);
  if (stdout.isTTY !== true) return plainTable(head, rows);
  const table = new Table({ head });
  table.push(...rows);
  return table.toString();
}

const day = (time: string | null): string => time?.slice(0, 10) ?? "–";

function stateOf(key: ApiKeyMetadata, nowMs: number): string {
  if (key.revoked_at !== null) return "revoked";
  return key.expires_at !== null && Date.parse(key.expires_at) <= nowMs ? "expired" : "active";
}

function parseScopes(text: string): readonly Scope[] {
  const names = text.split(",").map((name) => name.trim());
  const scopes = SCOPES.filter((scope) => names.includes(scope));
  const unknown = names.filter((name) => !SCOPES.some((scope) => scope === name));
  if (unknown.length === 0) return scopes;
  throw new InvalidArgumentError(`"${unknown.join(", ")}" is not a scope. Scopes: ${SCOPES.join(", ")}.`);
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function parseExpiry(text: string, nowMs: number): number {
  const [, count, unit] = /^(\d+)([mhdw])$/.exec(text) ?? [];
  const isDate = /^\d{4}-\d{2}-\d{2}/.test(text);
  const expiry =
    unit === undefined
      ? isDate
        ? Date.parse(text)
        : Number.NaN
      : nowMs + Number(count) * (UNIT_MS[unit] ?? 0);
  if (expiry > nowMs && expiry < 8.64e15) return expiry;
  throw new InvalidArgumentError(
    "It must be a moment to come: a date such as 2030-01-31, or a time from now such as 90d or 12h.",
  );
}
