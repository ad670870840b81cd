import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { chatRequestSchema } from "../../api/chat-request.js";
import { chatCompletionSchema } from "../../api/completion.js";
import { inferenceErrors } from "../../api/error.js";
import { type AnswerDependencies, replyWithAnswer } from "./answer-reply.js";
import { callerOf } from "./auto-choice.js";
import { chatCompletionEncoder } from "./chat-completion-encoder.js";
import { chatInferenceRequest } from "./inference-request.js";
import { wantsUsageEvent } from "./response-encoder.js";

/** `POST /v1/chat/completions`: OpenAI's, for every model that is configured. */
export function addChatCompletionsRoute(app: FastifyInstance, dependencies: AnswerDependencies): void {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "POST",
    url: "/v1/chat/completions",
    config: { scope: "inference" },
    schema: {
      operationId: "createChatCompletion",
      summary: "Answer a conversation",
      tags: ["inference"],
      body: chatRequestSchema(dependencies.limits),
      response: { 200: chatCompletionSchema, ...inferenceErrors },
    },
    handler: (request, reply) =>
      replyWithAnswer(chatInferenceRequest(request.body, callerOf(request, dependencies.limits)), {
        request,
        reply,
        encoder: chatCompletionEncoder(wantsUsageEvent(request.body)),
        dependencies,
      }),
  });
}
