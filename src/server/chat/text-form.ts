import type { ChatChunk, ChunkChoice, JsonObject } from "../../providers/chat.js";
import {
  type AnswerEnvelope,
  type AnswerEvents,
  type AnswerForm,
  bodyAround,
  eventStart,
  passingMembers,
  usageEvent,
} from "./answer-form.js";
import { textLogprobs } from "./text-logprobs.js";

const naming = { idStart: "cmpl", object: "text_completion" };

/** `text_completion`, whole and in streams: what the assistant said, as plain text. */
export const textForm: AnswerForm = {
  body: (answer, envelope) => {
    const choices = answer.completion.choices.map(({ index, message, finish_reason, logprobs }) => ({
      text: textOf(message),
      index,
      logprobs: textLogprobs(logprobs, 0),
      finish_reason,
    }));
    return bodyAround(choices, { answer, envelope, naming });
  },
  events: textEvents,
};

function textEvents(envelope: AnswerEnvelope): AnswerEvents {
  const start = eventStart(envelope, naming);
  /** By choice: characters sent so far, where the next token's offset starts. */
  const sent = new Map<number, number>();

  function textChoice({ index, delta, finish_reason, logprobs }: ChunkChoice): JsonObject {
    const text = textOf(delta);
    const offset = sent.get(index) ?? 0;
    sent.set(index, offset + text.length);
    return { text, index, logprobs: textLogprobs(logprobs, offset), finish_reason };
  }

  function chunk(event: ChatChunk): string {
    const telling = event.choices.filter(tells);
    if (telling.length === 0) return "";
    return `${start},"choices":${JSON.stringify(telling.map(textChoice))}${passingMembers(event)}}\n\n`;
  }

  return {
    routing: (routing) =>
      `${start},"choices":[{"text":"","index":0,"logprobs":null,"finish_reason":null}],` +
      `"routing":${JSON.stringify(routing)}}\n\n`,
    chunk,
    usage: (usage) => usageEvent(start, { usage, requestId: envelope.requestId }),
  };
}

const textOf = ({ content }: JsonObject): string => (typeof content === "string" ? content : "");

/** Who speaks, and reasoning apart from the answer, have no place in a text. */
const tells = ({ delta, finish_reason }: ChunkChoice): boolean =>
  finish_reason !== null || textOf(delta) !== "";
