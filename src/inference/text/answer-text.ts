import { TextAllowance } from "../../foundation/bounded-text.js";
import type { ChatChunk, ChatCompletion, JsonObject } from "../../providers/chat.js";
import { isJsonObject } from "../../providers/json-object.js";
import { calledFunction, toolCallText } from "./conversation-text.js";

/**
 * Collects what a model generates, for the trace and for counting tokens. It is kept even where neither is certain to be
 * wanted: whether a provider counts is known only at the end of its stream, and keeping a reference to a text that exists
 * anyway is cheaper than asking first. Members of messages that are not what they should be are skipped.
 *
 * Only the beginning of a very long answer is kept, which bounds what a provider can make this process hold.
 */
export class AnswerText {
  readonly #choices = new Map<number, ChoiceText>();
  readonly #allowance: TextAllowance;

  /** @param maxCharacters UTF-16 units that are kept, of all choices together */
  constructor(maxCharacters: number) {
    this.#allowance = new TextAllowance(maxCharacters);
  }

  addChunk({ choices }: ChatChunk): void {
    for (const { index, delta, finish_reason } of choices) this.#choiceAt(index).add(delta, finish_reason);
  }

  addCompletion({ choices }: ChatCompletion): void {
    for (const { index, message, finish_reason } of choices)
      this.#choiceAt(index).add(message, finish_reason);
  }

  /** The text of a trace: texts and tool calls of all choices, by index, without reasoning. */
  output(): string {
    const texts = this.#inOrder().map((choice) => choice.output());
    return texts.join("\n") + this.#allowance.notice;
  }

  /** Length of everything generated ÷ length of what `generated` has of it; 1 but for a very long answer. */
  get lengthRatio(): number {
    return this.#allowance.ratio;
  }

  /** Everything generated that is kept, reasoning included. */
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
      choice = new ChoiceText(this.#allowance);
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
  readonly #allowance: TextAllowance;

  constructor(allowance: TextAllowance) {
    this.#allowance = allowance;
  }

  /** @param piece a whole message or the next delta of one */
  add(piece: JsonObject, finishReason: string | null): void {
    this.#keep(piece.content, this.#texts);
    this.#keep(piece.refusal, this.#texts);
    this.#keep(piece.reasoning_content ?? piece.reasoning, this.#reasoning);
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
      call.name += this.#allowance.take(name);
      call.given.push(this.#allowance.take(given));
      this.#toolCalls.set(at, call);
    });
  }

  /** Keeps a text, or the texts among content parts, which some providers send in answers too. */
  #keep(content: unknown, texts: string[]): void {
    for (const text of textsIn(content)) {
      const kept = this.#allowance.take(text);
      if (kept !== "") texts.push(kept);
    }
  }
}

function textsIn(content: unknown): readonly string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.filter(isJsonObject).flatMap(({ text }) => (typeof text === "string" ? [text] : []));
}
