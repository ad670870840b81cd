import type { FastifyReply, FastifyRequest } from "fastify";
import type { ServerDependencies } from "../../dependencies.js";
import { EventResponse } from "../../http/event-stream.js";
import { noteError } from "../../http/plugins/errors.js";
import { requestContext } from "../../http/request-context.js";
import { sendWhole } from "../../http/send-whole.js";
import type { ChatChunk } from "../../providers/chat.js";
import type { Answer, AnswerStream } from "../../run/inference.js";
import type { InferenceRequest } from "../../run/request.js";
import { requestSize } from "../../run/request-size.js";
import type { AnswerEnvelope, EventEncoder, ResponseEncoder } from "./response-encoder.js";

export type AnswerDependencies = Pick<ServerDependencies, "inference" | "limits" | "logger" | "startTimer">;

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly encoder: ResponseEncoder;
  readonly dependencies: AnswerDependencies;
}

/**
 * Runs a request and writes the answer, whole or as server-sent events.
 *
 * @throws SextantError `overloaded`, and from `inference`, as long as nothing of a stream has been sent
 */
export async function replyWithAnswer(asked: InferenceRequest, exchange: Exchange): Promise<void> {
  const { reply } = exchange;
  reply.server.admission.startRun(reply.raw);
  return asked.stream ? replyWithStream(asked, exchange) : replyWithBody(asked, exchange);
}

async function replyWithBody(
  asked: InferenceRequest,
  { request, reply, encoder, dependencies }: Exchange,
): Promise<void> {
  const context = requestContext(request, reply);
  try {
    const answer = await dependencies.inference.run(asked, context);
    if (answer.kind !== "completion")
      throw new TypeError("A stream came where a whole answer was asked for.");
    // Awaited, because a hook may still compress it when this returns, and Fastify would then send an empty reply.
    await sendWhole(addHeaders(reply, answer), encoder.body(answer, envelopeOf(request, answer)));
  } catch (fault) {
    // After a disconnect the error has no recipient.
    if (!reply.raw.destroyed) throw fault;
    reply.hijack();
  }
}

async function replyWithStream(
  asked: InferenceRequest,
  { request, reply, encoder, dependencies }: Exchange,
): Promise<void> {
  const context = requestContext(request, reply);
  let eventEncoder: EventEncoder | null = null;
  const events = openEvents(reply, { ...dependencies, ...encoder });
  try {
    const answer = await dependencies.inference.run(asked, context);
    if (answer.kind !== "stream") throw new TypeError("A whole answer came where a stream was asked for.");
    const promptTokens = () => requestSize(asked.body).promptTokens;
    eventEncoder = encoder.events({ ...envelopeOf(request, answer), promptTokens });
    addHeaders(reply, answer);
    if (await sendBatches(answer.batches, { events, encoder: eventEncoder }))
      events.end(eventEncoder.end(answer.usage()));
  } catch (fault) {
    if (events.ended) {
      reply.hijack();
    } else if (events.opened) {
      const error = noteError(fault, { request, dependencies });
      // A comment that keeps the connection open may have come before the answer.
      const { id: requestId, createdAtMs } = request;
      eventEncoder ??= encoder.events({ requestId, createdAtMs, model: "", provider: "" });
      events.end(eventEncoder.failure(error));
    } else {
      events.abandon();
      throw fault;
    }
  }
}

/** Silence after which a comment is sent: proxies close connections that are idle for 30 to 60 s (guess). */
export const KEEP_ALIVE_MS = 15_000;

/** The events of a reply, before the first is sent. */
export const openEvents = (
  reply: FastifyReply,
  { startTimer, keepAlive }: Pick<AnswerDependencies, "startTimer"> & Pick<ResponseEncoder, "keepAlive">,
): EventResponse =>
  new EventResponse(reply, {
    keepAlive,
    keepAliveMs: KEEP_ALIVE_MS,
    startTimer,
  });

interface SentBatches {
  readonly events: EventResponse;
  readonly encoder: Pick<EventEncoder, "chunk">;
}

/** @returns whether the client has not left */
export async function sendBatches(
  batches: AsyncIterable<readonly ChatChunk[]>,
  { events, encoder }: SentBatches,
): Promise<boolean> {
  for await (const batch of batches) {
    let text = "";
    for (const chunk of batch) text += encoder.chunk(chunk);
    if (!events.write(text)) await events.drained();
    if (events.ended) return false;
  }
  return true;
}

function envelopeOf(
  { id: requestId, createdAtMs }: FastifyRequest,
  { model, provider, attempts, routing }: Answer | AnswerStream,
): AnswerEnvelope {
  const key = attempts.at(-1)?.key;
  const executed = routing === null ? undefined : { ...routing, attempts };
  return { requestId, createdAtMs, model, provider, key, routing: executed };
}

/**
 * Headers of the limits; what the answering model was not told; of a routed or redirected request the model and provider that answer,
 * and which paused model was asked for.
 */
function addHeaders(reply: FastifyReply, answer: Answer | AnswerStream) {
  const { limitHeaders, routing, model, provider, attempts } = answer;
  reply.headers(limitHeaders);
  const leftOut = attempts.at(-1)?.left_out;
  if (leftOut !== undefined)
    reply.header("x-left-out", headerText(leftOut.slice(0, MOST_LEFT_OUT).join(", ")));
  const asked = routing === null ? attempts.find(({ code }) => code === "paused") : undefined;
  if (asked !== undefined) reply.header("x-paused-model", headerText(asked.model));
  if (routing === null && asked === undefined) return reply;
  return reply
    .header("x-routing-model", headerText(model))
    .header("x-routing-provider", headerText(provider));
}

/** Proxies refuse long headers: most take 8 KiB of them. */
const MOST_LEFT_OUT = 16;

/** Headers hold ASCII only; a name of other letters is percent-encoded, without halves of characters. */
const headerText = (name: string): string =>
  /^[\x20-\x7e]*$/.test(name) ? name : encodeURIComponent(Buffer.from(name).toString());
