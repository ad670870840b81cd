import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { ServerDependencies } from "../../dependencies.js";
import { addRoute } from "../../http/route.js";
import { feedbackRequestSchema, feedbackSchema, traceFeedbackBody } from "./schema/feedback.js";
import { traceBody, traceListBody, traceListSchema, traceSchema } from "./schema/trace.js";
import { traceQuery } from "./schema/trace-query.js";
import { addTraceSearch, feedbackScopeOf, queryOptions, unknownTrace } from "./trace-search.js";

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
  addRoute(app, {
    route: "GET /v1/traces/:request_id",
    scope: "traces:read",
    operationId: "retrieveTrace",
    summary: "Look up one finished request",
    tag: "traces",
    params: z.object({ request_id: z.string() }),
    answer: traceSchema,
    errors: [503, 504],
    async handle({ params: { request_id: id }, ...exchange }) {
      const trace = await traces.ask("find", id, queryOptions(exchange));
      if (trace === undefined) throw unknownTrace(id);
      return traceBody(trace, (id) => keys.nameOf(id));
    },
  });
}

/** `POST /v1/feedback`: what the client of a finished request says of its outcome. */
export function addFeedbackRoute(
  app: FastifyInstance,
  { giveFeedback }: Pick<ServerDependencies, "giveFeedback">,
): void {
  addRoute(app, {
    route: "POST /v1/feedback",
    scope: "inference",
    operationId: "giveFeedback",
    summary: "Say how good the outcome of a request was",
    tag: "traces",
    body: feedbackRequestSchema,
    answer: feedbackSchema,
    errors: [404, 503, 504],
    async handle({ body: { request_id: requestId, score, comment = null }, ...exchange }) {
      const options = queryOptions(exchange, feedbackScopeOf);
      const feedback = await giveFeedback(requestId, { score, comment }, options);
      if (feedback === undefined) throw unknownTrace(requestId);
      return { object: "feedback" as const, request_id: requestId, ...traceFeedbackBody(feedback) };
    },
  });
}
