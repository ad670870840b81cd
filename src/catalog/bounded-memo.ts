/**
 * A function's results by its argument, in bounded memory: at most twice `capacity` of them, those not asked for lately
 * forgotten first. A hit costs one look-up and moves nothing, and a flood of new arguments cannot push out those in use.
 */
export class BoundedMemo<Value extends {}> {
  readonly #compute: (key: string) => Value;
  readonly #capacity: number;
  #recent = new Map<string, Value>();
  #older = new Map<string, Value>();

  constructor(compute: (key: string) => Value, capacity: number) {
    this.#compute = compute;
    this.#capacity = capacity;
  }

  get(key: string): Value {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const value = this.#older.get(key) ?? this.#compute(key);
    if (this.#recent.size >= this.#capacity) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
    return value;
  }

  clear(): void {
    this.#recent.clear();
    this.#older.clear();
  }
}
