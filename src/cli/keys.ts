import Table from "cli-table3";
import { Command, InvalidArgumentError, Option } from "commander";
import type { ApiKeyMetadata } from "../access/keys/api-key.js";
import { type PrincipalLimits, SCOPES, type Scope } from "../access/principal.js";
import { isSourceName, SOURCE_RULE } from "../access/source.js";
import { openKeyRing } from "../compose/keys.js";
import { loadSettings } from "../settings/load-settings.js";
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
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly usdPerMonth?: number;
  readonly json?: true;
}

const jsonOption = () => new Option("--json", "print JSON");

function createCommand(context: CliContext): Command {
  return new Command("create")
    .description("make a key and print it, this once")
    .requiredOption("--name <name>", "what the key is for")
    .addOption(
      new Option(
        "--source <source>",
        "source that traces of the key carry; without it a request may name one",
      ).argParser(parseSource),
    )
    .addOption(
      new Option("--scopes <scopes>", `what it may do, separated by commas: ${SCOPES.join(", ")}`)
        .default(["inference"], "inference")
        .argParser(parseScopes),
    )
    .addOption(
      new Option(
        "--expires <when>",
        "when it stops working: a date, or a time from now such as 90d or 12h",
      ).argParser((text) => parseExpiry(text, context.now())),
    )
    .addOption(
      new Option(
        "--requests-per-minute <count>",
        "requests it may make in a minute; default: SEXTANT_REQUESTS_PER_MINUTE",
      ).argParser(parseCount),
    )
    .addOption(
      new Option(
        "--tokens-per-minute <count>",
        "tokens it may use in a minute; default: SEXTANT_TOKENS_PER_MINUTE",
      ).argParser(parseCount),
    )
    .addOption(
      new Option(
        "--usd-per-month <amount>",
        "US dollars it may spend in a calendar month, UTC; default: SEXTANT_USD_PER_MONTH",
      ).argParser(parseDollars),
    )
    .addOption(jsonOption())
    .action(async (options: CreateOptions) => {
      const ring = await openKeyRing(loadSettings(context.environment, context));
      const { key, metadata } = await ring.create({
        name: options.name,
        source: options.source,
        scopes: options.scopes,
        expiresAtMs: options.expires,
        limits: limitsOf(options),
      });
      if (options.json) return writeLine(context.stdout, JSON.stringify({ key, ...metadata }, null, 2));
      if (readsSharedSource(metadata)) await writeLine(context.stderr, SHARED_SOURCE);
      await writeLine(context.stderr, `Created ${metadata.id}. The key is shown this once:`);
      await writeLine(context.stdout, key);
    })
    .addHelpText(
      "after",
      '\nExamples:\n  $ sextant keys create --name "my app"\n  $ sextant keys create --name billing --source billing --scopes inference,traces:read\n  $ sextant keys create --name dashboards --scopes traces:read:all --expires 90d\n' +
        "  $ sextant keys create --name interns --requests-per-minute 60 --usd-per-month 25",
    );
}

const readsSharedSource = ({ source, scopes }: ApiKeyMetadata): boolean =>
  source === null &&
  scopes.includes("traces:read") &&
  !scopes.includes("traces:read:all") &&
  !scopes.includes("admin");

const SHARED_SOURCE =
  "The key may read the traces, prompts included, of the source `default`, which all keys without --source share.";

function limitsOf({ requestsPerMinute, tokensPerMinute, usdPerMonth }: CreateOptions): PrincipalLimits {
  return {
    requestsPerMinute: requestsPerMinute ?? null,
    tokensPerMinute: tokensPerMinute ?? null,
    usdPerMonth: usdPerMonth ?? null,
  };
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
  if (stdout.isTTY !== true) return plainTable(head, rows);
  const table = new Table({ head });
  table.push(...rows);
  return table.toString();
}

/** `60 requests/min, 5 USD/month`; a dash where the defaults of the server apply. */
function limitsText({
  requests_per_minute,
  tokens_per_minute,
  usd_per_month,
}: ApiKeyMetadata["limits"]): string {
  const own = [
    requests_per_minute === null ? [] : `${requests_per_minute} requests/min`,
    tokens_per_minute === null ? [] : `${tokens_per_minute} tokens/min`,
    usd_per_month === null ? [] : `${usd_per_month} USD/month`,
  ].flat();
  return own.join(", ") || "–";
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

function parseSource(text: string): string {
  if (isSourceName(text)) return text;
  throw new InvalidArgumentError(`It must have ${SOURCE_RULE}.`);
}

const MOST_PER_MINUTE = 1_000_000_000;
const MOST_USD_PER_MONTH = 1_000_000;

function parseCount(text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MOST_PER_MINUTE) return count;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_PER_MINUTE}.`);
}

function parseDollars(text: string): number {
  const amount = /^\d+(\.\d{1,9})?$/.test(text) ? Number(text) : 0;
  if (amount > 0 && amount <= MOST_USD_PER_MONTH) return amount;
  throw new InvalidArgumentError(
    `It must be an amount above 0, at most ${MOST_USD_PER_MONTH}, such as 25 or 0.5.`,
  );
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
