import { withKeys } from "../../compose/keys.js";
import { snakeCased } from "../../foundation/snake-case.js";
import type { ApiKeyMetadata } from "../../gateway/access/keys/api-key.js";
import type { CreatedKey } from "../../gateway/access/keys/key-ring.js";
import { loadSettings, SCOPES } from "../../gateway/index.js";
import { command, group, JSON_OPTION, option, writeResult } from "../command.js";
import { type CliContext, CommandFailure, writeLine } from "../context.js";
import { keyTarget, recordAct } from "../operators.js";
import { costWeight } from "../options.js";
import { tableFor } from "../table.js";
import {
  expiry,
  grace,
  KEY_OPERAND,
  keyName,
  LIMITS_OF_CHANGE,
  LIMITS_OF_NEW_KEY,
  limitsIn,
  orWord,
  scopes,
  source,
} from "./key-options.js";

const withRing = <Result>(context: CliContext, work: Parameters<typeof withKeys<Result>>[1]) =>
  withKeys(loadSettings(context.environment, context), work);

/** Prints a key, which is shown only once: alone on standard output, what is said of it on standard error. */
async function writeKey(
  { key, metadata }: CreatedKey,
  text: string,
  { json, context }: { readonly json: true | undefined; readonly context: CliContext },
): Promise<void> {
  if (!json) await writeLine(context.stderr, text);
  await writeResult({ key, ...metadata }, () => key, { json, context });
}

const createCommand = command("create", {
  about: "make a key and print it; it is shown only once",
  options: {
    name: option("<name>", "what the key is for", keyName).required(),
    source: option(
      "<source>",
      "source recorded in traces of the key; without it, requests may name one",
      source,
    ),
    team: option(
      "<team>",
      "team its requests belong to, for budgets; without it, requests may name one",
      source,
    ),
    scopes: option("<scopes>", `its scopes, separated by commas: ${SCOPES.join(", ")}`, scopes).default(
      ["inference"],
      "inference",
    ),
    expires: option("<when>", "when it stops working: a date, or a time from now such as 90d or 12h", expiry),
    costWeight: option(
      "<weight>",
      "cost weight of `auto` for requests that name none, 0 to 1; default: SEXTANT_AUTO_COST_WEIGHT",
      costWeight,
    ),
    ...LIMITS_OF_NEW_KEY,
    ...JSON_OPTION,
  },
  examples: [
    'sextant keys create --name "my app"',
    "sextant keys create --name billing --source billing --scopes inference,traces:read",
    "sextant keys create --name dashboards --scopes traces:read:all --expires 90d",
    "sextant keys create --name interns --requests-per-minute 60 --usd-per-month 25 --max-usd-per-request 0.05",
  ],
  async run(options, context) {
    const newKey = {
      name: options.name,
      source: options.source,
      team: options.team,
      scopes: options.scopes,
      expiresAtMs: options.expires,
      limits: limitsIn(options),
      costWeight: options.costWeight,
    };
    const created = await withRing(context, (ring) => ring.create(newKey));
    const { id, name, source, team, scopes, limits, cost_weight, expires_at } = created.metadata;
    const details = { name, source, team, scopes, limits, cost_weight, expires_at };
    await recordAct({ kind: "key.created", target: keyTarget(created.metadata), details }, context);
    const warning = readsSharedSource(created.metadata) ? `${SHARED_SOURCE}\n` : "";
    await writeKey(created, `${warning}Created ${id}. The key is shown only once:`, {
      json: options.json,
      context,
    });
  },
});

const readsSharedSource = ({ source, scopes }: ApiKeyMetadata): boolean =>
  source === null &&
  scopes.includes("traces:read") &&
  !scopes.includes("traces:read:all") &&
  !scopes.includes("admin");

const SHARED_SOURCE =
  "The key may read the traces, prompts included, of the source `default`, which all keys without --source share.";

const listCommand = command("list", {
  about: "list all keys, oldest first",
  options: JSON_OPTION,
  async run({ json }, context) {
    const keys = await withRing(context, (ring) => ring.list());
    await writeResult(keys, () => keysTable(keys, context), { json, context });
  },
});

