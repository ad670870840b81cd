/** The one thing that is needed of protocol buffers: reading the fields of a message, one after the other. */
export interface Field {
  readonly number: number;
  /** Of a varint; 0 otherwise. Exact up to 2^53. */
  readonly value: number;
  /** Content of a field with a length, as a view; empty otherwise. */
  readonly bytes: Uint8Array;
}

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;
const NO_BYTES = new Uint8Array(0);

/** @throws RangeError when the message is cut short or holds what is no field */
export function* fieldsOf(message: Uint8Array): Generator<Field> {
  const reader = { message, at: 0 };
  while (reader.at < message.length) {
    const tag = readVarint(reader);
    const number = Math.floor(tag / 8);
    switch (tag % 8) {
      case VARINT:
        yield { number, value: readVarint(reader), bytes: NO_BYTES };
        break;
      case LENGTH_DELIMITED:
        yield { number, value: 0, bytes: take(reader, readVarint(reader)) };
        break;
      case FIXED_64:
        yield { number, value: 0, bytes: take(reader, 8) };
        break;
      case FIXED_32:
        yield { number, value: 0, bytes: take(reader, 4) };
        break;
      default:
        throw new RangeError(`a field of wire type ${tag % 8}`);
    }
  }
}

interface Reader {
  readonly message: Uint8Array;
  at: number;
}

const LONGEST_VARINT = 10;

/** Negative numbers are 64 bits in two's complement. */
function readVarint(reader: Reader): number {
  let value = 0n;
  for (let index = 0; index < LONGEST_VARINT; index++) {
    const byte = reader.message[reader.at++];
    if (byte === undefined) throw new RangeError("a number is cut short");
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return Number(BigInt.asIntN(64, value));
  }
  throw new RangeError("a number is too long");
}

function take(reader: Reader, length: number): Uint8Array {
  const end = reader.at + length;
  if (length < 0 || end > reader.message.length) throw new RangeError("a field is cut short");
  const bytes = reader.message.subarray(reader.at, end);
  reader.at = end;
  return bytes;
}
