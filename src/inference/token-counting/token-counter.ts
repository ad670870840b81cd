export type Vocabulary = "cl100k_base" | "o200k_base";

/** GPT-4 and GPT-3.5 up to GPT-4 Turbo; later models have the larger vocabulary. */
const OLDER_VOCABULARY = /(^|\/)gpt-(3\.5|4)(-|$)/;

/** The vocabulary that a model's tokens are counted in. */
export const vocabularyOf = (model: string): Vocabulary =>
  OLDER_VOCABULARY.test(model) ? "cl100k_base" : "o200k_base";

export interface CountOptions {
  /** Model whose tokenizer is meant. Models without a public one are counted with that of OpenAI's current models. */
  readonly model: string;
  /** Stop as soon as there are more than that. */
  readonly limit?: number;
}

/** Counts tokens with a real tokenizer: for providers that send no count, and for prompts that may be too long. */
export interface TokenCounter {
  /**
   * Tokens of all texts together, exact but for one token at most for every 16,000 characters.
   *
   * @returns any number above `limit` once there are more
   * @throws TokenCountError when it cannot be found out
   */
  count(texts: readonly string[], options: CountOptions): Promise<number>;
}

/** Tokens could not be counted: what counts them has ended, or is closed. */
export class TokenCountError extends Error {
  override readonly name = "TokenCountError";
}
