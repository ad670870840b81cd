import type { ChatChunk, ChatCompletion, JsonObject } from "../../providers/chat.js";
import { isJsonObject } from "../../providers/json-object.js";
import { calledFunction, toolCallText } from "./conversation-text.js";

/**
 * Collects the generated text, for the trace and for counting tokens. Always collected, because whether a provider
 * counts is known only at the end of its stream; it costs only references to existing strings. Malformed members of
 * messages are ignored.
 */
export class AnswerText {
  readonly #choices = new Map<number, ChoiceText>();

  addChunk({ choices }: ChatChunk): void {
    for (const { index, delta, finish_reason } of choices) this.#choiceAt(index).add(delta, finish_reason);
  }

  addCompletion({ choices }: ChatCompletion): void {
    for (const { index, message, finish_reason } of choices)
      this.#choiceAt(index).add(message, finish_reason);
  }

  /** The text of a trace: texts and tool calls of all choices, by index, without reasoning. */
  output(): string {
    return this.#inOrder()
      .map((choice) => choice.output())
      .join("\n");
  }

  /** Everything generated, reasoning included. */
  generated(): string[] {
    return this.#inOrder().flatMap((choice) => choice.generated());
  }

  /** Finish reason of the choice with the lowest index; null until it arrived. */
  get finishReason(): string | null {
    return this.#inOrder()[0]?.finishReason ?? null;
  }

  #choiceAt(index: number): ChoiceText {
    let choice = this.#choices.get(index);
    if (choice === undefined) {
      choice = new ChoiceText();
      this.#choices.set(index, choice);
    }
    return choice;
  }

  #inOrder(): readonly ChoiceText[] {
    return [...this.#choices].sort(([left], [right]) => left - right).map(([, choice]) => choice);
  }
}

interface ToolCallText {
  name: string;
  readonly given: string[];
}

class ChoiceText {
  finishReason: string | null = null;
  readonly #texts: string[] = [];
  readonly #reasoning: string[] = [];
  readonly #toolCalls = new Map<number, ToolCallText>();

  /** @param piece a whole message or the next delta of one */
  add(piece: JsonObject, finishReason: string | null): void {
    keep(piece.content, this.#texts);
    if (typeof piece.refusal === "string") this.#texts.push(piece.refusal);
    keep(piece.reasoning_content ?? piece.reasoning, this.#reasoning);
    if (Array.isArray(piece.tool_calls)) this.#addToolCalls(piece.tool_calls);
    if (typeof finishReason === "string") this.finishReason = finishReason;
  }

  output(): string {
    const text = this.#texts.join("");
    const calls = this.#calls().map(({ name, given }) => toolCallText(name, given.join("")));
    return (text === "" ? calls : [text, ...calls]).join("\n");
  }

  generated(): string[] {
    const calls = this.#calls().map(({ name, given }) => name + given.join(""));
    return [this.#reasoning.join(""), this.#texts.join(""), ...calls];
  }

  #calls(): readonly ToolCallText[] {
    return [...this.#toolCalls.values()];
  }

  #addToolCalls(pieces: readonly unknown[]): void {
    pieces.filter(isJsonObject).forEach((piece, position) => {
      const at = typeof piece.index === "number" ? piece.index : position;
      const call = this.#toolCalls.get(at) ?? { name: "", given: [] };
      const { name, given } = calledFunction(piece);
      call.name += name;
      call.given.push(given);
      this.#toolCalls.set(at, call);
    });
  }
}

/** Keeps a text, or the texts among content parts, which some providers send in answers too. */
function keep(content: unknown, texts: string[]): void {
  if (typeof content === "string") {
    if (content !== "") texts.push(content);
  } else if (Array.isArray(content)) {
    for (const part of content.filter(isJsonObject)) if (typeof part.text === "string") texts.push(part.text);
  }
}
