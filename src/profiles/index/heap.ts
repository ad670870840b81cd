/** Anchors by a number, the one with the lowest on top. Grows as needed. */
export class AnchorHeap {
  #keys: Float32Array;
  #anchors: Uint32Array;
  #size = 0;

  constructor(capacity = 1024) {
    this.#keys = new Float32Array(capacity);
    this.#anchors = new Uint32Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  /** Keys, in no order, in the first `size` places; valid until the heap changes. */
  get keys(): Float32Array {
    return this.#keys;
  }

  /** The anchors of `keys`. */
  get anchors(): Uint32Array {
    return this.#anchors;
  }

  /** The lowest key; meaningless when empty. */
  get top(): number {
    return this.#keys[0] as number;
  }

  clear(): void {
    this.#size = 0;
  }

  push(key: number, anchor: number): void {
    if (this.#size === this.#keys.length) this.#grow();
    let place = this.#size++;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = this.#keys[parent] as number;
      if (above <= key) break;
      this.#set(place, above, this.#anchors[parent] as number);
      place = parent;
    }
    this.#set(place, key, anchor);
  }

  /** Takes away the anchor with the lowest key. The heap must not be empty. */
  pop(): number {
    const anchor = this.#anchors[0] as number;
    this.#size--;
    this.#sink(this.#keys[this.#size] as number, this.#anchors[this.#size] as number);
    return anchor;
  }

  /** `pop` and `push` in one. */
  replaceTop(key: number, anchor: number): void {
    this.#sink(key, anchor);
  }

  /** Puts an entry in the place of the top and lets it sink. */
  #sink(key: number, anchor: number): void {
    let place = 0;
    for (let child = 1; child < this.#size; child = 2 * place + 1) {
      const right = child + 1;
      if (right < this.#size && (this.#keys[right] as number) < (this.#keys[child] as number)) child = right;
      const below = this.#keys[child] as number;
      if (key <= below) break;
      this.#set(place, below, this.#anchors[child] as number);
      place = child;
    }
    this.#set(place, key, anchor);
  }

  #set(place: number, key: number, anchor: number): void {
    this.#keys[place] = key;
    this.#anchors[place] = anchor;
  }

  #grow(): void {
    const keys = new Float32Array(2 * this.#keys.length);
    const anchors = new Uint32Array(2 * this.#anchors.length);
    keys.set(this.#keys);
    anchors.set(this.#anchors);
    this.#keys = keys;
    this.#anchors = anchors;
  }
}
