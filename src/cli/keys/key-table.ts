import type { ApiKeyMetadata } from "../../gateway/access/keys/api-key.js";
import type { CliContext } from "../context.js";
import { tableFor } from "../table.js";

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
