import { createHash } from "node:crypto";
import { ExplainedError } from "./errors.js";

/**
 * The binary container of a profile set: named typed arrays behind a JSON header, little-endian.
 *
 * `"SXT1"`, header length (u32), header (JSON, UTF-8, padded with spaces to 8 bytes), then each section at a multiple of
 * 8 bytes, in the header's order. The header's `sha256` covers everything behind the header.
 */
export interface SectionFile {
  /** What the file says of itself, whatever its writer put there. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly sections: Readonly<Record<string, SectionArray>>;
}

export type SectionArray = Uint8Array | Int8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

const MAGIC = 0x31545853;
const ALIGNMENT = 8;

const CONSTRUCTORS = {
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

type SectionType = keyof typeof CONSTRUCTORS;

interface Header {
  readonly facts: Record<string, unknown>;
  readonly sections: readonly {
    readonly name: string;
    readonly type: SectionType;
    readonly length: number;
  }[];
  readonly sha256: string;
}

/** The file is damaged or of another format; the message says what was found and what to do. */
export class SectionFileError extends ExplainedError {
  override readonly name = "SectionFileError";
}

export function encodeSections(file: SectionFile): Uint8Array {
  const entries = Object.entries(file.sections);
  let bodyLength = 0;
  for (const [, array] of entries) bodyLength = aligned(bodyLength) + array.byteLength;
  const body = new Uint8Array(bodyLength);
  let offset = 0;
  for (const [, array] of entries) {
    offset = aligned(offset);
    body.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset);
    offset += array.byteLength;
  }
  const header: Header = {
    facts: file.facts,
    sections: entries.map(([name, array]) => ({ name, type: typeOf(array), length: array.length })),
    sha256: createHash("sha256").update(body).digest("hex"),
  };
  const json = Buffer.from(JSON.stringify(header), "utf8");
  const headerLength = aligned(json.length);
  const whole = Buffer.alloc(8 + headerLength + bodyLength, " ");
  whole.writeUInt32LE(MAGIC, 0);
  whole.writeUInt32LE(headerLength, 4);
  json.copy(whole, 8);
  whole.set(body, 8 + headerLength);
  return whole;
}

/**
 * Reads what `encodeSections` wrote; the arrays are views into `bytes` where alignment allows.
 *
 * @param name of the file, for messages
 * @param options.isVerified whether a checksum of the whole file was compared already. Default false
 * @throws SectionFileError when the magic, the header, a length or the checksum does not fit
 */
export function decodeSections(
  bytes: Uint8Array,
  name: string,
  { isVerified = false }: DecodeOptions = {},
): SectionFile {
  const { header, bodyStart } = readHeader(bytes, name);
  const body = bytes.subarray(bodyStart);
  const digest = isVerified ? header.sha256 : createHash("sha256").update(body).digest("hex");
  if (digest !== header.sha256) {
    throw new SectionFileError(
      `${name} is damaged: its content has SHA-256 ${digest}, its header says ${header.sha256}. Build or fetch it again.`,
    );
  }
  const sections: Record<string, SectionArray> = {};
  let offset = 0;
  for (const { name: section, type, length } of header.sections) {
    offset = aligned(offset);
    const byteLength = length * CONSTRUCTORS[type].BYTES_PER_ELEMENT;
    if (offset + byteLength > body.length)
      throw new SectionFileError(`${name} is truncated in section ${section}.`);
    sections[section] = view(body, { type, offset, length });
    offset += byteLength;
  }
  return { facts: header.facts, sections };
}

export interface DecodeOptions {
  readonly isVerified?: boolean;
}

function readHeader(bytes: Uint8Array, name: string): { header: Header; bodyStart: number } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length < 8 || buffer.readUInt32LE(0) !== MAGIC) {
    throw new SectionFileError(`${name} is not a Sextant profile file (it does not begin with "SXT1").`);
  }
  const headerLength = buffer.readUInt32LE(4);
  if (8 + headerLength > buffer.length) throw new SectionFileError(`${name} is truncated in its header.`);
  try {
    const header = JSON.parse(buffer.toString("utf8", 8, 8 + headerLength)) as Header;
    for (const { type, length } of header.sections)
      if (!Object.hasOwn(CONSTRUCTORS, type) || !Number.isSafeInteger(length) || length < 0)
        throw new Error(`a section of ${length} values of type ${type}`);
    return { header, bodyStart: 8 + headerLength };
  } catch (cause) {
    throw new SectionFileError(`${name} has a damaged header.`, { cause });
  }
}

interface SectionLocation {
  readonly type: SectionType;
  readonly offset: number;
  readonly length: number;
}

function view(body: Uint8Array, { type, offset, length }: SectionLocation): SectionArray {
  const Constructor = CONSTRUCTORS[type];
  const start = body.byteOffset + offset;
  if (start % Constructor.BYTES_PER_ELEMENT === 0)
    return new Constructor(body.buffer as ArrayBuffer, start, length);
  const copy = body.slice(offset, offset + length * Constructor.BYTES_PER_ELEMENT);
  return new Constructor(copy.buffer as ArrayBuffer, 0, length);
}

function typeOf(array: SectionArray): SectionType {
  const found = (Object.keys(CONSTRUCTORS) as SectionType[]).find(
    (type) => array instanceof CONSTRUCTORS[type],
  );
  return found as SectionType;
}

function aligned(offset: number): number {
  return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}
