const FIRST_BYTES = 65_536;

/** UTF-16 units up to which a string is written by this file: for short strings the call of `Buffer.write` takes longer. */
const SHORT_UNITS = 32;
/** Most bytes that a unit takes in UTF-8. */
const UNIT_BYTES = 3;
const TWO_TO_32 = 2 ** 32;

/**
 * Rows in ClickHouse's RowBinary format: every value comes back bit for bit, which the text formats of old versions do not
 * promise of numbers, and nothing needs to be escaped.
 *
 * Source: ClickHouse documentation, "RowBinary".
 */
export class RowBinary {
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #view = viewOf(this.#buffer);
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
    const mostBytes = value.length * UNIT_BYTES;
    const countBytes = bytesOfCount(mostBytes);
    this.#reserve(countBytes + mostBytes);
    const from = this.#length + countBytes;
    // Counting the bytes first would read every text twice.
    const bytes =
      value.length <= SHORT_UNITS ? this.#writeShort(value, from) : this.#buffer.write(value, from);
    this.#count(bytes, countBytes);
    this.#length = from + bytes;
  }

  uint8(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  /** A safe integer. */
  int64(value: number): void {
    this.#reserve(8);
    this.#view.setInt32(this.#length, value % TWO_TO_32, true);
    this.#view.setInt32(this.#length + 4, Math.floor(value / TWO_TO_32), true);
    this.#length += 8;
  }

  float64(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  nullable<Value>(value: Value | null, write: (value: Value) => void): void {
    this.uint8(value === null ? 1 : 0);
    if (value !== null) write(value);
  }

  strings(values: readonly string[]): void {
    const countBytes = bytesOfCount(values.length);
    this.#reserve(countBytes);
    this.#count(values.length, countBytes);
    this.#length += countBytes;
    for (const value of values) this.string(value);
  }

  /** @returns how many bytes */
  #writeShort(value: string, from: number): number {
    for (let at = 0; at < value.length; at++) {
      const unit = value.charCodeAt(at);
      if (unit > 0x7f) return this.#buffer.write(value, from);
      this.#buffer[from + at] = unit;
    }
    return value.length;
  }

  /** Writes an unsigned LEB128 number of that many bytes at the current position. */
  #count(value: number, bytes: number): void {
    let rest = value;
    const last = this.#length + bytes - 1;
    for (let at = this.#length; at < last; at++) {
      this.#buffer[at] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#buffer[last] = rest;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
    this.#view = viewOf(larger);
  }
}

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length);

function bytesOfCount(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest /= 0x80) bytes += 1;
  return bytes;
}
