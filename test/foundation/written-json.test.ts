import fc from "fast-check";
import { expect, it } from "vitest";
import { parseWrittenJson } from "../../src/foundation/written-json.js";

const parse = (text: string) =>
  parseWrittenJson(
    () => text,
    (detail) => new Error(`refused: ${detail}`),
  );

it("reads what JSON.parse reads, also behind a byte order mark", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(parse(`\ufeff${text}`)).toEqual(JSON.parse(text));
    }),
  );
});

it.each([
  ['{"port": 1,\n "host": "a",\n "port": 2}', '"port" appears twice, on line 3'],
  ['{"a": [{"b": {"c": 1}, "b" : 2}]}', '"b" appears twice, on line 1'],
  ['{"a\\u0062": 1, "ab": 2}', '"ab" appears twice'],
  ['{"__proto__": 1, "__proto__": 2}', '"__proto__" appears twice'],
  [`{"${"k".repeat(90)}": 1, "${"k".repeat(90)}": 2}`, `"${"k".repeat(80)}…" appears twice`],
  ['{"a": {"b": 1}, "c": [{"b": 1}, {"b": "b"}, "b", "\\"b\\":", "{"], "b": "b"}', undefined],
])("finds a name that an object has twice in %s", (text, message) => {
  if (message === undefined) expect(parse(text)).toEqual(JSON.parse(text));
  else expect(() => parse(text)).toThrow(message);
});

it.each([
  ['{"api_key_env": sk-x}', "Unexpected token 's' in line 1"],
  [`{"a": "${"b".repeat(90)}",\n\n"api_key_env":\nsk-x}`, "Unexpected token 's' in line 4"],
])("says where %s is no JSON without repeating what stands there", (text, message) => {
  expect(() => parse(text)).toThrow(new Error(`refused: ${message}`));
});

it("refuses what is nested too deeply for those who read the value", () => {
  expect(() => parse("[".repeat(300) + "]".repeat(300))).toThrow("more than 256 levels");
});
