import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { errorResponses } from "../../api/error.js";
import {
  type FeedbackRequest,
  feedbackRequestSchema,
  feedbackSchema,
  traceFeedbackBody,
} from "../../api/traces/feedback.js";
import { traceBody, traceListBody, traceListSchema, traceSchema } from "../../api/traces/trace.js";
import { traceQuery } from "../../api/traces/trace-query.js";
import type { ServerDependencies } from "../dependencies.js";
import {
  addTraceSearch,
  feedbackScopeOf,
  replyWithQuery,
  uncheckedQuery,
  unknownTrace,
} from "./trace-search.js";

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

/** `POST /v1/feedback`: what the client of a finished request says of its outcome. */
export function addFeedbackRoute(
  app: FastifyInstance,
  { giveFeedback }: Pick<ServerDependencies, "giveFeedback">,
): void {
  app.route<{ readonly Body: FeedbackRequest }>({
    method: "POST",
    url: "/v1/feedback",
    config: { scope: "inference" },
    schema: {
      operationId: "giveFeedback",
      summary: "Say how good the outcome of a request was",
      tags: ["traces"],
      body: feedbackRequestSchema,
      response: { 200: feedbackSchema, ...errorResponses(400, 401, 403, 404, 413, 415, 500, 503, 504) },
    },
    handler: (request, reply) => {
      const { request_id: requestId, score, comment = null } = request.body;
      return replyWithQuery({ request, reply, scopeOf: feedbackScopeOf }, async (options) => {
        const feedback = await giveFeedback(requestId, { score, comment }, options);
        if (feedback === undefined) throw unknownTrace(requestId);
        return { object: "feedback", request_id: requestId, ...traceFeedbackBody(feedback) };
      });
    },
  });
}
