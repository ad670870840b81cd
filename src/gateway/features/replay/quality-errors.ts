/**
 * Standard error of a sum of expected qualities. What is expected of a model is wrong in the same direction for all requests that
 * move to it, and for all that move away from it: these are the groups.
 */
export class QualityErrors {
  readonly #sums = new Map<string, number>();

  add(group: `to ${string}` | `from ${string}`, stderr: number): void {
    this.#sums.set(group, (this.#sums.get(group) ?? 0) + stderr);
  }

  get stderr(): number {
    return Math.hypot(...this.#sums.values());
  }
}
