/** Dollars that a collection may cost, over all its runs. What calls in flight may cost is reserved. */
export class Budget {
  readonly #limitUsd: number;
  #spentUsd: number;
  #reservedUsd = 0;

  /**
   * @param limitUsd infinity for no limit
   * @param spentUsd what earlier runs cost
   */
  constructor(limitUsd: number, spentUsd: number) {
    this.#limitUsd = limitUsd;
    this.#spentUsd = spentUsd;
  }

  /** Reserves an amount. @returns whether there was that much left */
  reserve(usd: number): boolean {
    if (this.#spentUsd + this.#reservedUsd + usd > this.#limitUsd) return false;
    this.#reservedUsd += usd;
    return true;
  }

  /** Replaces what was reserved for a call by what it cost. */
  settle(reservedUsd: number, spentUsd: number): void {
    this.#reservedUsd -= reservedUsd;
    this.#spentUsd += spentUsd;
  }
}
