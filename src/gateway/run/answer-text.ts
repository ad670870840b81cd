import { lengthRatio, TextAllowance, type TextRoom } from "../../foundation/bounded-text.js";
import {
  type ChatChunk,
  type ChatCompletion,
  type JsonObject,
  objectsIn,
  textOf,
} from "../providers/chat.js";
import { calledFunction, toolCallText } from "./conversation-text.js";

/**
 * Collects what a model generates, for the trace and for counting tokens. It is kept even where neither is certain to be
 * wanted: whether a provider counts is known only at the end of its stream, and keeping a reference to a text that exists
 * anyway is cheaper than asking first. Members of messages that are not what they should be are skipped.
 *
 * Only the beginning of a very long answer, and of very long reasoning, is kept, which bounds what a provider can make this
 * process hold.
 */
export class AnswerText {
  /** By index. */
  readonly #choices = new Map<number, ChoiceText>();
  readonly #answer: TextAllowance;
  /** Apart, so that long reasoning does not cost the answer. */
  readonly #reasoning: TextAllowance;

  /**
   * @param maxCharacters UTF-16 units that are kept of the answer, all choices together, and as many of the reasoning
   * @param room shared with others until `release`
   */
  constructor(maxCharacters: number, room?: TextRoom) {
    this.#answer = new TextAllowance(maxCharacters, room);
    this.#reasoning = new TextAllowance(maxCharacters, room);
  }

  /** The text is held no longer. */
  release(): void {
    this.#answer.release();
    this.#reasoning.release();
  }

  addChunk({ choices }: ChatChunk): void {
    for (const { index, delta, finish_reason } of choices) this.#add(delta, index, finish_reason);
  }

  addCompletion({ choices }: ChatCompletion): void {
    for (const { index, message, finish_reason } of choices) this.#add(message, index, finish_reason);
  }

  /** The text of a trace: texts and tool calls of all choices, by index, without reasoning. */
  output(): string {
    const texts = this.#inOrder().map(({ text, calls }) => {
      const called = [...calls.values()].map(({ name, given }) => toolCallText(name, given.join("")));
      return (text.length === 0 ? called : [text.join(""), ...called]).join("\n");
    });
    return texts.join("\n") + this.#answer.notice;
  }

  /** The reasoning that came apart from the answer, of all choices by index; null when there is nothing to read in it. */
  reasoning(): string | null {
    const texts = this.#inOrder().flatMap(({ reasoning }) =>
      reasoning.length === 0 ? [] : [reasoning.join("")],
    );
    const text = texts.join("\n") + this.#reasoning.notice;
    return text.trim() === "" ? null : text;
  }

  /** Length of everything generated ÷ length of what `generated` has of it; 1 but for very long texts. */
  get lengthRatio(): number {
    return lengthRatio([this.#answer, this.#reasoning]);
  }

  /** Everything generated that is kept, reasoning included. */
  generated(): string[] {
    return this.#inOrder().flatMap(({ reasoning, text, calls }) => [
      reasoning.join(""),
      text.join(""),
      ...[...calls.values()].map(({ name, given }) => name + given.join("")),
    ]);
  }

  /** Finish reason of the choice with the lowest index; null until it arrived. */
  get finishReason(): string | null {
    return this.#inOrder()[0]?.finishReason ?? null;
  }

  /** @param piece a whole message or the next delta of one */
  #add(piece: JsonObject, index: number, finishReason: string | null): void {
    const choice: ChoiceText = this.#choices.get(index) ?? {
      index,
      finishReason: null,
      text: [],
      reasoning: [],
      calls: new Map(),
    };
    this.#choices.set(index, choice);
    const { content, refusal, reasoning_content, tool_calls } = piece;
    const answer = this.#answer;
    const reasoning = this.#reasoning.take(textOf(reasoning_content));
    if (reasoning !== "") choice.reasoning.push(reasoning);
    for (const said of [textOf(content), typeof refusal === "string" ? refusal : ""]) {
      const kept = answer.take(said);
      if (kept !== "") choice.text.push(kept);
    }
    for (const [position, one] of objectsIn(tool_calls).entries()) {
      const at = typeof one.index === "number" ? one.index : position;
      const call = choice.calls.get(at) ?? { name: "", given: [] };
      const { name, given } = calledFunction(one);
      call.name += answer.take(name);
      call.given.push(answer.take(given));
      choice.calls.set(at, call);
    }
    if (typeof finishReason === "string") choice.finishReason = finishReason;
  }

  #inOrder(): readonly ChoiceText[] {
    return [...this.#choices.values()].sort((left, right) => left.index - right.index);
  }
}

/** What a model generates for one choice, in pieces. */
interface ChoiceText {
  readonly index: number;
  finishReason: string | null;
  readonly text: string[];
  readonly reasoning: string[];
  readonly calls: Map<number, { name: string; readonly given: string[] }>;
}
