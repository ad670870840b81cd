import type { SetReportReplyBody } from "../../gateway/api/set-report.js";
import { call } from "./call.js";

export type { SetReportReplyBody as SetReport };

/** @param set name of one of several sets; null: the first */
export function loadSetReport(set: string | null, signal: AbortSignal): Promise<SetReportReplyBody> {
  const query = set === null ? "" : `?${new URLSearchParams({ set })}`;
  return call(`/admin/router/report${query}`, { signal });
}
