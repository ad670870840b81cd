import type {
  CreatedKeyBody,
  KeyBody,
  KeyChangeBody,
  ListedKeyBody,
  NewKeyBody,
} from "../../gateway/api/keys.js";
import { call } from "./call.js";

export type { CreatedKeyBody as CreatedKey, ListedKeyBody as Key };

/** Newest first. */
export const listKeys = (signal: AbortSignal): Promise<readonly ListedKeyBody[]> =>
  list("/admin/keys", signal);

/** As `listKeys`, each with its last failed request since then, in milliseconds since the epoch. */
export function listKeysWithErrors(sinceMs: number, signal: AbortSignal): Promise<readonly ListedKeyBody[]> {
  const query = new URLSearchParams({ errors_since: new Date(sinceMs).toISOString() });
  return list(`/admin/keys?${query}`, signal);
}

async function list(path: string, signal: AbortSignal): Promise<readonly ListedKeyBody[]> {
  const { data } = await call<{ readonly data: readonly ListedKeyBody[] }>(path, { signal });
  return data.toReversed();
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
