import { SerialQueue } from "../../foundation/serial-queue.js";

export type Vocabulary = "cl100k_base" | "o200k_base";

/** GPT-4 and GPT-3.5 up to GPT-4 Turbo; later models have the larger vocabulary. */
const OLDER_VOCABULARY = /(^|\/)gpt-(3\.5|4)(-|$)/;

/** The vocabulary that a model's tokens are counted in. */
export const vocabularyOf = (model: string): Vocabulary =>
  OLDER_VOCABULARY.test(model) ? "cl100k_base" : "o200k_base";

export interface CountOptions {
  /** Model whose tokenizer is used. Models without a public one use that of OpenAI's current models. */
  readonly model: string;
  /** Stop once the count exceeds this. */
  readonly limit?: number;
}

/** Counts tokens with a tokenizer: for providers that send no count, and for prompts that may be too long. */
export interface TokenCounter {
  /**
   * Tokens of all texts together, exact but for at most one token for every 16,000 characters.
   *
   * @returns any number above `limit` once the count exceeds it
   * @throws TokenCountError when counting fails
   */
  count(texts: readonly string[], options: CountOptions): Promise<number>;
}

/** Tokens could not be counted: the worker thread has ended, or the counter is closed. */
export class TokenCountError extends Error {
  override readonly name = "TokenCountError";
}

/**
 * Counts what no client waits for, one text after the other, so that at most one of them takes turns with the counts that
 * clients wait for.
 */
export function backgroundCounter(counter: TokenCounter): TokenCounter {
  const queue = new SerialQueue();
  return { count: (texts, options) => queue.run(() => counter.count(texts, options)) };
}

/** What the thread that counts tokens does. */

export type TokenCountingApi = {
  count(question: { readonly texts: readonly string[]; readonly options: CountOptions }): number;
};
