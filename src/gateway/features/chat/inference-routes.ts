import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { TextAllowance, type TextRoom } from "../../../foundation/bounded-text.js";
import { chatRequestSchema } from "../../api/chat-request.js";
import { chatCompletionSchema, textCompletionSchema } from "../../api/completion.js";
import { completionRequestSchema } from "../../api/completion-request.js";
import { inferenceErrors } from "../../api/error.js";
import {
  type CountTokensRequestBody,
  countTokensRequestSchema,
  type MessagesRequestBody,
  messageSchema,
  messagesRequestSchema,
  tokenCountSchema,
} from "../../api/messages-request.js";
import {
  compactedSchema,
  compactRequestSchema,
  type ResponsesRequestBody,
  responseSchema,
  responsesRequestSchema,
} from "../../api/responses-request.js";
import type { ServerDependencies } from "../../dependencies.js";
import { overloaded } from "../../http/error-reply.js";
import { requestContext } from "../../http/request-context.js";
import { type AnswerDependencies, type Exchange, replyWithAnswer } from "./answer-reply.js";
import { callerOf } from "./auto-choice.js";
import { chatCompletionEncoder } from "./chat-completion-encoder.js";
import { compactionEncoder, compactionRequest } from "./compaction.js";
import {
  type AnthropicApi,
  CHAT,
  COMPLETIONS,
  inferenceRequest,
  messages,
  RESPONSES,
} from "./inference-request.js";
import { messagesEncoder } from "./messages-encoder.js";
import type { ResponseEncoder } from "./response-encoder.js";
import { boundTo, noteResponse, withReferences } from "./response-references.js";
import { responsesEncoder } from "./responses-encoder.js";
import { textCompletionEncoder } from "./text-completion-encoder.js";

/** Answers in the formats of OpenAI's and Anthropic's APIs, for every model that is configured. */
export function addAnswerRoutes(
  app: FastifyInstance,
  dependencies: AnswerDependencies & Pick<ServerDependencies, "responses">,
): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const { limits, responses: memory } = dependencies;
  const room: TextRoom = { freeBytes: limits.traceBufferBytes };
  async function respond(
    exchange: Omit<Exchange, "encoder">,
    asked: ResponsesRequestBody,
    encoded: (encoder: ResponseEncoder) => ResponseEncoder = (encoder) => encoder,
  ): Promise<void> {
    const { request, reply } = exchange;
    const { id: principal } = requestContext(request, reply).principal;
    const { body, ...made } = await withReferences(asked, { memory, principal });
    const encoder = responsesEncoder({
      request: asked,
      onResponse: (response, madeBy) =>
        noteResponse(response, { request: asked, memory, principal, key: madeBy }),
      keep: asked.stream === true ? keptTexts(reply, room) : undefined,
    });
    const inference = boundTo(made, inferenceRequest(RESPONSES, body, callerOf(request, limits)));
    await replyWithAnswer(inference, { ...exchange, encoder: encoded(encoder) });
  }
  typed.route({
    method: "POST",
    url: "/v1/chat/completions",
    config: { scope: "inference" },
    schema: {
      operationId: "createChatCompletion",
      summary: "Answer a conversation",
      tags: ["inference"],
      body: chatRequestSchema(limits),
      response: { 200: chatCompletionSchema, ...inferenceErrors },
    },
    handler: (request, reply) =>
      replyWithAnswer(inferenceRequest(CHAT, request.body, callerOf(request, limits)), {
        request,
        reply,
        dependencies,
        encoder: chatCompletionEncoder(request.body),
      }),
  });
  // OpenAI's older format; models that can only chat answer it as well.
  typed.route({
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
      replyWithAnswer(inferenceRequest(COMPLETIONS, request.body, callerOf(request, limits)), {
        request,
        reply,
        dependencies,
        encoder: textCompletionEncoder(request.body),
      }),
  });
  typed.route({
    method: "POST",
    url: "/v1/responses",
    config: { scope: "inference" },
    schema: {
      operationId: "createResponse",
      summary: "Answer a conversation in the format of OpenAI's Responses API",
      tags: ["inference"],
      body: responsesRequestSchema(limits),
      response: { 200: responseSchema, ...inferenceErrors },
    },
    handler: (request, reply) => respond({ request, reply, dependencies }, request.body),
  });
  typed.route({
    method: "POST",
    url: "/v1/responses/compact",
    config: { scope: "inference" },
    schema: {
      operationId: "compactResponse",
      summary: "Compact a conversation in the format of OpenAI's Responses API",
      tags: ["inference"],
      body: compactRequestSchema(limits),
      response: { 200: compactedSchema, ...inferenceErrors },
    },
    handler: (request, reply) => {
      const body = compactionRequest(request.body);
      return respond({ request, reply, dependencies }, body, (encoder) => compactionEncoder(body, encoder));
    },
  });
  const message = (body: CountTokensRequestBody & Partial<MessagesRequestBody>, request: FastifyRequest) =>
    inferenceRequest(messages(anthropicApi(request)), body, callerOf(request, limits));
  typed.route({
    method: "POST",
    url: "/v1/messages",
    config: { scope: "inference", errorFormat: "messages" },
    schema: {
      operationId: "createMessage",
      summary: "Answer a conversation in the format of Anthropic's Messages API",
      tags: ["inference"],
      body: messagesRequestSchema(limits),
      response: { 200: messageSchema, ...inferenceErrors },
    },
    handler: (request, reply) =>
      replyWithAnswer(message(request.body, request), {
        request,
        reply,
        dependencies,
        encoder: messagesEncoder,
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
      body: countTokensRequestSchema(limits),
      response: { 200: tokenCountSchema, ...inferenceErrors },
    },
    handler: async (request, reply) => {
      const asked = message(request.body, request);
      const count = await dependencies.inference.countTokens(asked, requestContext(request, reply));
      return reply
        .headers(count.limitHeaders)
        .send({ input_tokens: count.tokens, ...(count.estimated ? { estimated: true } : {}) });
    },
  });
}

/** The version of Anthropic's API that a client asks for, and what beyond that. */
function anthropicApi({ headers }: FastifyRequest): AnthropicApi {
  const [version, betas] = ["anthropic-version", "anthropic-beta"].map((name) => String(headers[name] ?? ""));
  return { version, betas: betas?.split(",").flatMap((beta) => beta.trim() || []) };
}

/** Counts texts that are held until a reply has ended, of all replies together. */
function keptTexts({ raw }: FastifyReply, room: TextRoom): (text: string) => void {
  const allowance = new TextAllowance(Number.POSITIVE_INFINITY, room);
  raw.once("close", () => allowance.release());
  return (text) => {
    if (allowance.take(text) === text) return;
    throw overloaded(
      "The responses that are streamed now fill the memory for their texts (`trace_buffer_bytes`). Read streams as they come, or try again.",
    );
  };
}
