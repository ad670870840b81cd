import { ResponseEvents, responseFromChat } from "../../dialects/responses/reply.js";
import { type ResponseEnvelope, responseUsage } from "../../dialects/responses/response.js";
import { ERROR_CODES, type SextantError } from "../../foundation/errors.js";
import { ulidOf } from "../../foundation/request-id.js";
import type { ChatChunk, JsonObject } from "../../providers/chat.js";
import { isJsonObject } from "../../providers/json-object.js";
import type { Usage } from "../../traces/trace.js";
import {
  type AnswerEnvelope,
  type EventEncoder,
  type ExecutedRouting,
  type ResponseEncoder,
  theirCounts,
} from "./response-encoder.js";

/**
 * OpenAI's `response`, and its typed events. What a provider sent in this form itself goes on as it is, but for the model,
 * the usage and our own members.
 *
 * @param request the body as it came
 */
export const responsesEncoder = (request: JsonObject): ResponseEncoder => ({
  body({ completion, usage, routing, attempts }, envelope) {
    const decision = routing === null ? {} : { routing: { ...routing, attempts } };
    const body =
      completion.native === undefined
        ? responseFromChat(completion, { envelope: responseEnvelope(envelope, request), usage })
        : ownMembers(completion.native, { envelope, usage });
    return { ...body, ...decision };
  },
  events: (envelope) => new ResponsesEventEncoder(envelope, request),
});

const responseEnvelope = (envelope: AnswerEnvelope, request: JsonObject): ResponseEnvelope => ({
  ...envelope,
  ulid: ulidOf(envelope.requestId),
  request,
});

interface Finished {
  readonly envelope: AnswerEnvelope;
  /** Null while it is not known. */
  readonly usage: Usage | null;
}

/** A provider's own response, with the model by the name it was asked for and our nine figures beside its usage. */
function ownMembers(response: JsonObject, { envelope, usage }: Finished): JsonObject {
  const { model, provider, requestId } = envelope;
  const counted = isJsonObject(response.usage) && usage !== null ? theirCounts(response.usage, usage) : {};
  return {
    ...response,
    model,
    ...(usage === null ? {} : { usage: { ...responseUsage(usage), ...counted } }),
    provider,
    request_id: requestId,
  };
}

/** Events that hold the whole response, and so its usage. */
const LAST_EVENTS: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"]);

class ResponsesEventEncoder implements EventEncoder {
  readonly #envelope: AnswerEnvelope;
  readonly #events: ResponseEvents;
  #routing: ExecutedRouting | null = null;
  #started = false;
  /** The last event of a provider's own stream, held back until its usage has a cost. */
  #last: JsonObject | null = null;

  constructor(envelope: AnswerEnvelope, request: JsonObject) {
    this.#envelope = envelope;
    this.#events = new ResponseEvents(responseEnvelope(envelope, request));
  }

  start(routing: ExecutedRouting | null): string {
    this.#routing = routing;
    return "";
  }

  chunk(chunk: ChatChunk): string {
    if (chunk.native !== undefined) return this.#passedOn(chunk.native);
    return this.#begun() + this.#events.chunk(chunk);
  }

  end(usage: Usage): string {
    const last = this.#last;
    if (last === null) return this.#begun() + this.#events.end(usage, this.#extras());
    const response = isJsonObject(last.response) ? last.response : {};
    return eventText({
      ...last,
      response: { ...ownMembers(response, { envelope: this.#envelope, usage }), ...this.#extras() },
    });
  }

  failure({ code, message, param }: SextantError): string {
    const { type } = ERROR_CODES[code];
    return this.#events.fail({ code, message, param, type, request_id: this.#envelope.requestId });
  }

  #begun(): string {
    if (this.#started) return "";
    this.#started = true;
    return this.#events.start(this.#extras());
  }

  #passedOn(event: JsonObject): string {
    if (LAST_EVENTS.has(event.type)) {
      this.#last = event;
      return "";
    }
    if (!isJsonObject(event.response)) return eventText(event);
    const response = ownMembers(event.response, { envelope: this.#envelope, usage: null });
    return eventText({ ...event, response: { ...response, ...this.#extras() } });
  }

  #extras(): JsonObject {
    return this.#routing === null ? {} : { routing: this.#routing };
  }
}

const eventText = (event: JsonObject): string =>
  `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`;
