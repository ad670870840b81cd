import { describe, expect, it } from "vitest";
import { outputSchema } from "../../../../src/gateway/providers/anthropic/output-schema.js";
import { HELLO, MODELS, refusalFor, translated } from "./translate.js";

const schema = { type: "object", properties: { name: { type: "string" } }, additionalProperties: false };
const asked = { type: "json_schema", json_schema: { name: "person", description: "A person.", schema } };
const free = { type: "json_schema", json_schema: { name: "counts", schema: { type: "object" } } };
const clock = { type: "function", function: { name: "clock", parameters: { type: "object" } } };

describe("A JSON answer requested from Anthropic", () => {
  it("of any shape is requested in the system prompt, after the client's own", () => {
    const { body, answerTool } = translated({
      messages: [{ role: "system", content: "Be brief." }, HELLO],
      response_format: { type: "json_schema", json_schema: { name: "any" } },
    });
    expect(body.system).toEqual([
      { type: "text", text: "Be brief." },
      { type: "text", text: expect.stringContaining("one JSON object and nothing else") },
    ]);
    expect(answerTool).toBeNull();
    const object = translated({ response_format: { type: "json_object" } }).body;
    expect(object.system).toEqual([{ type: "text", text: expect.stringContaining("one JSON object") }]);
  });

  it.each([MODELS.budgeted, MODELS.adaptive, MODELS.newest, MODELS.alwaysThinking])(
    "with a schema is bound by output_config: %s",
    (model) => {
      const { body, answerTool } = translated({ response_format: asked }, model);
      expect(body.output_config).toEqual({ format: { type: "json_schema", schema } });
      expect(body).not.toHaveProperty("tools");
      expect(answerTool).toBeNull();
    },
  );

  it("keeps a client's own output_config", () => {
    const own = { format: { type: "json_schema", schema: { type: "object" } }, effort: "low" };
    const fields = { response_format: asked, output_config: own, reasoning_effort: "max" };
    expect(translated(fields, MODELS.newest).body.output_config).toEqual(own);
  });

  it.each([
    [MODELS.old, asked],
    [MODELS.otherVendor, asked],
    // It cannot be enforced.
    [MODELS.newest, free],
  ])("with a schema is otherwise the input of a tool that %s must call", (model, response_format) => {
    const { body, answerTool } = translated({ response_format }, model);
    const tool = { name: "json_answer", input_schema: response_format.json_schema.schema };
    expect(body).toMatchObject({ tools: [tool], tool_choice: { type: "tool", name: "json_answer" } });
    expect(JSON.stringify(body.tools)).toContain(response_format === asked ? "A person." : "");
    expect(answerTool).toBe("json_answer");
  });

  it("by a tool keeps the client's tools callable, under a name that differs from theirs", () => {
    const taken = { type: "function", function: { name: "json_answer" } };
    const { body, answerTool } = translated({ response_format: asked, tools: [clock, taken] }, MODELS.old);
    expect(body.tools).toMatchObject([{ name: "clock" }, { name: "json_answer" }, { name: "json_answer_" }]);
    expect(body.tool_choice).toEqual({ type: "any" });
    expect(answerTool).toBe("json_answer_");
  });

  it("by a tool yields to a tool call that the client requires", () => {
    const fields = { response_format: asked, tools: [clock], tool_choice: "required" };
    const { body, answerTool } = translated(fields, MODELS.old);
    expect(body).toMatchObject({ tools: [{ name: "clock" }], tool_choice: { type: "any" } });
    expect(body.tools).toHaveLength(1);
    expect(answerTool).toBeNull();
  });

  const thinking = { type: "enabled", budget_tokens: 2_000 };
  it.each([
    ["thinks because it was told to", MODELS.otherVendor, { thinking }],
    ["always thinks", MODELS.alwaysThinking, {}],
  ])("by a tool does not force the call on a model that %s", (_, model, fields) => {
    const { body, answerTool } = translated({ response_format: free, ...fields }, model);
    expect(body).not.toHaveProperty("tool_choice");
    expect(answerTool).toBe("json_answer");
  });

  it.each([
    ["response_format.json_schema", { type: "json_schema" }],
    ["response_format.json_schema.schema", { type: "json_schema", json_schema: { schema: "string" } }],
    ["response_format.type", "json"],
  ])("is refused for an invalid %s", (param, response_format) => {
    expect(refusalFor({ response_format }).upstreamParam).toBe(param);
  });
});

