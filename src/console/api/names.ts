import type { TraceBody } from "../../gateway/features/traces/schema/trace.js";
import type { TraceSort } from "../../gateway/features/traces/schema/trace-query.js";

/** The members of a union: the type checker asks for each of them as a key, so that none is forgotten. */
export const namesOf = <Name extends string>(names: Readonly<Record<Name, unknown>>): readonly Name[] =>
  Object.keys(names) as Name[];

export type { TraceSort as Sort };

export const STATUSES = namesOf<TraceBody["status"]>({ success: true, error: true, timeout: true });
export const KINDS = namesOf<TraceBody["kind"]>({
  chat: true,
  completion: true,
  router: true,
  responses: true,
  messages: true,
  embeddings: true,
  comparison: true,
});
export const SORTS = namesOf<TraceSort>({
  created_at: true,
  cost_usd: true,
  latency_ms: true,
  tokens_in: true,
  tokens_out: true,
});
