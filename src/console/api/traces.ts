import type { AdminTraceListBody, TraceBody } from "../../api/traces/trace.js";
import { call } from "./call.js";
import { namesOf } from "./names.js";

export type { AdminTraceListBody as TraceList, TraceBody as Trace };
export type TraceSummary = AdminTraceListBody["traces"][number];

export const STATUSES = namesOf<TraceBody["status"]>({ success: true, error: true, timeout: true });
export const KINDS = namesOf<TraceBody["kind"]>({
  chat: true,
  completion: true,
  router: true,
  responses: true,
  messages: true,
  embeddings: true,
});

/** @param query as the API takes it */
export const listTraces = (query: URLSearchParams, signal: AbortSignal): Promise<AdminTraceListBody> =>
  call(`/admin/traces?${query}`, { signal });

export const findTrace = (requestId: string, signal: AbortSignal): Promise<TraceBody> =>
  call(`/v1/traces/${encodeURIComponent(requestId)}`, { signal });
