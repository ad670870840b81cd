import type { TraceBody } from "../../gateway/api/traces/trace.js";
import type { TraceSort } from "../../gateway/api/traces/trace-query.js";
import { namesOf } from "./names.js";

export type { TraceSort as Sort };

export const STATUSES = namesOf<TraceBody["status"]>({ success: true, error: true, timeout: true });
export const KINDS = namesOf<TraceBody["kind"]>({
  chat: true,
  completion: true,
  router: true,
  responses: true,
  messages: true,
  embeddings: true,
});
export const SORTS = namesOf<TraceSort>({
  created_at: true,
  cost_usd: true,
  latency_ms: true,
  tokens_in: true,
  tokens_out: true,
});
