import type { ChatChunk, ChunkChoice, JsonObject } from "../../providers/chat.js";
import {
  type AnswerEnvelope,
  bodyAround,
  type EventEncoder,
  eventStart,
  passingMembers,
  type ResponseEncoder,
  StreamEnd,
} from "./response-encoder.js";
import { textLogprobs } from "./text-logprobs.js";

const naming = { idStart: "cmpl", object: "text_completion" };

/**
 * `text_completion`, whole and in streams: the answer as plain text.
 *
 * @param includeUsage whether a stream ends with an event that has the usage and no choice
 */
export const textCompletionEncoder = (includeUsage: boolean): ResponseEncoder => ({
  body: (answer, envelope) => {
    const choices = answer.completion.choices.map(({ index, message, finish_reason, logprobs }) => ({
      text: textOf(message),
      index,
      logprobs: textLogprobs(logprobs, 0),
      finish_reason,
    }));
    return bodyAround(choices, { answer, envelope, naming });
  },
  events: (envelope) => createEventEncoder(envelope, includeUsage),
});

const EMPTY_CHOICE = '{"text":"","index":0,"logprobs":null,"finish_reason":null}';

function createEventEncoder(envelope: AnswerEnvelope, includeUsage: boolean): EventEncoder {
  const { requestId } = envelope;
  const start = eventStart(envelope, naming);
  const ending = new StreamEnd({ start, requestId, emptyChoice: EMPTY_CHOICE, includeUsage });
  /** By choice: characters sent so far, where the next token's offset starts. */
  const sent = new Map<number, number>();

  function textChoice({ index, delta, finish_reason, logprobs }: ChunkChoice): JsonObject {
    const text = textOf(delta);
    const offset = sent.get(index) ?? 0;
    sent.set(index, offset + text.length);
    return { text, index, logprobs: textLogprobs(logprobs, offset), finish_reason };
  }

  function chunk(event: ChatChunk): string {
    const visible = event.choices.filter(isVisible);
    if (visible.length === 0) return "";
    const finishes = visible.some(({ finish_reason }) => finish_reason !== null);
    const choices = JSON.stringify(visible.map(textChoice));
    return ending.pass(`${start},"choices":${choices}${passingMembers(event)}`, finishes);
  }

  return {
    start: (routing) =>
      routing === null
        ? ""
        : ending.pass(`${start},"choices":[${EMPTY_CHOICE}],"routing":${JSON.stringify(routing)}`, false),
    chunk,
    end: (usage) => ending.end(usage),
    failure: (error) => ending.failure(error),
  };
}

const textOf = ({ content }: JsonObject): string => (typeof content === "string" ? content : "");

/** Text completions have neither roles nor reasoning: chunks with only these are left out. */
const isVisible = ({ delta, finish_reason }: ChunkChoice): boolean =>
  finish_reason !== null || textOf(delta) !== "";
