const FIRST_BYTES = 65_536;

/**
 * Rows in ClickHouse's RowBinary format: every value comes back bit for bit, which the text formats of old versions do not
 * promise of numbers, and nothing needs to be escaped.
 *
 * Source: ClickHouse documentation, "RowBinary".
 */
export class RowBinary {
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Half a surrogate pair becomes U+FFFD. */
  string(value: string): void {
    const length = Buffer.byteLength(value);
    this.#count(length);
    this.#reserve(length);
    this.#length += this.#buffer.write(value, this.#length);
  }

  uint8(value: number): void {
    this.#reserve(1);
    this.#length = this.#buffer.writeUInt8(value, this.#length);
  }

  /** A safe integer. */
  int64(value: number): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeBigInt64LE(BigInt(value), this.#length);
  }

  float64(value: number): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
  }

  nullable<Value>(value: Value | null, write: (value: Value) => void): void {
    this.uint8(value === null ? 1 : 0);
    if (value !== null) write(value);
  }

  strings(values: readonly string[]): void {
    this.#count(values.length);
    for (const value of values) this.string(value);
  }

  /** An unsigned LEB128 number. */
  #count(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.uint8((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.uint8(rest);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
