import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { inferenceErrors } from "../../api/error.js";
import { responseSchema, responsesRequestSchema } from "../../api/responses-request.js";
import { type AnswerDependencies, replyWithAnswer } from "./answer-reply.js";
import { callerOf } from "./auto-choice.js";
import { responsesInferenceRequest } from "./inference-request.js";
import { responsesEncoder } from "./responses-encoder.js";

/** `POST /v1/responses`: OpenAI's newer format, for every model that is configured. */
export function addResponsesRoute(app: FastifyInstance, dependencies: AnswerDependencies): void {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "POST",
    url: "/v1/responses",
    config: { scope: "inference" },
    schema: {
      operationId: "createResponse",
      summary: "Answer a conversation in the format of OpenAI's Responses API",
      tags: ["inference"],
      body: responsesRequestSchema(dependencies.limits),
      response: { 200: responseSchema, ...inferenceErrors },
    },
    handler: (request, reply) =>
      replyWithAnswer(responsesInferenceRequest(request.body, callerOf(request, dependencies.limits)), {
        request,
        reply,
        encoder: responsesEncoder(request.body),
        dependencies,
      }),
  });
}
