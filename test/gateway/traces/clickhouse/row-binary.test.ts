/** RowBinary by its definition: a decoder of a few lines reads back what was written. A real server does so in test/services. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RowBinary } from "../../../../src/gateway/traces/clickhouse/row-binary.js";

function written(write: (row: RowBinary) => void): Buffer {
  const row = new RowBinary();
  write(row);
  expect(row.bytes()).toHaveLength(row.length);
  return row.bytes();
}

/** @returns the number, and where it ends */
function readCount(bytes: Buffer): [value: number, end: number] {
  let value = 0;
  for (let at = 0; ; at++) {
    const byte = bytes.readUInt8(at);
    value += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return [value, at + 1];
  }
}

function readString(bytes: Buffer): string {
  const [length, from] = readCount(bytes);
  expect(bytes).toHaveLength(from + length);
  return bytes.subarray(from).toString();
}

describe("The RowBinary encoder", () => {
  it("writes every string after its length in bytes", () => {
    const anyText = fc.string({ unit: fc.constantFrom("a", "é", "€", "𝄞", "\u0000"), maxLength: 120 });
    fc.assert(
      fc.property(anyText, (text) => {
        expect(readString(written((row) => row.string(text)))).toBe(text);
      }),
      { numRuns: 100 },
    );
    // Where the length needs another byte, or would if every character took three.
    for (const units of [0, 1, 32, 33, 42, 43, 127, 128, 5461, 5462, 16_383, 16_384, 70_000, 700_000]) {
      for (const unit of ["x", "€"]) {
        const text = unit.repeat(units);
        expect(readString(written((row) => row.string(text))) === text, `${units} × ${unit}`).toBe(true);
      }
    }
  });

  it("replaces half a surrogate pair by U+FFFD, in short texts and in long ones", () => {
    for (const filling of ["", "x".repeat(100)]) {
      const half = `${filling}\ud800b\udfff`;
      expect(readString(written((row) => row.string(half)))).toBe(`${filling}\ufffdb\ufffd`);
    }
  });

  it("writes integers and floats in little-endian order", () => {
    const integers = [0, 1, -1, 2 ** 31, -(2 ** 31), 2 ** 32, -(2 ** 32), 1_763_600_000_123];
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeInteger(), fc.constantFrom(...integers)), (value) => {
        expect(written((row) => row.int64(value)).readBigInt64LE()).toBe(BigInt(value));
      }),
    );
    fc.assert(
      fc.property(fc.double(), (value) => {
        expect(written((row) => row.float64(value)).readDoubleLE()).toBe(value);
      }),
    );
  });

  it("writes a null flag before a nullable value, and the length before a list", () => {
    expect(written((row) => row.nullable(null, () => row.uint8(7)))).toEqual(Buffer.from([1]));
    expect(written((row) => row.nullable(7, (value) => row.uint8(value)))).toEqual(Buffer.from([0, 7]));
    expect(written((row) => row.strings(["a", ""]))).toEqual(Buffer.from([2, 1, 97, 0]));
    const [length] = readCount(written((row) => row.strings(Array.from({ length: 300 }, () => ""))));
    expect(length).toBe(300);
  });
});
