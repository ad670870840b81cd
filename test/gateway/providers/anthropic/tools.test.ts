import { describe, expect, it } from "vitest";
import { bodyFor, HELLO, refusalFor } from "./translate.js";

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const weather = {
  type: "function",
  function: { name: "weather", description: "Tells the weather", parameters },
};
const clock = { type: "function", function: { name: "clock" } };

describe("Tools translated for Anthropic", () => {
  it("keep name, description and schema, without `strict`", () => {
    const strict = { type: "function", function: { ...weather.function, strict: true } };
    expect(bodyFor({ tools: [strict, clock] }).tools).toEqual([
      { name: "weather", description: "Tells the weather", input_schema: parameters },
      { name: "clock", input_schema: { type: "object" } },
    ]);
  });

  it("keep their cache marks, on the tool or its function", () => {
    const cache_control = { type: "ephemeral" };
    const tools = [
      { ...weather, cache_control },
      { type: "function", function: { ...clock.function, cache_control } },
    ];
    expect(bodyFor({ tools }).tools).toMatchObject([{ cache_control }, { cache_control }]);
  });

  it("in Anthropic's own format are passed unchanged", () => {
    const own = [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }];
    expect(bodyFor({ tools: own }).tools).toEqual(own);
  });

  it.each([
    ["tools", { tools: "weather" }],
    ["tools[0]", { tools: ["weather"] }],
    ["tools[0].function.name", { tools: [{ type: "function", function: {} }] }],
    [
      "tools[0].function.parameters",
      { tools: [{ type: "function", function: { name: "a", parameters: [] } }] },
    ],
    ["tools[0].type", { tools: [{ type: "custom", custom: { name: "sql" } }] }],
    ["tool_choice", { tools: [clock], tool_choice: "sometimes" }],
    ["tool_choice.type", { tools: [clock], tool_choice: { type: "allowed_tools", allowed_tools: {} } }],
    ["tool_choice.function.name", { tools: [clock], tool_choice: { type: "function" } }],
  ])("are refused for an invalid %s", (param, fields) => {
    expect(refusalFor(fields).upstreamParam).toBe(param);
  });

  it("that were called earlier are declared when the request lacks them, and may not be called", () => {
    const called = { type: "function", function: { name: "weather", arguments: "{}" } };
    const tool_calls = ["a", "b"].map((id) => ({ id, ...called }));
    const results = ["a", "b"].map((id) => ({ role: "tool", tool_call_id: id, content: "Rain" }));
    expect(bodyFor({ messages: [HELLO, { role: "assistant", tool_calls }, ...results] })).toMatchObject({
      tools: [{ name: "weather", input_schema: { type: "object" } }],
      tool_choice: { type: "none" },
    });
  });
});

describe("The tool choice translated for Anthropic", () => {
  const named = { type: "function", function: { name: "clock" } };
  const ONE_CALL = { type: "any", disable_parallel_tool_use: true };
  it.each([
    ["auto", undefined],
    ["none", { type: "none" }],
    ["required", { type: "any" }],
    [named, { type: "tool", name: "clock" }],
    [ONE_CALL, ONE_CALL],
  ])("is %o as %o", (tool_choice, expected) => {
    expect(bodyFor({ tools: [weather, clock], tool_choice }).tool_choice).toEqual(expected);
  });

  it("includes the request for one call at a time", () => {
    const one = { tools: [clock], parallel_tool_calls: false };
    expect(bodyFor(one).tool_choice).toEqual({ type: "auto", disable_parallel_tool_use: true });
    expect(bodyFor({ ...one, tool_choice: "required" }).tool_choice).toEqual(ONE_CALL);
    expect(bodyFor({ ...one, tool_choice: "none" }).tool_choice).toEqual({ type: "none" });
    expect(bodyFor({ ...one, parallel_tool_calls: true })).not.toHaveProperty("tool_choice");
  });

  it("is omitted without tools", () => {
    expect(bodyFor({ tools: [], tool_choice: "none" })).toEqual(bodyFor({}));
  });
});
