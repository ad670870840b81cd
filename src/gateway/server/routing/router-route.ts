import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { chatCompletionSchema } from "../../api/completion.js";
import { inferenceErrors } from "../../api/error.js";
import { routerRequestSchema } from "../../api/router-request.js";
import { decisionBody, decisionJson, decisionSchema } from "../../api/routing.js";
import { type AnswerDependencies, replyWithAnswer } from "../chat/answer-reply.js";
import { chatCompletionEncoder } from "../chat/chat-completion-encoder.js";
import { routerInferenceRequest } from "../chat/inference-request.js";
import { wantsUsageEvent } from "../chat/response-encoder.js";
import { requestContext } from "../http/request-context.js";

/** `POST /v1/router`: which model should answer, and, unless `execute` is false, its answer. */
export function addRouterRoute(app: FastifyInstance, dependencies: AnswerDependencies): void {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "POST",
    url: "/v1/router",
    config: { scope: "inference" },
    schema: {
      operationId: "route",
      summary: "Decide which model should answer, and let it",
      tags: ["routing"],
      body: routerRequestSchema(dependencies.limits),
      response: { 200: z.union([chatCompletionSchema, decisionSchema]), ...inferenceErrors },
    },
    handler: async (request, reply) => {
      const asked = routerInferenceRequest(request.body);
      if (request.body.execute !== false) {
        return replyWithAnswer(asked, {
          request,
          reply,
          encoder: chatCompletionEncoder(wantsUsageEvent(request.body)),
          dependencies,
        });
      }
      const { routing, limitHeaders } = await dependencies.inference.decide(
        asked,
        requestContext(request, reply),
      );
      const { id: requestId, createdAtMs } = request;
      return reply
        .headers(limitHeaders)
        .type("application/json; charset=utf-8")
        .serializer(decisionJson)
        .send(decisionBody(routing, { requestId, createdAtMs }));
    },
  });
}
