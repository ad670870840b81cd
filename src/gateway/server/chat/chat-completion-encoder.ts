import type { ChatChunk, ChunkChoice } from "../../providers/chat.js";
import {
  type AnswerEnvelope,
  bodyAround,
  type EventEncoder,
  eventStart,
  passingMembers,
  type ResponseEncoder,
  StreamEnd,
} from "./response-encoder.js";

/**
 * `chat.completion`, and `chat.completion.chunk` in streams.
 *
 * @param includeUsage whether a stream ends with an event that has the usage and no choice
 */
export const chatCompletionEncoder = (includeUsage: boolean): ResponseEncoder => ({
  body: (answer, envelope) =>
    bodyAround(answer.completion.choices, {
      answer,
      envelope,
      naming: { idStart: "chatcmpl", object: "chat.completion" },
    }),
  events: (envelope) => createEventEncoder(envelope, includeUsage),
});

const EMPTY_CHOICE = '{"index":0,"delta":{},"finish_reason":null}';

function createEventEncoder(envelope: AnswerEnvelope, includeUsage: boolean): EventEncoder {
  const { requestId } = envelope;
  const start = eventStart(envelope, { idStart: "chatcmpl", object: "chat.completion.chunk" });
  const ending = new StreamEnd({ start, requestId, emptyChoice: EMPTY_CHOICE, includeUsage });
  /** Indexes of the choices whose role was sent. */
  const introduced = new Set<number>();

  /** Some providers never send the role, some send it in every chunk. Clients get it once, at the start. */
  function chunk(event: ChatChunk): string {
    let introductions = "";
    let finishes = false;
    let { choices } = event;
    for (const [position, choice] of choices.entries()) {
      if (choice.finish_reason !== null) finishes = true;
      const hasRole = typeof choice.delta.role === "string";
      if (!introduced.has(choice.index)) {
        introduced.add(choice.index);
        if (!hasRole)
          introductions += ending.pass(`${start},"choices":[${introduction(choice.index)}]`, false);
      } else if (hasRole) {
        choices = choices.with(position, withoutRole(choice));
      }
    }
    const shown = choices.length === 0 ? `[${EMPTY_CHOICE}]` : JSON.stringify(choices);
    return introductions + ending.pass(`${start},"choices":${shown}${passingMembers(event)}`, finishes);
  }

  return {
    start(routing) {
      if (routing === null) return "";
      // With a role: clients that merge chunks take what the first one is for the type of the message.
      introduced.add(0);
      return ending.pass(
        `${start},"choices":[${introduction(0)}],"routing":${JSON.stringify(routing)}`,
        false,
      );
    },
    chunk,
    end: (usage) => ending.end(usage),
    failure: (error) => ending.failure(error),
  };
}

const introduction = (index: number): string =>
  JSON.stringify({ index, delta: { role: "assistant", content: "" }, finish_reason: null });

function withoutRole(choice: ChunkChoice): ChunkChoice {
  const { role: _role, ...delta } = choice.delta;
  return { ...choice, delta };
}