describe("A schema that binds an answer", () => {
  it("is passed unchanged where the API accepts it", () => {
    const properties = {
      day: { type: "string", format: "date" },
      kind: { enum: ["first", "last"] },
      tags: { type: "array", items: { type: ["string", "null"] }, minItems: 1 },
      price: { anyOf: [{ type: "number", default: 0 }, { type: "null" }] },
    };
    const named = { type: "object", title: "Visit", description: "A visit.", properties };
    const whole = { ...named, required: ["day"], additionalProperties: false };
    expect(outputSchema(whole)).toEqual(whole);
  });

  it("states in the system prompt what the API cannot enforce", () => {
    const limited = {
      type: "object",
      properties: {
        age: { type: "integer", minimum: 0, maximum: 150, description: "In years." },
        code: { type: "string", pattern: "^[a-z]+$", format: "postcode" },
        list: { type: "array", items: { type: "string" }, minItems: 3 },
      },
    };
    expect(outputSchema(limited)).toEqual({
      type: "object",
      properties: {
        age: { type: "integer", description: "In years. (minimum: 0, maximum: 150)" },
        code: { type: "string", description: '(pattern: "^[a-z]+$", format: "postcode")' },
        list: { type: "array", items: { type: "string" }, description: "(minItems: 3)" },
      },
      additionalProperties: false,
    });
  });

  it("closes every object and drops annotations", () => {
    const a = { type: "object", properties: { b: { const: 1 } }, additionalProperties: true };
    expect(
      outputSchema({ $schema: "https://json-schema.org/draft/2020-12/schema", properties: { a } }),
    ).toEqual({
      type: "object",
      additionalProperties: false,
      properties: { a: { type: "object", properties: { b: { const: 1 } }, additionalProperties: false } },
    });
  });

  it("has its references expanded, and anyOf for oneOf", () => {
    const referring = {
      type: "object",
      properties: {
        from: { $ref: "#/$defs/a~1b" },
        to: { oneOf: [{ $ref: "#/$defs/a~1b" }, { type: "null" }] },
      },
      $defs: { "a/b": { type: "string" } },
    };
    expect(outputSchema(referring)).toEqual({
      type: "object",
      properties: { from: { type: "string" }, to: { anyOf: [{ type: "string" }, { type: "null" }] } },
      additionalProperties: false,
    });
  });

  it.each([
    ["recursive", { type: "object", properties: { next: { $ref: "#" } } }],
    ["referring outside", { type: "object", properties: { a: { $ref: "https://example.com/a" } } }],
    ["referring to nothing", { type: "object", properties: { a: { $ref: "#/$defs/toString" } } }],
    ["an object of any keys", { type: "object" }],
    ["a map", { type: "object", additionalProperties: { type: "number" } }],
    ["anything at all", { description: "whatever" }],
    ["not a schema", { type: "object", properties: { a: true } }],
    ["a list of tuples", { type: "array", items: [{ type: "string" }] }],
    ["a condition", { type: "object", properties: { a: { type: "string" } }, if: {}, else: {} }],
  ])("cannot be made from one that is %s", (_, schema) => {
    expect(outputSchema(schema)).toBeNull();
  });

  it("cannot be made from references that multiply without bound", () => {
    const twice = ($ref: string) => ({ type: "array", items: { anyOf: [{ $ref }, { $ref }] } });
    const doubling = Array.from({ length: 40 }, (_, at) => [`a${at}`, twice(`#/$defs/a${at + 1}`)]);
    const $defs = Object.fromEntries(doubling);
    expect(outputSchema({ $ref: "#/$defs/a0", $defs: { ...$defs, a40: { type: "null" } } })).toBeNull();
  });
});
