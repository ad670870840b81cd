import type { ChatChoice, ChunkChoice, JsonObject } from "../chat.js";
import { faultInReply } from "../http/fault.js";
import { invalidReply } from "../http/reply-object.js";
import { isJsonObject } from "../json-object.js";

/** How the choices of one endpoint become those of chat. What the dialect requires and a provider left out is added. */
export interface ChoiceReader {
  /** Whether the endpoint is another one than chat's. */
  readonly translates: boolean;
  whole(choice: unknown, position: number): ChatChoice;
  piece(choice: unknown, position: number): ChunkChoice;
}

export const CHAT_CHOICES: ChoiceReader = {
  translates: false,
  whole(value, position) {
    const choice = readable(value);
    if (!isJsonObject(choice.message)) throw invalidReply("a choice without a message");
    return withBasics(choice, position) as ChatChoice;
  },
  piece(value, position) {
    const choice = readable(value);
    return withBasics(
      isJsonObject(choice.delta) ? choice : { ...choice, delta: {} },
      position,
    ) as ChunkChoice;
  },
};

export const TEXT_CHOICES: ChoiceReader = {
  translates: true,
  whole(value, position) {
    const { text, ...choice } = readable(value);
    if (typeof text !== "string") throw invalidReply("a choice without a text");
    return withBasics({ ...choice, message: { role: "assistant", content: text } }, position) as ChatChoice;
  },
  piece(value, position) {
    const { text, ...choice } = readable(value);
    const delta = typeof text === "string" ? { content: text } : {};
    return withBasics({ ...choice, delta }, position) as ChunkChoice;
  },
};

function readable(choice: unknown): JsonObject {
  if (!isJsonObject(choice)) throw invalidReply("a choice that is not an object");
  // OpenRouter's way of saying that the model behind it failed.
  if (choice.finish_reason === "error") throw faultInReply(choice);
  return choice;
}

/** The choice itself, unless its index or its finish reason is missing. */
function withBasics(choice: JsonObject, position: number): JsonObject {
  const { index, finish_reason: finish } = choice;
  if (typeof index === "number" && (typeof finish === "string" || finish === null)) return choice;
  return {
    ...choice,
    index: typeof index === "number" ? index : position,
    finish_reason: typeof finish === "string" ? finish : null,
  };
}
