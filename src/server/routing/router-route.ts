import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { chatCompletionSchema } from "../../api/completion.js";
import { inferenceErrors } from "../../api/error.js";
import { routerRequestSchema } from "../../api/router-request.js";
import { decisionBody, decisionJson, decisionSchema } from "../../api/routing.js";
import { type AnswerDependencies, replyWithAnswer } from "../chat/answer-reply.js";
import { chatForm } from "../chat/chat-form.js";
import { routerInferenceRequest } from "../chat/inference-request.js";
import { requestContext } from "../http/request-context.js";

/** `POST /v1/router`: which model should answer, and, unless `execute` is false, its answer. */
export function addRouterRoute(app: FastifyInstance, parts: AnswerDependencies): void {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "POST",
    url: "/v1/router",
    config: { scope: "inference" },
    schema: {
      operationId: "route",
      summary: "Decide which model should answer, and let it",
      tags: ["routing"],
      body: routerRequestSchema(parts.limits),
      response: { 200: z.union([chatCompletionSchema, decisionSchema]), ...inferenceErrors },
    },
    handler: async (request, reply) => {
      const asked = routerInferenceRequest(request.body);
      if (request.body.execute !== false) {
        return replyWithAnswer(asked, { request, reply, form: chatForm, parts });
      }
      const { routing, limitHeaders } = await parts.inference.decide(asked, requestContext(request, reply));
      const { id: requestId, createdAtMs } = request;
      return reply
        .headers(limitHeaders)
        .type("application/json; charset=utf-8")
        .serializer(decisionJson)
        .send(decisionBody(routing, { requestId, createdAtMs }));
    },
  });
}
