/** The most bits one number may have: with up to 7 bits before it in its first byte they still fit 32-bit arithmetic. */
export const MAXIMUM_BITS = 24;

/** Unsigned numbers of any width up to `MAXIMUM_BITS`, one after the other, lowest bit first. */
export class BitWriter {
  #bytes = new Uint8Array(4096);
  #length = 0;
  #pending = 0;
  #pendingBits = 0;

  /** `value` must be an integer in [0, 2^width). */
  write(value: number, width: number): void {
    if (this.#length + 4 > this.#bytes.length) this.#grow();
    this.#pending |= value << this.#pendingBits;
    this.#pendingBits += width;
    while (this.#pendingBits >= 8) {
      this.#bytes[this.#length++] = this.#pending;
      this.#pending >>>= 8;
      this.#pendingBits -= 8;
    }
  }

  /** All that was written, padded with zeros to a whole byte. Ends the writing. */
  finish(): Uint8Array {
    this.write(0, (8 - this.#pendingBits) % 8);
    return this.#bytes.slice(0, this.#length);
  }

  #grow(): void {
    const bytes = new Uint8Array(2 * this.#bytes.length);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }
}

/** Reads back what `BitWriter` wrote, given the same widths. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #next = 0;
  #pending = 0;
  #pendingBits = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** @throws RangeError past the end */
  read(width: number): number {
    while (this.#pendingBits < width) {
      if (this.#next >= this.#bytes.length) throw new RangeError("it ends early");
      this.#pending |= (this.#bytes[this.#next++] as number) << this.#pendingBits;
      this.#pendingBits += 8;
    }
    const value = this.#pending & ((1 << width) - 1);
    this.#pending >>>= width;
    this.#pendingBits -= width;
    return value;
  }
}
