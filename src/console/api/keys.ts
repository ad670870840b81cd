import type {
  CreatedKeyBody,
  KeyBody,
  KeyChangeBody,
  ListedKeyBody,
  NewKeyBody,
} from "../../gateway/features/keys/schema.js";
import type { TraceStatsBody } from "../../gateway/features/traces/schema/stats.js";
import { call, callList } from "./call.js";

export type { CreatedKeyBody as CreatedKey, ListedKeyBody as Key };

/** Newest first; with `errorsSinceMs`, each with its last failed request since then, in milliseconds since the epoch. */
export async function listKeys(
  signal: AbortSignal,
  { errorsSinceMs }: { readonly errorsSinceMs?: number } = {},
): Promise<readonly ListedKeyBody[]> {
  const query = errorsSinceMs === undefined ? {} : { errors_since: new Date(errorsSinceMs).toISOString() };
  return (await callList<ListedKeyBody>("/admin/keys", { query, signal })).toReversed();
}

const pathOf = (id: string): string => `/admin/keys/${encodeURIComponent(id)}`;

export const createKey = (body: NewKeyBody): Promise<CreatedKeyBody> =>
  call("/admin/keys", { method: "POST", body });

export const updateKey = (id: string, body: KeyChangeBody): Promise<KeyBody> =>
  call(pathOf(id), { method: "PATCH", body });

/** @param graceSeconds how long the key goes on working that is replaced */
export const rotateKey = (id: string, graceSeconds: number): Promise<CreatedKeyBody> =>
  call(`${pathOf(id)}/rotate`, { method: "POST", body: { grace_seconds: graceSeconds } });

export const revokeKey = (id: string): Promise<KeyBody> => call(pathOf(id), { method: "DELETE" });

/** Known costs of the running month (UTC) by the id of the key, as its traces have them. */
export async function spendByKey(nowMs: number, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const month = new Date(nowMs).toISOString().slice(0, 7);
  const query = { by: "key", start_date: `${month}-01` };
  const data = await callList<TraceStatsBody>("/admin/traces/stats", { query, signal });
  return new Map(data.map(({ group, cost_usd }) => [group.key ?? "", cost_usd]));
}
