import { expect, it } from "vitest";
import { decodeSections, encodeSections, SectionFileError } from "../../src/foundation/section-file.js";

const BODY = { facts: {}, sections: { a: Uint8Array.of(1, 2, 3), b: Float32Array.of(4, 5) } };

/** The file with another text for its list of sections; the checksum, which covers what is behind the header, stays right. */
function withSections(sections: unknown): Uint8Array {
  const bytes = Buffer.from(encodeSections(BODY));
  const end = 8 + bytes.readUInt32LE(4);
  const header = JSON.parse(bytes.toString("utf8", 8, end));
  const text = Buffer.from(JSON.stringify({ ...header, sections }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([bytes.subarray(0, 4), length, text, bytes.subarray(end)]);
}

it("reads what it wrote", () => {
  expect(decodeSections(encodeSections(BODY), "x.bin")).toEqual(BODY);
});

const HEADERS: readonly unknown[] = [
  null,
  [null],
  [{ name: "a", type: "u8" }],
  ...[-1, 0.5, 1e300, "3", null].map((length) => [{ name: "a", type: "u8", length }]),
  ...["u64", "toString", null].map((type) => [{ name: "a", type, length: 1 }]),
  [{ name: "a", type: "f64", length: 1e9 }],
];

it.each(HEADERS.map((sections) => ({ sections })))(
  "refuses a header with $sections, with the name of the file",
  ({ sections }) => {
    const decode = () => decodeSections(withSections(sections), "x.bin");
    expect(decode).toThrow(SectionFileError);
    expect(decode).toThrow(/^x\.bin /);
  },
);
