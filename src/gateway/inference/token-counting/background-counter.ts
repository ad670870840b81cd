import type { CountOptions, TokenCounter } from "./token-counter.js";

/**
 * Counts what no client waits for, one text after the other, so that at most one of them takes turns with the counts that
 * clients wait for.
 */
export class BackgroundCounter implements TokenCounter {
  readonly #counter: TokenCounter;
  #last: Promise<unknown> = Promise.resolve();

  constructor(counter: TokenCounter) {
    this.#counter = counter;
  }

  count(texts: readonly string[], options: CountOptions): Promise<number> {
    const counted = this.#last.then(() => this.#counter.count(texts, options));
    this.#last = counted.catch(() => {});
    return counted;
  }
}
