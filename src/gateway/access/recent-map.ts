/**
 * A map that forgets: `rotate` drops every entry that was neither set nor read since the rotation before. Dropping costs
 * nothing per entry, unlike a sweep or a list of uses.
 */
export class RecentMap<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.#young.set(key, old);
    return old;
  }

  set(key: string, value: Value): void {
    this.#young.set(key, value);
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  rotate(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }

  /** Entries set or read since the last rotation. */
  get youngCount(): number {
    return this.#young.size;
  }

  /** Most entries that may be held; some may be counted twice. */
  get count(): number {
    return this.#young.size + this.#old.size;
  }
}
