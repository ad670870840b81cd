import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { inferenceErrors } from "../../api/error.js";
import {
  countTokensRequestSchema,
  messageSchema,
  messagesRequestSchema,
  tokenCountSchema,
} from "../../api/messages-request.js";
import { requestContext } from "../http/request-context.js";
import { type AnswerDependencies, replyWithAnswer } from "./answer-reply.js";
import { callerOf } from "./auto-choice.js";
import { messagesInferenceRequest } from "./inference-request.js";
import { messagesEncoder } from "./messages-encoder.js";

/** `POST /v1/messages` and its counting of tokens: Anthropic's, for every model that is configured. */
export function addMessagesRoutes(app: FastifyInstance, dependencies: AnswerDependencies): void {
  const asked = (body: Parameters<typeof messagesInferenceRequest>[0], request: FastifyRequest) =>
    messagesInferenceRequest(body, {
      headers: betaHeaders(request),
      caller: callerOf(request, dependencies.limits),
    });
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.route({
    method: "POST",
    url: "/v1/messages",
    config: { scope: "inference", errorFormat: "messages" },
    schema: {
      operationId: "createMessage",
      summary: "Answer a conversation in the format of Anthropic's Messages API",
      tags: ["inference"],
      body: messagesRequestSchema(dependencies.limits),
      response: { 200: messageSchema, ...inferenceErrors },
    },
    handler: (request, reply) =>
      replyWithAnswer(asked(request.body, request), {
        request,
        reply,
        encoder: messagesEncoder,
        dependencies,
      }),
  });
  typed.route({
    method: "POST",
    url: "/v1/messages/count_tokens",
    config: { scope: "inference", errorFormat: "messages" },
    schema: {
      operationId: "countMessageTokens",
      summary: "Count the tokens of a prompt in the format of Anthropic's Messages API",
      tags: ["inference"],
      body: countTokensRequestSchema(dependencies.limits),
      response: { 200: tokenCountSchema, ...inferenceErrors },
    },
    handler: async (request, reply) => {
      const inference = asked(request.body, request);
      const count = await dependencies.inference.countTokens(inference, requestContext(request, reply));
      return reply
        .headers(count.limitHeaders)
        .send({ input_tokens: count.tokens, ...(count.estimated ? { estimated: true } : {}) });
    },
  });
}

/** What Anthropic's clients ask for beyond the API's version. */
function betaHeaders({ headers }: FastifyRequest): Readonly<Record<string, string>> {
  const beta = headers["anthropic-beta"];
  return typeof beta === "string" ? { "anthropic-beta": beta } : {};
}
