import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { inferenceErrors } from "../../api/error.js";
import { noteError } from "../../http/plugins/errors.js";
import { requestContext } from "../../http/request-context.js";
import { isJsonObject } from "../../providers/chat.js";
import type { KeptCall } from "../../providers/provider.js";
import { type AnswerDependencies, openEvents, sendBatches } from "./answer-reply.js";
import { keptEventsEncoder, ownMembers } from "./responses-encoder.js";

const params = z.strictObject({ id: z.string() });
const keptSchema = z.looseObject({ request_id: z.string() });

interface KeptRoute extends Pick<KeptCall, "method" | "action"> {
  readonly operationId: string;
  readonly summary: string;
}

const ROUTES: readonly KeptRoute[] = [
  { method: "GET", operationId: "getResponse", summary: "Read a response that its provider keeps" },
  { method: "DELETE", operationId: "deleteResponse", summary: "Delete a response that its provider keeps" },
  {
    method: "POST",
    action: "cancel",
    operationId: "cancelResponse",
    summary: "Stop a response that is made in the background",
  },
  {
    method: "GET",
    action: "input_items",
    operationId: "listResponseInput",
    summary: "List the input of a response that its provider keeps",
  },
];

/** `/v1/responses/{id}`: what a provider keeps, for the principal whose request made it. */
export function addKeptResponsesRoutes(app: FastifyInstance, dependencies: AnswerDependencies): void {
  for (const { method, action, operationId, summary } of ROUTES) {
    app.route<{ readonly Params: z.infer<typeof params> }>({
      method,
      url: `/v1/responses/:id${action === undefined ? "" : `/${action}`}`,
      config: { scope: "inference" },
      schema: {
        operationId,
        summary,
        tags: ["inference"],
        params,
        response: { 200: keptSchema, ...inferenceErrors },
      },
      handler: (request, reply) =>
        answer(
          { method, action, id: request.params.id, query: queryOf(request) },
          { request, reply, dependencies },
        ),
    });
  }
}

interface Asked {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly dependencies: AnswerDependencies;
}

async function answer(call: KeptCall, asked: Asked): Promise<void> {
  if (call.method === "GET" && new URLSearchParams(call.query).get("stream") === "true")
    return answerWithEvents(call, asked);
  const { request, reply, dependencies } = asked;
  const { body, provider, model, limitHeaders } = await dependencies.inference.askForKept(
    call,
    requestContext(request, reply),
  );
  const envelope = { model, provider, requestId: request.id };
  const shown =
    body.object === "response" && isJsonObject(body)
      ? ownMembers(body, { envelope, usage: null, request: {} })
      : { ...body, request_id: request.id };
  reply.headers(limitHeaders).send(shown);
}

async function answerWithEvents(call: KeptCall, { request, reply, dependencies }: Asked): Promise<void> {
  const context = requestContext(request, reply);
  const { batches, provider, model, limitHeaders } = await dependencies.inference.followKept(call, context);
  const { id: requestId, createdAtMs } = request;
  const encoder = keptEventsEncoder({ requestId, createdAtMs, model, provider });
  const events = openEvents(reply.headers(limitHeaders), dependencies);
  events.open();
  try {
    if (await sendBatches(batches, { events, encoder })) events.end(encoder.end(null));
  } catch (fault) {
    if (!events.ended) events.end(encoder.failure(noteError(fault, { request, dependencies })));
  }
}

/** As it came: what may be asked for is the provider's to say. */
function queryOf({ url }: FastifyRequest): string {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at);
}
