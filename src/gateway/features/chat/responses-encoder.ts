import { ERROR_CODES, type SextantError } from "../../../foundation/errors.js";
import { ulidOf } from "../../../foundation/request-id.js";
import { ResponseEvents, responseFromChat } from "../../dialects/responses/reply.js";
import { type ResponseEnvelope, responseUsage } from "../../dialects/responses/response.js";
import { eventText } from "../../dialects/server-event.js";
import { type ChatChunk, isJsonObject, type JsonObject } from "../../providers/chat.js";
import type { Usage } from "../../traces/trace.js";
import {
  type AnswerEnvelope,
  type EventEncoder,
  type ResponseEncoder,
  theirCounts,
} from "./response-encoder.js";

/**
 * OpenAI's `response`, and its typed events. What a provider sent in this form itself goes on as it is, but for the model,
 * the usage and our own members.
 *
 * @param options.request the body as it came
 */
export const responsesEncoder = ({
  request,
  onResponse,
  keep,
}: ResponsesEncoderOptions): ResponseEncoder => ({
  body({ completion, usage }, envelope) {
    const body =
      completion.native === undefined
        ? responseFromChat(completion, { envelope: responseEnvelope(envelope, request), usage })
        : ownMembers(completion.native, { envelope, usage, request });
    onResponse(body, envelope.key);
    return { ...body, ...routingOf(envelope) };
  },
  events: (envelope) => new ResponsesEventEncoder(envelope, { request, onResponse, keep }),
});

/** The events of a response that its provider keeps, of which no request is at hand. */
export const keptEventsEncoder = (envelope: AnswerEnvelope): ResponsesEventEncoder =>
  new ResponsesEventEncoder(envelope, { request: { background: true }, onResponse: () => {} });

export interface ResponsesEncoderOptions {
  readonly request: JsonObject;
  /** Receives the response as soon as it has an id, and once more when it is whole; and the name of the key that made it. */
  readonly onResponse: (response: JsonObject, key: string | undefined) => void;
  /** Told of each text of a stream that its last event repeats, and that is held until then; throws where there is no room. */
  readonly keep?: ((text: string) => void) | undefined;
}

const responseEnvelope = (envelope: AnswerEnvelope, request: JsonObject): ResponseEnvelope => ({
  ...envelope,
  ulid: ulidOf(envelope.requestId),
  request,
});

const routingOf = ({ routing }: AnswerEnvelope): JsonObject => (routing === undefined ? {} : { routing });

interface Finished {
  readonly envelope: Pick<AnswerEnvelope, "model" | "provider" | "requestId">;
  readonly request: JsonObject;
  /** Null while it is not known. */
  readonly usage: Usage | null;
}

/** A provider's own response, with the model by the name it was asked for and our nine figures beside its usage. */
export function ownMembers(response: JsonObject, { envelope, usage, request }: Finished): JsonObject {
  const { model, provider, requestId } = envelope;
  const counted = isJsonObject(response.usage) && usage !== null ? theirCounts(response.usage, usage) : {};
  return {
    ...response,
    model,
    ...(usage === null || response.usage === null ? {} : { usage: { ...responseUsage(usage), ...counted } }),
    // The provider has it only of responses that it keeps.
    ...(isJsonObject(request.metadata) ? { metadata: request.metadata } : {}),
    provider,
    request_id: requestId,
  };
}

/** Events that hold the whole response, and so its usage. The last two are passed on only of runs in the background. */
const LAST_EVENTS: ReadonlySet<unknown> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
  "response.cancelled",
]);

export class ResponsesEventEncoder implements EventEncoder {
  readonly #events: ResponseEvents;
  #started = false;
  #passedAny = false;
  /** The last event of a provider's own stream, held back until its usage has a cost. */
  #last: JsonObject | null = null;

  constructor(
    private readonly envelope: AnswerEnvelope,
    private readonly options: ResponsesEncoderOptions,
  ) {
    this.#events = new ResponseEvents(responseEnvelope(envelope, options.request), options.keep);
  }

  chunk(chunk: ChatChunk): string {
    if (chunk.native !== undefined) return this.#passedOn(chunk.native);
    return this.#startOnce() + this.#events.chunk(chunk);
  }

  /** @param usage null for a response whose cost is not known here */
  end(usage: Usage | null): string {
    const last = this.#last;
    if (last === null) {
      if (usage === null) return "";
      const text = this.#startOnce() + this.#events.end(usage, routingOf(this.envelope));
      this.options.onResponse(this.#events.whole(), this.envelope.key);
      return text;
    }
    const response = this.#owned(last.response, usage);
    return eventText({ ...last, response: { ...response, ...routingOf(this.envelope) } });
  }

  failure({ code, message, param }: SextantError): string {
    // The provider's own event of the failure.
    if (this.#last !== null) return this.end(null);
    const { type } = ERROR_CODES[code];
    const error = { code, message, param, type, request_id: this.envelope.requestId };
    // The events have broken off, and not the run.
    if (this.#passedAny && this.options.request.background === true)
      return eventText({ type: "error", code, message, param, error });
    return this.#events.fail(error);
  }

  #startOnce(): string {
    if (this.#started) return "";
    this.#started = true;
    return this.#events.start(routingOf(this.envelope));
  }

  #passedOn(event: JsonObject): string {
    this.#passedAny = true;
    if (LAST_EVENTS.has(event.type)) {
      this.#last = event;
      return "";
    }
    if (!isJsonObject(event.response)) return eventText(event);
    const response = this.#owned(event.response, null);
    return eventText({ ...event, response: { ...response, ...routingOf(this.envelope) } });
  }

  #owned(response: unknown, usage: Usage | null): JsonObject {
    const { request, onResponse } = this.options;
    const given = isJsonObject(response) ? response : {};
    const owned = ownMembers(given, { envelope: this.envelope, usage, request });
    onResponse(owned, this.envelope.key);
    return owned;
  }
}
