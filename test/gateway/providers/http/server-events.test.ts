import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ServerEvent, ServerEventParser } from "../../../../src/gateway/providers/http/server-events.js";
import { ProviderFault } from "../../../../src/gateway/providers/provider.js";

function parse(...pieces: readonly (string | Uint8Array)[]): ServerEvent[] {
  const parser = new ServerEventParser(1000);
  const events: ServerEvent[] = [];
  for (const piece of pieces) parser.read(Buffer.from(piece), events);
  return events;
}

const data = (...texts: readonly string[]): ServerEvent[] =>
  texts.map((text) => ({ event: null, data: text }));

describe("The parser of server-sent events", () => {
  it.each([
    ["several events", "data: a\n\ndata: b\n\n", data("a", "b")],
    ["no space after the colon", "data:a\n\n", data("a")],
    ["one space too many, which belongs to the data", "data:  a\n\n", data(" a")],
    ["several lines of data", "data: a\ndata: b\ndata:\ndata: c\n\n", data("a\nb\n\nc")],
    ["data without a colon", "data\n\n", data("")],
    ["an event's name", "event: error\ndata: a\n\n", [{ event: "error", data: "a" }]],
    [
      "a name that ends with its event",
      "event: x\ndata: a\n\ndata: b\n\n",
      [{ event: "x", data: "a" }, ...data("b")],
    ],
    ["an empty name", "event:\ndata: a\n\n", data("a")],
    ["a name without data, which is no event", "event: ping\n\ndata: a\n\n", data("a")],
    ["comments", ": hello\n\n:\ndata: a\n: between\ndata: b\n\n", data("a\nb")],
    ["fields that mean nothing here", "id: 4\nretry: 5\nother: 6\ndata: a\n\n", data("a")],
    ["names that only begin like ours", "database: x\nevents: y\ndata: a\n\n", data("a")],
    ["colons in the data", "data: a:b: c\n\n", data("a:b: c")],
    ["\\r\\n", "data: a\r\ndata: b\r\n\r\n", data("a\nb")],
    ["\\r", "data: a\rdata: b\r\r", data("a\nb")],
    ["all line ends together", "data: a\r\n\ndata: b\n\r\ndata: c\r\r\n", data("a", "b", "c")],
    ["empty lines before, between and after", "\n\n\ndata: a\n\n\n\n", data("a")],
    ["a byte order mark", "\uFEFFdata: a\n\n", data("a")],
    ["a byte order mark later on, which is data", "data: \uFEFF\n\n", data("\uFEFF")],
    ["an event that does not end, which is none", "data: a\n\ndata: b\n", data("a")],
    ["nothing", "", []],
  ])("reads %s", (_, text, events) => {
    expect(parse(text)).toEqual(events);
    expect(parse(...Array.from(Buffer.from(text), (byte) => Buffer.of(byte)))).toEqual(events);
  });

  it("emits an event with the piece of input that completes it", () => {
    const parser = new ServerEventParser(1000);
    const seen: number[] = [];
    const events: ServerEvent[] = [];
    for (const piece of ["data: a\n", "\nda", "ta: b\r\n\r", "\n"]) {
      parser.read(Buffer.from(piece), events);
      seen.push(events.length);
    }
    expect(seen).toEqual([0, 1, 2, 2]);
  });

  it.each([
    ["one endless line", [`data: ${"x".repeat(1100)}`]],
    ["one endless line in pieces", Array.from({ length: 12 }, () => "x".repeat(100))],
    ["one event of many lines", [`${"data: 1234567890\n".repeat(200)}\n`]],
  ])("refuses %s", (_, pieces) => {
    expect(() => parse(...pieces)).toThrow(ProviderFault);
    expect(() => parse(...pieces)).toThrow(/more than 1000 bytes/);
  });

  it("reads the same events wherever a stream is cut", () => {
    const line = fc.oneof(
      fc.constantFrom("", "data", "event", "data:", ": c", "id: 1", "event: e", "\uFEFF"),
      fc.string({ unit: "binary", maxLength: 12 }).map((text) => `data: ${text}`),
    );
    const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
    const stream = fc.array(fc.tuple(line, lineEnd)).map((lines) => Buffer.from(lines.flat().join("")));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(200)), (bytes, cuts) => {
        const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(parse(...pieces)).toEqual(parse(bytes));
        expect(parse(...Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual(parse(bytes));
      }),
      { numRuns: 100 },
    );
  });

  it("reads back what was written, for any text", () => {
    const text = fc.string({ unit: "binary", maxLength: 40 }).filter((value) => !value.includes("\r"));
    fc.assert(
      fc.property(fc.array(text), fc.constantFrom("\n", "\r\n", "\r"), (texts, lineEnd) => {
        const written = texts.map((value) => `data: ${value.replaceAll("\n", "\ndata: ")}\n\n`).join("");
        expect(parse(written.replaceAll("\n", lineEnd))).toEqual(data(...texts));
      }),
    );
  });
});
