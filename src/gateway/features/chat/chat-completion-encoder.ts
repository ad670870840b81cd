import type { ChatChunk, ChunkChoice, JsonObject } from "../../providers/chat.js";
import {
  type AnswerEnvelope,
  bodyAround,
  type EventEncoder,
  eventStart,
  passingMembers,
  type ResponseEncoder,
  StreamFrame,
  wantsUsageEvent,
} from "./response-encoder.js";

/**
 * `chat.completion`, and `chat.completion.chunk` in streams.
 *
 * @param request by which a stream ends with an event that has the usage and no choice, or does not
 */
export const chatCompletionEncoder = (request: JsonObject): ResponseEncoder => ({
  body: (answer, envelope) =>
    bodyAround(answer.completion.choices, {
      answer,
      envelope,
      naming: { idStart: "chatcmpl", object: "chat.completion" },
    }),
  events: (envelope) => createEventEncoder(envelope, wantsUsageEvent(request)),
});

const EMPTY_CHOICE = '{"index":0,"delta":{},"finish_reason":null}';

function createEventEncoder(envelope: AnswerEnvelope, includeUsage: boolean): EventEncoder {
  const start = eventStart(envelope, { idStart: "chatcmpl", object: "chat.completion.chunk" });
  // With a role: clients that merge chunks take what the first one is for the type of the message.
  const frame = new StreamFrame({
    envelope,
    start,
    firstChoice: INTRODUCTION,
    emptyChoice: EMPTY_CHOICE,
    includeUsage,
  });
  /** The first event had the role of the first choice. */
  let introduced = envelope.routing !== undefined;

  function chunk(event: ChatChunk): string {
    const choices = introduced ? event.choices.map(withoutRole) : event.choices;
    const finishes = choices.some(({ finish_reason }) => finish_reason !== null);
    const shown =
      choices.length > 0 ? JSON.stringify(choices) : `[${introduced ? EMPTY_CHOICE : INTRODUCTION}]`;
    introduced ||= choices.length === 0;
    return frame.pass(`${start},"choices":${shown}${passingMembers(event)}`, finishes);
  }

  return {
    chunk,
    end: (usage) => frame.end(usage),
    failure: (error) => frame.failure(error),
  };
}

const INTRODUCTION = '{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}';

function withoutRole(choice: ChunkChoice): ChunkChoice {
  if (choice.index !== 0 || choice.delta.role === undefined) return choice;
  const { role: _role, ...delta } = choice.delta;
  return { ...choice, delta };
}
