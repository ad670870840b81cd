/** What is needed of protocol buffers: reading the fields of a message, one after the other. */
export interface Field {
  readonly number: number;
  /** Of a varint; 0 otherwise. Exact up to 2^53. */
  readonly value: number;
  /** Content of a field with a length, as a view; empty otherwise. */
  readonly bytes: Uint8Array;
}

const [VARINT, LENGTH_DELIMITED] = [0, 2];
const NO_BYTES = new Uint8Array(0);
const LONGEST_VARINT = 10;

/** @throws RangeError when the message is cut short, or has a field that is neither a varint nor has a length */
export function* fieldsOf(message: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let index = 0; index < LONGEST_VARINT; index++) {
      const byte = message[at++];
      if (byte === undefined) throw new RangeError("a number is cut short");
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value;
    }
    throw new RangeError("a number is too long");
  };
  while (at < message.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    if (tag % 8 === VARINT) yield { number, value: varint(), bytes: NO_BYTES };
    else if (tag % 8 === LENGTH_DELIMITED) {
      const length = varint();
      if (at + length > message.length) throw new RangeError("a field is cut short");
      yield { number, value: 0, bytes: message.subarray(at, at + length) };
      at += length;
    } else throw new RangeError(`a field of wire type ${tag % 8}`);
  }
}
