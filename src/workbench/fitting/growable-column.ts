type NumberArray = Float32Array | Float64Array | Uint8Array | Uint16Array | Uint32Array;

const INITIAL_CAPACITY = 1024;

/** A typed array that grows by half when full: for columns of a table of unknown length. */
export class GrowableColumn<T extends NumberArray> {
  #values: T;
  #length = 0;
  readonly #allocate: (length: number) => T;

  constructor(allocate: (length: number) => T) {
    this.#allocate = allocate;
    this.#values = allocate(INITIAL_CAPACITY);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = this.#allocate(this.#length + (this.#length >> 1));
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  /** Adds to the value at `index`, which must have been pushed. */
  add(index: number, amount: number): void {
    this.#values[index] = (this.#values[index] ?? 0) + amount;
  }

  /** The values pushed so far, as a view that is invalid after the next push. */
  values(): T {
    return this.#values.subarray(0, this.#length) as T;
  }
}
