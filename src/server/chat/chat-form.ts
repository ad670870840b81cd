import type { ChatChunk, ChunkChoice } from "../../providers/chat.js";
import {
  type AnswerEnvelope,
  type AnswerEvents,
  type AnswerForm,
  bodyAround,
  eventStart,
  passingMembers,
  usageEvent,
} from "./answer-form.js";

/** `chat.completion`, and `chat.completion.chunk` in streams. */
export const chatForm: AnswerForm = {
  body: (answer, envelope) =>
    bodyAround(answer.completion.choices, {
      answer,
      envelope,
      naming: { idStart: "chatcmpl", object: "chat.completion" },
    }),
  events: chatEvents,
};

function chatEvents(envelope: AnswerEnvelope): AnswerEvents {
  const start = eventStart(envelope, { idStart: "chatcmpl", object: "chat.completion.chunk" });
  /** Indexes of the choices that have said who speaks. */
  const introduced = new Set<number>();

  /** Some providers never say who speaks, some say it in every chunk. Clients are told once, at the start. */
  function chunk(event: ChatChunk): string {
    let introductions = "";
    let { choices } = event;
    for (const [place, choice] of choices.entries()) {
      const speaks = typeof choice.delta.role === "string";
      if (!introduced.has(choice.index)) {
        introduced.add(choice.index);
        if (!speaks) introductions += `${start},"choices":[${introduction(choice.index)}]}\n\n`;
      } else if (speaks) {
        choices = choices.with(place, withoutRole(choice));
      }
    }
    return `${introductions}${start},"choices":${JSON.stringify(choices)}${passingMembers(event)}}\n\n`;
  }

  return {
    routing: (routing) =>
      `${start},"choices":[{"index":0,"delta":{},"finish_reason":null}],"routing":${JSON.stringify(routing)}}\n\n`,
    chunk,
    usage: (usage) => usageEvent(start, { usage, requestId: envelope.requestId }),
  };
}

const introduction = (index: number): string =>
  JSON.stringify({ index, delta: { role: "assistant", content: "" }, finish_reason: null });

function withoutRole(choice: ChunkChoice): ChunkChoice {
  const { role: _role, ...delta } = choice.delta;
  return { ...choice, delta };
}
