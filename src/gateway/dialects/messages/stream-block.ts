import { isNestedTooDeeply } from "../../../foundation/nesting.js";
import { isJsonObject, type JsonObject, parsedJson } from "../../providers/chat.js";
import { eventText } from "../server-event.js";

type BlockKind = "text" | "thinking" | "redacted_thinking" | "tool_use";

/** How a piece of each kind is called in `content_block_delta`. */
const DELTAS: Readonly<Record<BlockKind, (piece: string) => JsonObject>> = {
  text: (text) => ({ type: "text_delta", text }),
  thinking: (thinking) => ({ type: "thinking_delta", thinking }),
  redacted_thinking: () => ({}),
  tool_use: (partial_json) => ({ type: "input_json_delta", partial_json }),
};

/** One content block of a streamed message: what came of it, and how much of that was sent. */
export class StreamBlock {
  #text = "";
  #waiting = "";
  #signature = "";
  #started = false;

  /** @param options its place in the message, and `content_block`, empty as it begins */
  constructor(
    readonly kind: BlockKind,
    private readonly options: { readonly index: number; readonly begin: JsonObject },
  ) {}

  add(piece: string): void {
    this.#text += piece;
    this.#waiting += piece;
  }

  sign(signature: unknown): void {
    if (typeof signature === "string") this.#signature = signature;
  }

  get isSigned(): boolean {
    return this.#signature !== "";
  }

  /** Whether nothing more can come once another block has started. Reads the arguments of a call. */
  get isWhole(): boolean {
    return this.kind !== "tool_use" || parsedObject(this.#text) !== null;
  }

  /** Events for what came since the last ones. */
  unsent(): string {
    let text = "";
    if (!this.#started) {
      text = eventText({
        type: "content_block_start",
        index: this.options.index,
        content_block: this.options.begin,
      });
      this.#started = true;
    }
    if (this.#waiting !== "") text += this.#delta(DELTAS[this.kind](this.#waiting));
    this.#waiting = "";
    return text;
  }

  /** Its last events. */
  stop(): string {
    const signature = this.isSigned
      ? this.#delta({ type: "signature_delta", signature: this.#signature })
      : "";
    return this.unsent() + signature + eventText({ type: "content_block_stop", index: this.options.index });
  }

  #delta(delta: JsonObject): string {
    return eventText({ type: "content_block_delta", index: this.options.index, delta });
  }
}

const UNSAFE_CHARACTERS = /[^a-zA-Z0-9_-]/g;

/**
 * The id of a `tool_use` block. Anthropic's API takes fewer characters than other providers use: replaced in the call, they
 * come back so in the result. Some providers give no id at all.
 *
 * @param place of the call among those of its message
 */
export function toolUseId(id: unknown, { messageId, place }: { messageId: string; place: number }): string {
  if (typeof id === "string" && id !== "") return id.replace(UNSAFE_CHARACTERS, "_");
  return `${messageId.replace(UNSAFE_CHARACTERS, "_")}_${place}`;
}

/**
 * The input of a `tool_use` block. Arguments that are no JSON object, such as those that a limit cut off, are kept as text
 * under `INVALID_JSON`, the form that Anthropic's guide to fine-grained tool streaming gives: the tool then reports what is
 * missing, and the model sees what it wrote.
 */
export function toolInput(given: unknown): JsonObject {
  if (isJsonObject(given)) return given;
  const text = typeof given === "string" ? given : "";
  if (text.trim() === "") return {};
  return parsedObject(text) ?? { INVALID_JSON: text };
}

/** Null for text that is no JSON object, not yet one, or one that is nested too deeply to be sent. */
function parsedObject(text: string): JsonObject | null {
  const value = isNestedTooDeeply(text) ? undefined : parsedJson(text, "free");
  return isJsonObject(value) ? value : null;
}
