import type { NewPauseBody, PauseBody } from "../../gateway/features/pauses/schema.js";
import { call, callList } from "./call.js";

export type { PauseBody as Pause };

/** Those in force, the newest first. */
export const listPauses = (signal: AbortSignal): Promise<readonly PauseBody[]> =>
  callList("/admin/pauses", { signal });

export const startPause = (body: NewPauseBody): Promise<PauseBody> =>
  call("/admin/pauses", { method: "POST", body });

export const endPause = (id: string): Promise<PauseBody> =>
  call(`/admin/pauses/${encodeURIComponent(id)}`, { method: "DELETE" });
