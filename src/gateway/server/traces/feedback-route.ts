import type { FastifyInstance } from "fastify";
import { errorResponses } from "../../api/error.js";
import {
  type FeedbackRequest,
  feedbackRequestSchema,
  feedbackSchema,
  traceFeedbackBody,
} from "../../api/traces/feedback.js";
import type { ServerDependencies } from "../dependencies.js";
import { feedbackScopeOf, replyWithQuery, unknownTrace } from "./trace-search.js";

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
