import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactJson, numberText, withMarks, withoutMarks } from "../../src/foundation/exact-numbers.js";

/** What is written of what was read. */
const passed = (json: string): string => exactJson(JSON.parse(withMarks(json)));

const CHANGED = ["2512292042121000001", "-9007199254740993", "18446744073709551615", "1e400"];
const REWRITTEN = ["1.0", "-0", "-0.0", "1E5", "1e2", "0.10", "0.1234567890123456789", "1e-400"];

describe("Numbers that a double does not write back", () => {
  it.each([...CHANGED, ...REWRITTEN])("%s keeps its text in arguments and schemas of tools", (text) => {
    const inside = `{"a":[${text},{"b":${text}}],"c":${text}}`;
    for (const member of [
      "input",
      "arguments",
      "args",
      "parameters",
      "input_schema",
      "schema",
      "outputSchema",
    ]) {
      const json = `{"tools":[{"${member}":${inside}}],"temperature":0.7}`;
      expect(passed(json)).toBe(json);
    }
    expect(passed(`{"input_examples":[{"x":${text}}]}`)).toBe(`{"input_examples":[{"x":${text}}]}`);
    expect(exactJson(JSON.parse(withMarks(inside, "free")))).toBe(inside);
  });

  it.each(CHANGED)("%s keeps its digits in members that no one here knows", (text) => {
    // A seed of 54 bits: https://github.com/llm-d/llm-d-router/issues/2518 (2026-08-24)
    const json = `{"seed":${text},"vendor":{"ids":[1,${text}]},"input":[${text}]}`;
    expect(passed(json)).toBe(json);
  });

  it.each([
    [
      "a value that stays",
      '{"temperature": 1.0, "top_p": 1e0, "x": -0.0}',
      { temperature: 1, top_p: 1, x: -0 },
    ],
    ["a list as input", '{"input": [1.0, 2.0]}', { input: [1, 2] }],
    ["what follows arguments", '{"input": {"a": {}}, "n": 1.0}', { input: { a: {} }, n: 1 }],
    [
      "a list after the name of arguments",
      '{"a": "input", "b": [{"c": 1.0}]}',
      { a: "input", b: [{ c: 1 }] },
    ],
    [
      "texts",
      '{"input": {"a": "[1.0, 2512292042121000001]"}}',
      { input: { a: "[1.0, 2512292042121000001]" } },
    ],
  ])("are plain in %s", (_, json, value) => {
    expect(JSON.parse(withMarks(json))).toStrictEqual(value);
  });

  it("are whole in JSON that a text holds", () => {
    const read = JSON.parse(withMarks('{"maximum":9223372036854775807,"minimum":1.0}', "free"));
    const description = `maximum: ${JSON.stringify(read.maximum)}, all: ${JSON.stringify(read)}`;
    expect(JSON.parse(withoutMarks(JSON.stringify({ description }))).description).toBe(
      'maximum: 9223372036854775807, all: {"maximum":9223372036854775807,"minimum":1.0}',
    );
    expect([read.maximum, "other"].map(numberText)).toEqual(["9223372036854775807", "other"]);
  });

  it("are kept among the first 65,536 alone, so that a body of millions holds nothing up", () => {
    const kept = passed(`{"input":{"a":[${"1.0,".repeat(70_000)}1.0]}}`);
    expect([kept.split("1.0").length - 1, kept.split(",").length]).toEqual([65_536, 70_001]);
  });

  it.each(["1", "0", "-", "1.1", "1e1", "1 "])(
    "are looked for in linear time in a text of %s again and again, which is no JSON",
    (piece) => {
      const text = `{"n":1234567890123456,"a":${piece.repeat(400_000)}x}`;
      expect(readable(withMarks(text))).toBe(false);
    },
  );

  it("are found whatever digits they have", () => {
    const number = fc.stringMatching(/^-?(0|[1-9]\d{0,24})(\.\d{1,20})?([eE][+-]?\d{1,3})?$/);
    fc.assert(
      fc.property(number, fc.constantFrom("", " ", "\n"), (text, space) => {
        const json = `{"a":1,"input":{"b":[${text},${text}],"c":${text}}}`;
        expect(passed(json.replace("[", `[${space}`))).toBe(json);
        expect(Number(passed(`[${text}]`).slice(1, -1)) === Number(text)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("leave everything else as it was, and make nothing valid that is not", () => {
    const number = fc.constantFrom(...CHANGED, ...REWRITTEN, "7", "01", "1.", "-", "+1", "1e", "0.5");
    const value = fc.oneof(number, fc.json(), fc.constantFrom('"a\\"1.0"', "tru", "[]", ""));
    const json = fc
      .tuple(value, value, fc.constantFrom("input", "seed", "1.0"), fc.constantFrom(",", ":", " : ", ""))
      .map(
        ([first, second, name, sign]) => `{"${name}"${sign}{"b":[${first}, ${second}]}, ${second}:${first}}`,
      );
    const valid = fc
      .tuple(value, value, fc.constantFrom("input", "seed"))
      .map(([first, second, name]) => `{"${name}":{"b":[${first},${second}]}}`);
    fc.assert(
      fc.property(fc.oneof(json, valid), (text) => {
        expect(readable(withMarks(text))).toBe(readable(text));
        expect(withoutMarks(withMarks(text))).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
});

function readable(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
