import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { SextantError } from "../../errors.js";
import type { QueryOptions } from "../../traces/store.js";
import { METADATA_PARAMETER, parseTraceQuery, type RawQuery } from "../../traces/trace-query.js";
import type { TraceQueries } from "../parts.js";
import { disconnectSignal } from "../request-context.js";
import { errorResponses } from "../schemas/error-responses.js";
import {
  statsQuerySchema,
  traceListSchema,
  traceQuerySchema,
  traceSchema,
  traceStatsSchema,
} from "../schemas/traces.js";
import { parseStatsQuery } from "../stats-query.js";
import { statsBody, traceBody, traceListBody } from "../trace-body.js";
import { traceScopeOf } from "../trace-scope.js";

interface WithQuery {
  readonly Querystring: RawQuery;
}

/** Queries are read by `parseTraceQuery`; the schemas of these routes are their documentation. */
const validatorCompiler = () => (value: unknown) => ({ value });

/** `GET /v1/traces` and `GET /v1/traces/{request_id}`: finished requests, within what the caller may see. */
export function addTraceRoutes(app: FastifyInstance, traces: TraceQueries): void {
  app.route<WithQuery>({
    method: "GET",
    url: "/v1/traces",
    config: { scope: "traces:read" },
    validatorCompiler,
    schema: {
      operationId: "listTraces",
      summary: "Search the finished requests",
      description: `Besides the parameters below: ${METADATA_PARAMETER}`,
      tags: ["traces"],
      querystring: traceQuerySchema,
      response: { 200: traceListSchema, ...errorResponses(400, 401, 403, 500, 503, 504) },
    },
    handler: (request, reply) => {
      const { filter, page } = parseTraceQuery(request.query);
      return replyWithQuery({ request, reply }, async (options) => ({
        ...traceListBody(await traces.list(filter, page, options)),
        request_id: request.id,
      }));
    },
  });
  app.route<{ readonly Params: { readonly request_id: string } }>({
    method: "GET",
    url: "/v1/traces/:request_id",
    config: { scope: "traces:read" },
    validatorCompiler,
    schema: {
      operationId: "retrieveTrace",
      summary: "Look up one finished request",
      tags: ["traces"],
      params: z.object({ request_id: z.string() }),
      response: { 200: traceSchema, ...errorResponses(401, 403, 404, 500, 503, 504) },
    },
    handler: (request, reply) =>
      replyWithQuery({ request, reply }, async (options) => {
        const trace = await traces.find(request.params.request_id, options);
        if (trace === undefined) throw unknownTrace(request.params.request_id);
        return traceBody(trace);
      }),
  });
}

/** `GET /admin/traces/stats`: spend, tokens, errors and latency of groups of requests. */
export function addTraceStatsRoute(app: FastifyInstance, traces: TraceQueries): void {
  app.route<WithQuery>({
    method: "GET",
    url: "/admin/traces/stats",
    config: { scope: "admin" },
    validatorCompiler,
    schema: {
      operationId: "traceStatistics",
      summary: "Sum up the finished requests",
      description: `Besides the parameters below: ${METADATA_PARAMETER}`,
      tags: ["administration"],
      querystring: statsQuerySchema,
      response: { 200: traceStatsSchema, ...errorResponses(400, 401, 403, 500, 503, 504) },
    },
    handler: (request, reply) => {
      const { filter, by } = parseStatsQuery(request.query);
      return replyWithQuery({ request, reply }, async (options) => ({
        object: "list",
        data: (await traces.stats(filter, by, options)).map(statsBody),
        request_id: request.id,
      }));
    },
  });
}

interface Exchange {
  readonly request: Pick<FastifyRequest, "principal">;
  readonly reply: FastifyReply;
}

/** Sends what the query makes. The query is given the caller's scope, and ends when the caller goes away. */
async function replyWithQuery(
  { request, reply }: Exchange,
  query: (options: QueryOptions) => Promise<object>,
): Promise<void> {
  const { principal } = request;
  if (principal === null) throw new TypeError("The route has no authentication.");
  const signal = disconnectSignal(reply);
  try {
    const body = await query({ scope: traceScopeOf(principal), signal });
    // Traces hold prompts, which must not stay in a cache on the way.
    reply.header("cache-control", "no-store").send(body);
  } catch (fault) {
    // Nobody is left to be told.
    if (!signal.aborted) throw fault;
    reply.hijack();
  }
}

function unknownTrace(requestId: string): SextantError {
  return new SextantError(
    "trace_not_found",
    `There is no trace ${JSON.stringify(requestId.slice(0, 40))} that this key may see. Traces of refused requests are not ` +
      "kept; one of a request that has just ended can take a moment.",
  );
}
