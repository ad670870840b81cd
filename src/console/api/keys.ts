import type { CreatedKeyBody, KeyBody, NewKeyBody } from "../../api/keys.js";
import { call } from "./call.js";

export type { CreatedKeyBody as CreatedKey, KeyBody as Key, NewKeyBody as NewKey };

/** What each scope lets a key do. */
export const SCOPES: Readonly<Record<KeyBody["scopes"][number], string>> = {
  inference: "Run models and route prompts.",
  "traces:read": "Read traces of its own source.",
  "traces:read:all": "Read traces of every source.",
  admin: "Everything, this console and other keys included.",
};

/** Newest first. */
export async function listKeys(signal: AbortSignal): Promise<readonly KeyBody[]> {
  const { data } = await call<{ readonly data: readonly KeyBody[] }>("/admin/keys", { signal });
  return data.toReversed();
}

export const createKey = (body: NewKeyBody): Promise<CreatedKeyBody> =>
  call("/admin/keys", { method: "POST", body });

export const revokeKey = (id: string): Promise<KeyBody> =>
  call(`/admin/keys/${encodeURIComponent(id)}`, { method: "DELETE" });
