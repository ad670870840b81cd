import type { AdminProviderBody } from "../../api/providers.js";
import { call } from "./call.js";

export type { AdminProviderBody as Provider };
export type ServedModel = AdminProviderBody["models"][number];
export type Health = ServedModel["health"];

export async function listProviders(signal: AbortSignal): Promise<readonly AdminProviderBody[]> {
  const { data } = await call<{ readonly data: readonly AdminProviderBody[] }>("/admin/providers", {
    signal,
  });
  return data;
}
