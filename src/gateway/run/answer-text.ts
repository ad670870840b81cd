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
  readonly #choices = new Map<number, ChoiceText>();
  readonly #allowances: Allowances;

  /**
   * @param maxCharacters UTF-16 units that are kept of the answer, all choices together, and as many of the reasoning
   * @param room shared with others until `release`
   */
  constructor(maxCharacters: number, room?: TextRoom) {
    // Apart, so that long reasoning does not cost the answer.
    this.#allowances = {
      answer: new TextAllowance(maxCharacters, room),
      reasoning: new TextAllowance(maxCharacters, room),
    };
  }

  /** The text is held no longer. */
  release(): void {
    for (const allowance of Object.values(this.#allowances)) allowance.release();
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
    return texts.join("\n") + this.#allowances.answer.notice;
  }

  /** The reasoning that came apart from the answer, of all choices by index; null when there is nothing to read in it. */
  reasoning(): string | null {
    const texts = this.#inOrder().map((choice) => choice.reasoning());
    const text = texts.filter((text) => text !== "").join("\n") + this.#allowances.reasoning.notice;
    return text.trim() === "" ? null : text;
  }

  /** Length of everything generated ÷ length of what `generated` has of it; 1 but for very long texts. */
  get lengthRatio(): number {
    return lengthRatio(Object.values(this.#allowances));
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
      choice = new ChoiceText(this.#allowances);
      this.#choices.set(index, choice);
    }
    return choice;
  }

  #inOrder(): readonly ChoiceText[] {
    return [...this.#choices].sort(([left], [right]) => left - right).map(([, choice]) => choice);
  }
}

/** How much is kept of the choices of an answer, all together. */
export interface Allowances {
  /** Of texts, refusals and tool calls. */
  readonly answer: TextAllowance;
  readonly reasoning: TextAllowance;
}

interface ToolCallText {
  name: string;
  readonly given: string[];
}

/** Collects what a model generates for one choice. */
export class ChoiceText {
  finishReason: string | null = null;
  readonly #texts: string[] = [];
  readonly #reasoning: string[] = [];
  readonly #toolCalls = new Map<number, ToolCallText>();

  constructor(private readonly allowances: Allowances) {}

  /** @param piece a whole message or the next delta of one */
  add(piece: JsonObject, finishReason: string | null): void {
    this.#keepReasoning(textOf(piece.reasoning_content));
    this.#keepText(textOf(piece.content));
    if (typeof piece.refusal === "string") this.#keepText(piece.refusal);
    this.#addToolCalls(objectsIn(piece.tool_calls));
    if (typeof finishReason === "string") this.finishReason = finishReason;
  }

  /** Text and tool calls. */
  output(): string {
    const text = this.#texts.join("");
    const calls = this.#calls().map(({ name, given }) => toolCallText(name, given.join("")));
    return (text === "" ? calls : [text, ...calls]).join("\n");
  }

  reasoning(): string {
    return this.#reasoning.join("");
  }

  generated(): string[] {
    const calls = this.#calls().map(({ name, given }) => name + given.join(""));
    return [this.reasoning(), this.#texts.join(""), ...calls];
  }

  #calls(): readonly ToolCallText[] {
    return [...this.#toolCalls.values()];
  }

  #addToolCalls(pieces: readonly JsonObject[]): void {
    const { answer } = this.allowances;
    pieces.forEach((piece, position) => {
      const at = typeof piece.index === "number" ? piece.index : position;
      const call = this.#toolCalls.get(at) ?? { name: "", given: [] };
      const { name, given } = calledFunction(piece);
      call.name += answer.take(name);
      call.given.push(answer.take(given));
      this.#toolCalls.set(at, call);
    });
  }

  #keepText(text: string): void {
    const kept = this.allowances.answer.take(text);
    if (kept !== "") this.#texts.push(kept);
  }

  #keepReasoning(text: string): void {
    const kept = this.allowances.reasoning.take(text);
    if (kept !== "") this.#reasoning.push(kept);
  }
}
