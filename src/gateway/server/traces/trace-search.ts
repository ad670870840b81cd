import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { SextantError } from "../../../foundation/errors.js";
import type { Principal, Scope } from "../../access/principal.js";
import { sourceOf } from "../../access/source.js";
import { errorResponses } from "../../api/error.js";
import { type RawQuery, type SearchQuery, TRACE_QUERY_DESCRIPTION } from "../../api/traces/trace-query.js";
import type { QueryOptions, TraceScope } from "../../traces/store.js";

/** A route that searches traces by its query string. */
export interface TraceSearch<Asked> {
  readonly url: string;
  /** Default: `admin`. */
  readonly scope?: Scope;
  readonly operationId: string;
  readonly summary: string;
  readonly query: SearchQuery<Asked>;
  readonly answer: z.ZodType;
  /** @returns a body, to which the request's id is added; or bytes or a stream, which are sent as they are */
  readonly search: (asked: Asked, options: QueryOptions, exchange: SearchExchange) => Promise<object>;
}

interface SearchExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Adds a route that answers a search with what is found within the caller's scope. */
export function addTraceSearch<Asked>(
  app: FastifyInstance,
  { url, scope = "admin", operationId, summary, query, answer, search }: TraceSearch<Asked>,
): void {
  app.route<{ readonly Querystring: RawQuery }>({
    method: "GET",
    url,
    config: { scope },
    validatorCompiler: uncheckedQuery,
    schema: {
      operationId,
      summary,
      description: TRACE_QUERY_DESCRIPTION,
      tags: [scope === "admin" ? "administration" : "traces"],
      querystring: query.schema,
      response: { 200: answer, ...errorResponses(400, 401, 403, 500, 503, 504) },
    },
    handler: (request, reply) => {
      const asked = query.parse(request.query as RawQuery);
      return replyWithQuery({ request, reply }, async (options) => {
        const found = await search(asked, options, { request, reply } as SearchExchange);
        const isSentAsItIs = found instanceof Readable || found instanceof Uint8Array;
        return isSentAsItIs ? found : { ...found, request_id: request.id };
      });
    },
  });
}

/** `SearchQuery.parse` checks queries, with words of its own: the schemas of routes are their documentation alone. */
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
    return reply.send(answer);
  } catch (fault) {
    // The client is gone.
    if (!reply.raw.destroyed) throw fault;
    return reply.hijack();
  }
}

/**
 * Whose traces a principal with the scope `traces:read` may see: all with `traces:read:all` or `admin`, else those of its
 * own source.
 *
 * Without a bound source that is `default`, where the requests of such principals go unless they name a source. Which one
 * they name does not count here: anyone can send `x-source`, and would read what bound keys did.
 */
function traceScopeOf(principal: Pick<Principal, "scopes" | "source">): TraceScope {
  const { scopes } = principal;
  if (scopes.includes("traces:read:all") || scopes.includes("admin")) return "all";
  return ownSource(principal);
}

/**
 * For whose traces a principal with the scope `inference` may give feedback: all with `admin`, else those of its own source.
 * The right to read all is none to change them.
 */
export const feedbackScopeOf = (principal: Pick<Principal, "scopes" | "source">): TraceScope =>
  principal.scopes.includes("admin") ? "all" : ownSource(principal);

const ownSource = (principal: Pick<Principal, "source">): TraceScope => ({
  source: sourceOf(principal, undefined),
});

/** That there is no such trace, or none that the caller may use; to operators also why the request was refused. */
export function unknownTrace(requestId: string, refusal?: string): SextantError {
  if (refusal !== undefined)
    return new SextantError("trace_not_found", `The request was refused, and has no trace: ${refusal}`);
  return new SextantError(
    "trace_not_found",
    `There is no trace ${JSON.stringify(requestId.slice(0, 40))} that this key may see. Traces of refused requests are not ` +
      "kept; one of a request that has just ended can take a moment.",
  );
}
