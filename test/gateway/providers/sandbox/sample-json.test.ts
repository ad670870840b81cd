import { describe, expect, it } from "vitest";
import { sampleJson } from "../../../../src/gateway/providers/sandbox/sample-json.js";

describe("The JSON sample of a schema", () => {
  it.each([
    [
      { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, required: ["a"] },
      { a: "sandbox" },
    ],
    [
      { required: ["toString", "a"], properties: {} },
      { toString: "sandbox", a: "sandbox" },
    ],
    [{ const: 7 }, 7],
    [{ type: "string", enum: ["x", "y"] }, "x"],
    [{ type: "boolean" }, false],
    [{ type: ["string", "null"] }, null],
    [{ type: ["integer", "string"] }, 0],
    [{ type: "array", items: { type: "null" } }, []],
    [{ type: "array", items: { type: "boolean" }, minItems: 2 }, [false, false]],
    [{ type: "array", prefixItems: [{ const: 1 }], items: { const: 2 }, minItems: 3 }, [1, 2, 2]],
    [{ items: {} }, []],
    [{}, "sandbox"],
    [undefined, "sandbox"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, null],
    [{ oneOf: [{ $ref: "#" }, { const: 3 }] }, 3],
    [
      { properties: { a: { $ref: "#/$defs/b~1c" } }, required: ["a"], $defs: { "b/c": { const: 4 } } },
      { a: 4 },
    ],
    [
      {
        allOf: [{ $ref: "#/$defs/a" }, { properties: { c: { const: 2 } }, required: ["c"] }],
        $defs: { a: { type: "object", properties: { b: { const: 1 } }, required: ["b"] } },
      },
      { b: 1, c: 2 },
    ],
  ])("for %o is %o", (schema, expected) => {
    expect(sampleJson(schema)).toEqual(expected);
  });

  it.each([
    [{ type: "integer", minimum: 3 }, 3],
    [{ type: "integer", exclusiveMinimum: 3 }, 4],
    [{ type: "integer", maximum: -2.5 }, -3],
    [{ type: "integer", exclusiveMaximum: 0 }, -1],
    [{ type: "number", minimum: 2.5 }, 2.5],
    [{ type: "number", minimum: 7, multipleOf: 5 }, 10],
    [{ type: "number" }, 0],
  ])("for %o is the number %d", (schema, expected) => {
    expect(sampleJson(schema)).toBe(expected);
  });

  it("satisfies lengths and formats", () => {
    expect(sampleJson({ type: "string", minLength: 10 })).toBe("sandbox...");
    expect(sampleJson({ type: "string", maxLength: 4 })).toBe("sand");
    expect(sampleJson({ type: "string", format: "date" })).toBe("1970-01-01");
    expect(Date.parse(String(sampleJson({ format: "date-time" })))).toBe(0);
    expect(URL.canParse(String(sampleJson({ format: "uri" })))).toBe(true);
  });

  it("is finite for any schema", () => {
    const endless = { type: "object", properties: { next: { $ref: "#" } }, required: ["next"] };
    const wide = { type: "array", minItems: 1e9, items: { $ref: "#" } };
    expect(JSON.stringify(sampleJson(endless)).length).toBeLessThan(20_000);
    expect(JSON.stringify(sampleJson(wide)).length).toBeLessThan(1_000_000);
    expect(String(sampleJson({ type: "string", minLength: 1e12 })).length).toBe(1_000);
  });

  it("treats names of an object's built-in members as names", () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"const":1}},"required":["__proto__"]}',
    );
    expect(JSON.stringify(sampleJson(schema))).toBe('{"__proto__":1}');
  });
});
