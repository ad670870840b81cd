import type { FastifyReply, FastifyRequest } from "fastify";
import type { Answer, AnswerStream } from "../../inference/answers/answer.js";
import type { InferenceRequest } from "../../inference/request.js";
import type { ServerDependencies } from "../dependencies.js";
import { errorBody } from "../http/error-reply.js";
import { EventStream } from "../http/event-stream.js";
import { noteError } from "../http/plugins/errors.js";
import { requestContext } from "../http/request-context.js";
import type { AnswerEnvelope, AnswerForm } from "./answer-form.js";

const DONE = "data: [DONE]\n\n";

export type AnswerDependencies = Pick<ServerDependencies, "inference" | "limits" | "logger" | "startTimer">;

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly form: AnswerForm;
  readonly parts: AnswerDependencies;
}

/**
 * Runs a request and writes the answer, whole or as server-sent events.
 *
 * @throws SextantError from `inference`, as long as nothing of a stream has been sent
 */
export function replyWithAnswer(asked: InferenceRequest, exchange: Exchange): Promise<void> {
  return asked.stream ? replyWithStream(asked, exchange) : replyWithBody(asked, exchange);
}

async function replyWithBody(
  asked: InferenceRequest,
  { request, reply, form, parts }: Exchange,
): Promise<void> {
  const context = requestContext(request, reply);
  try {
    const answer = await parts.inference.run(asked, context);
    if (answer.kind !== "completion")
      throw new TypeError("A stream came where a whole answer was asked for.");
    addHeaders(reply, answer).send(form.body(answer, envelopeOf(request, answer)));
  } catch (fault) {
    // Nobody is left to be told.
    if (!reply.raw.destroyed) throw fault;
    reply.hijack();
  }
}

async function replyWithStream(asked: InferenceRequest, exchange: Exchange): Promise<void> {
  const { request, reply, parts } = exchange;
  const context = requestContext(request, reply);
  const events = new EventStream(reply, {
    keepAliveMs: parts.limits.streamKeepAliveMs,
    startTimer: parts.startTimer,
  });
  try {
    const answer = await parts.inference.run(asked, context);
    if (answer.kind !== "stream") throw new TypeError("A whole answer came where a stream was asked for.");
    await sendStream(answer, { events, exchange });
  } catch (fault) {
    if (events.ended) {
      reply.hijack();
    } else if (events.opened) {
      const error = noteError(fault, { request, parts });
      events.end(`data: ${JSON.stringify(errorBody(error, request.id))}\n\n`);
    } else {
      events.abandon();
      throw fault;
    }
  }
}

async function sendStream(
  answer: AnswerStream,
  { events, exchange: { request, reply, form } }: { events: EventStream; exchange: Exchange },
): Promise<void> {
  addHeaders(reply, answer);
  const written = form.events(envelopeOf(request, answer));
  const { routing, attempts } = answer;
  let text = routing === null ? "" : written.routing({ ...routing, attempts });
  for await (const batch of answer.batches) {
    for (const chunk of batch) text += written.chunk(chunk);
    if (!events.write(text)) await events.drained();
    if (events.ended) return;
    text = "";
  }
  events.end(text + written.usage(answer.usage()) + DONE);
}

function envelopeOf(
  { id, createdAtMs }: FastifyRequest,
  { model, provider }: Answer | AnswerStream,
): AnswerEnvelope {
  return { requestId: id, createdAtMs, model, provider };
}

/** Limits, and for a routed request who answers. */
function addHeaders(reply: FastifyReply, { limitHeaders, routing, model, provider }: Answer | AnswerStream) {
  reply.headers(limitHeaders);
  if (routing === null) return reply;
  return reply
    .header("x-routing-model", headerText(model))
    .header("x-routing-provider", headerText(provider));
}

/** Headers hold ASCII only; a name of other letters is percent-encoded. */
const headerText = (name: string): string => (/^[\x20-\x7e]*$/.test(name) ? name : encodeURIComponent(name));
