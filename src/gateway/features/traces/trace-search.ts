import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { SextantError } from "../../../foundation/errors.js";
import type { Principal, Scope } from "../../access/principal.js";
import { sourceOf } from "../../access/source.js";
import { addRoute } from "../../http/route.js";
import type { QueryOptions, TraceScope } from "../../traces/store.js";
import { type RawQuery, type SearchQuery, TRACE_QUERY_DESCRIPTION } from "./schema/trace-query.js";

/** A route that searches traces by its query string. */
interface TraceSearch<Asked> {
  readonly url: `/${string}`;
  /** Default: `admin`. */
  readonly scope?: Scope;
  readonly operationId: string;
  readonly summary: string;
  readonly query: SearchQuery<Asked>;
  readonly answer: z.ZodType<object | string>;
  /** @returns as `JsonRoute.handle` */
  readonly search: (asked: Asked, options: QueryOptions, exchange: SearchExchange) => Promise<object>;
}

interface SearchExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Adds a route that answers a search with what is found within the caller's scope. */
export function addTraceSearch<Asked>(
  app: FastifyInstance,
  { url, scope = "admin", query, search, ...route }: TraceSearch<Asked>,
): void {
  addRoute(app, {
    ...route,
    route: `GET ${url}`,
    scope,
    tag: scope === "admin" ? "administration" : "traces",
    description: TRACE_QUERY_DESCRIPTION,
    query: query.schema,
    // `SearchQuery.parse` checks queries, with words of its own: their schemas are documentation alone.
    validatorCompiler: () => (value: unknown) => ({ value }),
    errors: [503, 504],
    handle: ({ request, reply }) =>
      search(query.parse(request.query as RawQuery), queryOptions({ request, reply }), { request, reply }),
  });
}

/** Whose traces a query of the caller may use, and that it ends when the caller goes away. */
export function queryOptions(
  { request, reply }: SearchExchange,
  scopeOf: (principal: Principal) => TraceScope = traceScopeOf,
): QueryOptions {
  const { principal } = request;
  if (principal === null) throw new TypeError("The route has no authentication.");
  return { scope: scopeOf(principal), signal: reply.server.shutdown.signalOf(reply.raw) };
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