const editCommand = command("edit", {
  about: "change the name, limits or expiry of a key; other fields stay",
  operands: [KEY_OPERAND],
  options: {
    name: option("<name>", "what the key is for", keyName),
    team: option("<team>", "team that its requests belong to; `none`: as they say", source),
    expires: option(
      "<when>",
      "when it stops working: a date, a time from now such as 90d or 12h, or `never`",
      orWord("never", expiry),
    ),
    costWeight: option(
      "<weight>",
      "cost weight of `auto`, 0 to 1; `default`: as the settings say",
      orWord("default", costWeight),
    ),
    ...LIMITS_OF_CHANGE,
    ...JSON_OPTION,
  },
  examples: [
    "sextant keys edit key_01J8ZV --usd-per-month 10",
    "sextant keys edit key_01J8ZV --requests-per-minute default --expires never",
  ],
  async run({ json, ...options }, context, id) {
    if (Object.keys(options).length === 0) {
      throw new CommandFailure(
        "nothing to change: name --name, --team, --expires, --cost-weight or a limit (`sextant keys edit --help` lists them)",
        2,
      );
    }
    const { name, team, expires, costWeight: weight } = options;
    const change = {
      name,
      team: team === "none" ? null : team,
      expiresAtMs: expires === "never" ? null : expires,
      costWeight: weight === "default" ? null : weight,
      limits: limitsIn(options),
    };
    const changed = await withRing(context, (ring) => ring.update(id, change));
    const details = snakeCased(options);
    await recordAct({ kind: "key.updated", target: keyTarget(changed), details }, context);
    await writeResult(changed, () => `Changed ${changed.id} (${changed.name}).`, { json, context });
  },
});

const rotateCommand = command("rotate", {
  about:
    "replace a key by a new one with the same id, limits, budget and traces, and print it; it is shown only once",
  operands: [KEY_OPERAND],
  options: {
    grace: option(
      "<time>",
      "how long the old key still works: 0 if it has leaked, or a time such as 30m, 12h or 1d",
      grace,
    ).required(),
    ...JSON_OPTION,
  },
  examples: ["sextant keys rotate key_01J8ZV --grace 0", "sextant keys rotate key_01J8ZV --grace 1d"],
  async run({ grace: graceMs, json }, context, id) {
    const rotated = await withRing(context, (ring) => ring.rotate(id, { graceMs }));
    const { metadata } = rotated;
    const details = { grace_seconds: graceMs / 1000, previous: metadata.previous };
    await recordAct({ kind: "key.rotated", target: keyTarget(metadata), details }, context);
    const old = graceMs === 0 ? "no longer works" : `works until ${metadata.previous?.expires_at}`;
    const text = `Rotated ${metadata.id} (${metadata.name}). The old key ${old}. The new one is shown only once:`;
    await writeKey(rotated, text, { json, context });
  },
});

const revokeCommand = command("revoke", {
  about: "revoke a key permanently",
  operands: [KEY_OPERAND],
  options: JSON_OPTION,
  async run({ json }, context, id) {
    const revoked = await withRing(context, (ring) => ring.revoke(id));
    await recordAct({ kind: "key.revoked", target: keyTarget(revoked), details: {} }, context);
    await writeResult(revoked, () => `Revoked ${revoked.id} (${revoked.name}).`, { json, context });
  },
});

/** `sextant keys`: works on the keys of the data folder; a running server follows within half a second. */
export const keysCommand = group(
  "keys",
  "create, list, change and revoke API keys; a running server follows on its own",
  { commands: [createCommand, listCommand, editCommand, rotateCommand, revokeCommand] },
);

const KEY_COLUMNS = [
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

function keysTable(keys: readonly ApiKeyMetadata[], { stdout, now }: CliContext): string {
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
  return tableFor(stdout, { head: KEY_COLUMNS, rows });
}

const LIMIT_TEXTS: Readonly<Record<keyof ApiKeyMetadata["limits"], (limit: string) => string>> = {
  requests_per_minute: (limit) => `${limit} requests/min`,
  tokens_per_minute: (limit) => `${limit} tokens/min`,
  usd_per_month: (limit) => `${limit} USD/month`,
  max_usd_per_request: (limit) => `${limit} USD/request`,
  allowed_models: (limit) => `models ${limit}`,
  min_cost_weight: (limit) => `weight at least ${limit}`,
};

/** `60 requests/min, 5 USD/month`; a dash where the defaults of the server apply. */
function limitsText(limits: ApiKeyMetadata["limits"]): string {
  const names = Object.keys(LIMIT_TEXTS) as (keyof typeof LIMIT_TEXTS)[];
  const texts = names.flatMap((name) =>
    limits[name] === null ? [] : LIMIT_TEXTS[name](String(limits[name])),
  );
  return texts.join(", ") || "–";
}

const day = (time: string | null): string => time?.slice(0, 10) ?? "–";

function stateOf(key: ApiKeyMetadata, nowMs: number): string {
  if (key.revoked_at !== null) return "revoked";
  return key.expires_at !== null && Date.parse(key.expires_at) <= nowMs ? "expired" : "active";
}
