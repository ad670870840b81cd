/** Tokens by a tokenizer, where a provider does not count them. */
import { lengthRatio, TextAllowance } from "../../foundation/bounded-text.js";
import { exactJson } from "../../foundation/exact-numbers.js";
import type { ChatBody } from "../providers/chat.js";
import { type TokenCounter, type Vocabulary, vocabularyOf } from "../token-counting/token-counter.js";
import type { AnswerText } from "./answer-text.js";
import { textWithCalls } from "./conversation-text.js";

type GeneratedText = Pick<AnswerText, "generated" | "lengthRatio">;

/**
 * Characters of an answer whose tokens are counted: more than any model generates at once, and less than a tenth of a second's
 * work. A provider that sends more, and no count, costs no more than that.
 */
const MOST_COUNTED = 1_048_576;

/** Tokens of an answer by a tokenizer. What is not counted of a very long one is taken to have as many for its length. */
export async function answerTokens(
  text: GeneratedText | null,
  model: string,
  counter: TokenCounter,
): Promise<number> {
  if (text === null) return 0;
  const allowance = new TextAllowance(MOST_COUNTED);
  const counted = text.generated().map((piece) => allowance.take(piece));
  return Math.round((await counter.count(counted, { model })) * lengthRatio([allowance]) * text.lengthRatio);
}

/** What a chat format adds around each message (OpenAI's published count for its chat format). */
const TOKENS_PER_MESSAGE = 4;

/** Tokens of one request's prompt by a tokenizer; images count nothing. Counted when first asked for, once for each vocabulary. */
export class PromptTokens {
  readonly #counted = new Map<Vocabulary, Promise<number>>();

  constructor(
    private readonly body: ChatBody,
    private readonly counter: TokenCounter,
  ) {}

  /** @param model by which the tokenizer is chosen */
  of(model: string): Promise<number> {
    const vocabulary = vocabularyOf(model);
    const counted = this.#counted.get(vocabulary) ?? this.#count(model);
    this.#counted.set(vocabulary, counted);
    return counted;
  }

  async #count(model: string): Promise<number> {
    const { messages, tools } = this.body;
    const prompt = messages.map(textWithCalls);
    if (Array.isArray(tools) && tools.length > 0) prompt.push(exactJson(tools));
    return (await this.counter.count(prompt, { model })) + messages.length * TOKENS_PER_MESSAGE;
  }
}
