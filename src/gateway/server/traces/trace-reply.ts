import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../../access/principal.js";
import type { RawQuery } from "../../api/traces/trace-query.js";
import type { QueryOptions, TraceScope } from "../../traces/store.js";
import { traceScopeOf } from "./trace-scope.js";

export interface WithQuery {
  readonly Querystring: RawQuery;
}

/** `parseTraceQuery` checks queries, with words of its own: the schemas of routes are their documentation alone. */
export const uncheckedQuery = () => (value: unknown) => ({ value });

interface Exchange {
  readonly request: Pick<FastifyRequest, "principal">;
  readonly reply: FastifyReply;
  /** Whose traces the query may use; default `traceScopeOf`. */
  readonly scopeOf?: (principal: Principal) => TraceScope;
}

/** Sends what the query makes, a stream or a body. The query is given the caller's scope, and ends when the caller goes away. */
export async function replyWithQuery(
  { request, reply, scopeOf = traceScopeOf }: Exchange,
  query: (options: QueryOptions) => Promise<object>,
): Promise<FastifyReply> {
  const { principal } = request;
  if (principal === null) throw new TypeError("The route has no authentication.");
  const signal = reply.server.shutdown.signalOf(reply.raw);
  try {
    const answer = await query({ scope: scopeOf(principal), signal });
    // Traces hold prompts, which must not stay in a cache on the way.
    return reply.header("cache-control", "no-store").send(answer);
  } catch (fault) {
    // The client is gone.
    if (!reply.raw.destroyed) throw fault;
    return reply.hijack();
  }
}
