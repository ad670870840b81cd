import { call } from "./call.js";

export const SCOPES = ["inference", "traces:read", "traces:read:all", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** An API key, as `GET /admin/keys` has it. */
export interface Key {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly source: string | null;
  readonly scopes: readonly Scope[];
  readonly limits: {
    readonly requests_per_minute: number | null;
    readonly tokens_per_minute: number | null;
    readonly usd_per_month: number | null;
  };
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
}

export type NewKey = Pick<Key, "name" | "source" | "scopes" | "limits" | "expires_at">;

/** The only answer that holds the key itself. */
export type CreatedKey = Key & { readonly key: string };

/** Newest first. */
export async function listKeys(signal: AbortSignal): Promise<readonly Key[]> {
  const { data } = await call<{ readonly data: readonly Key[] }>("/admin/keys", { signal });
  return data.toReversed();
}

export const createKey = (body: NewKey): Promise<CreatedKey> => call("/admin/keys", { method: "POST", body });

export const revokeKey = (id: string): Promise<Key> =>
  call(`/admin/keys/${encodeURIComponent(id)}`, { method: "DELETE" });
