import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { textCompletionSchema } from "../../api/completion.js";
import { completionRequestSchema } from "../../api/completion-request.js";
import { inferenceErrors } from "../../api/error.js";
import { type AnswerDependencies, replyWithAnswer } from "./answer-reply.js";
import { callerOf } from "./auto-choice.js";
import { completionInferenceRequest } from "./inference-request.js";
import { wantsUsageEvent } from "./response-encoder.js";
import { textCompletionEncoder } from "./text-completion-encoder.js";

/** `POST /v1/completions`: OpenAI's older format; models that can only chat answer it as well. */
export function addCompletionsRoute(app: FastifyInstance, dependencies: AnswerDependencies): void {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "POST",
    url: "/v1/completions",
    config: { scope: "inference" },
    schema: {
      operationId: "createCompletion",
      summary: "Go on from a text",
      tags: ["inference"],
      body: completionRequestSchema,
      response: { 200: textCompletionSchema, ...inferenceErrors },
    },
    handler: (request, reply) =>
      replyWithAnswer(completionInferenceRequest(request.body, callerOf(request, dependencies.limits)), {
        request,
        reply,
        encoder: textCompletionEncoder(wantsUsageEvent(request.body)),
        dependencies,
      }),
  });
}
