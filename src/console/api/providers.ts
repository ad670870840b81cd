import type { AdminProviderBody, ConnectionTestBody } from "../../gateway/api/providers.js";
import { call } from "./call.js";

export type { AdminProviderBody as Provider, ConnectionTestBody as ConnectionTest };
export type ServedModel = AdminProviderBody["models"][number];
export type Health = ServedModel["health"];

export async function listProviders(signal: AbortSignal): Promise<readonly AdminProviderBody[]> {
  const { data } = await call<{ readonly data: readonly AdminProviderBody[] }>("/admin/providers", {
    signal,
  });
  return data;
}

/** Sends the provider one small question. */
export const testProvider = (id: string): Promise<ConnectionTestBody> =>
  call(`/admin/providers/${encodeURIComponent(id)}/test`, { method: "POST", body: {} });
