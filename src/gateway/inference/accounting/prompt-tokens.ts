import type { ChatBody } from "../../providers/chat.js";
import { textOf } from "../text/conversation-text.js";
import { type TokenCounter, type Vocabulary, vocabularyOf } from "../token-counting/token-counter.js";

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
    const prompt = messages.map(textOf);
    if (Array.isArray(tools) && tools.length > 0) prompt.push(JSON.stringify(tools));
    return (await this.counter.count(prompt, { model })) + messages.length * TOKENS_PER_MESSAGE;
  }
}
