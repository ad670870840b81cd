import type { SextantError } from "../../../foundation/errors.js";
import { ulidOf } from "../../../foundation/request-id.js";
import { messagesErrorBody } from "../../dialects/messages/error.js";
import { messageFromChat, messagesUsage, NO_USAGE } from "../../dialects/messages/reply.js";
import { MessageEvents } from "../../dialects/messages/stream.js";
import { eventText } from "../../dialects/server-event.js";
import { type ChatChunk, isJsonObject, type JsonObject } from "../../providers/chat.js";
import { countsWithin } from "../../providers/token-usage.js";
import type { Usage } from "../../traces/trace.js";
import {
  type AnswerEnvelope,
  type EventEncoder,
  type ResponseEncoder,
  theirCounts,
} from "./response-encoder.js";

/**
 * Anthropic's `message`, and its events. What a provider sent in this form itself goes on as it is, but for the model, the
 * usage and our own members.
 */
export const messagesEncoder: ResponseEncoder = {
  body({ completion, usage }, envelope) {
    const { native } = completion;
    const message =
      native === undefined
        ? messageFromChat(completion, { ...factsOf(envelope), usage })
        : { ...native, model: envelope.model, usage: countedUsage(native.usage, usage) };
    return { ...message, ...ownMembers(envelope) };
  },
  keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
  events: (envelope) => new MessagesEventEncoder(envelope),
};

const factsOf = ({ requestId, model }: AnswerEnvelope) => ({ id: `msg_${ulidOf(requestId)}`, model });

const ownMembers = ({ provider, requestId, routing }: AnswerEnvelope): JsonObject => ({
  provider,
  request_id: requestId,
  ...(routing && { routing }),
});

/** The provider's own counts, and our nine figures beside them. */
const countedUsage = (theirs: unknown, usage: Usage): JsonObject => ({
  ...messagesUsage(usage),
  ...(isJsonObject(theirs) ? theirCounts(theirs, usage) : {}),
});

class MessagesEventEncoder implements EventEncoder {
  readonly #events: MessageEvents;
  #started = false;
  /** The last events of a provider's own stream, held back until the usage has a cost. */
  readonly #last: JsonObject[] = [];

  constructor(private readonly envelope: AnswerEnvelope) {
    this.#events = new MessageEvents(factsOf(envelope));
  }

  chunk(chunk: ChatChunk): string {
    if (chunk.native !== undefined) return this.#passedOn(chunk.native);
    return this.#startOnce() + this.#events.chunk(chunk);
  }

  end(usage: Usage): string {
    if (this.#last.length === 0) return this.#startOnce() + this.#events.end(usage);
    return this.#last
      .map((event) =>
        eventText(
          event.type === "message_delta" ? { ...event, usage: countedUsage(event.usage, usage) } : event,
        ),
      )
      .join("");
  }

  failure(error: SextantError): string {
    return eventText(messagesErrorBody(error, this.envelope.requestId));
  }

  #startOnce(): string {
    if (this.#started) return "";
    this.#started = true;
    const { promptTokens = () => 0 } = this.envelope;
    return this.#events.start({ inputTokens: promptTokens(), extras: ownMembers(this.envelope) });
  }

  #passedOn(event: JsonObject): string {
    const { type, message } = event;
    if (type === "message_delta" || type === "message_stop") {
      this.#last.push(event);
      return "";
    }
    if (type !== "message_start" || !isJsonObject(message)) return eventText(event);
    const { model } = this.envelope;
    // Nothing is known yet that their counts could be compared with.
    const usage = countsWithin(isJsonObject(message.usage) ? message.usage : NO_USAGE);
    return eventText({
      ...event,
      message: {
        ...factsOf(this.envelope),
        ...message,
        usage,
        model,
        ...ownMembers(this.envelope),
      },
    });
  }
}
