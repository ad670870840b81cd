import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { inferenceErrors } from "../../api/error.js";
import { responseSchema, responsesRequestSchema } from "../../api/responses-request.js";
import type { JsonObject } from "../../providers/chat.js";
import type { ServerDependencies } from "../dependencies.js";
import { requestContext } from "../http/request-context.js";
import { type AnswerDependencies, replyWithAnswer } from "./answer-reply.js";
import { callerOf } from "./auto-choice.js";
import { responsesInferenceRequest } from "./inference-request.js";
import { noteResponse, withReferences } from "./response-references.js";
import { responsesEncoder } from "./responses-encoder.js";

/** `POST /v1/responses`: OpenAI's newer format, for every model that is configured. */
export function addResponsesRoute(
  app: FastifyInstance,
  dependencies: AnswerDependencies & Pick<ServerDependencies, "responses" | "now">,
): void {
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
    handler: async (request, reply) => {
      const { responses: memory, now } = dependencies;
      const { id: principal } = requestContext(request, reply).principal;
      const body = await withReferences(request.body, { memory, principal });
      const onResponse = (response: JsonObject): void =>
        noteResponse(response, { request: request.body, memory, principal, now });
      await replyWithAnswer(responsesInferenceRequest(body, callerOf(request, dependencies.limits)), {
        request,
        reply,
        encoder: responsesEncoder({ request: request.body, onResponse }),
        dependencies,
      });
    },
  });
}
