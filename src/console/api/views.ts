import type { ViewBody } from "../../gateway/api/views.js";
import { call, callList } from "./call.js";

/** By name. */
export const listViews = (signal: AbortSignal): Promise<readonly ViewBody[]> =>
  callList("/admin/views", { signal });

const pathOf = (name: string): string => `/admin/views/${encodeURIComponent(name)}`;

/** @param path below the console, with its query */
export const saveView = (name: string, path: string): Promise<ViewBody> =>
  call(pathOf(name), { method: "PUT", body: { path } });

export const removeView = (name: string): Promise<unknown> => call(pathOf(name), { method: "DELETE" });
