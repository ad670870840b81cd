import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { errorResponses } from "../../api/error.js";
import { traceBody, traceListBody, traceListSchema, traceSchema } from "../../api/traces/trace.js";
import { traceQuery } from "../../api/traces/trace-query.js";
import type { ServerDependencies } from "../dependencies.js";
import { addTraceSearch, replyWithQuery, uncheckedQuery, unknownTrace } from "./trace-search.js";

/** `GET /v1/traces` and `GET /v1/traces/{request_id}`: finished requests, within what the caller may see. */
export function addTraceRoutes(
  app: FastifyInstance,
  { traces, keys }: Pick<ServerDependencies, "traces" | "keys">,
): void {
  addTraceSearch(app, {
    url: "/v1/traces",
    scope: "traces:read",
    operationId: "listTraces",
    summary: "Search the finished requests",
    query: traceQuery,
    answer: traceListSchema,
    search: async (asked, options) => traceListBody(await traces.ask("list", asked, options)),
  });
  app.route<{ readonly Params: { readonly request_id: string } }>({
    method: "GET",
    url: "/v1/traces/:request_id",
    config: { scope: "traces:read" },
    validatorCompiler: uncheckedQuery,
    schema: {
      operationId: "retrieveTrace",
      summary: "Look up one finished request",
      tags: ["traces"],
      params: z.object({ request_id: z.string() }),
      response: { 200: traceSchema, ...errorResponses(401, 403, 404, 500, 503, 504) },
    },
    handler: (request, reply) =>
      replyWithQuery({ request, reply }, async (options) => {
        const trace = await traces.ask("find", request.params.request_id, options);
        if (trace === undefined) throw unknownTrace(request.params.request_id);
        return traceBody(trace, (id) => keys.nameOf(id));
      }),
  });
}
