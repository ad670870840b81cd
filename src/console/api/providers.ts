import type {
  AdminProviderBody,
  AdminProviderListBody,
  ConnectionTestBody,
} from "../../gateway/features/providers/schema.js";
import { call } from "./call.js";

export type { AdminProviderBody as Provider, ConnectionTestBody as ConnectionTest };
export type ServedModel = AdminProviderBody["models"][number];
export type Health = ServedModel["health"];

export const listProviders = (signal: AbortSignal): Promise<AdminProviderListBody> =>
  call("/admin/providers", { signal });

/** Sends the provider one small question. */
export const testProvider = (id: string): Promise<ConnectionTestBody> =>
  call(`/admin/providers/${encodeURIComponent(id)}/test`, { method: "POST", body: {} });
