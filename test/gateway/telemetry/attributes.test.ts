import { describe, expect, it } from "vitest";
import { callAttributes } from "../../../src/gateway/telemetry/attributes.js";
import type { TraceContent } from "../../../src/gateway/traces/trace.js";
import { attemptOf, USAGE as TRACE_USAGE, traceWith } from "../traces/trace-for-test.js";

const CONTENT: TraceContent = {
  input: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "Hi" },
        { type: "file", media_type: null, bytes: 3 },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"a":1}' } }],
    },
    { role: "tool", content: "found", tool_call_id: "c1" },
  ],
  output: "Hello",
  reasoning: "Hm",
};

const ATTEMPT = attemptOf({ model: "gpt-5.4:high" });
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_cost_usd: 0.0125 };
const trace = traceWith({
  kind: "chat",
  finishReason: "stop",
  content: CONTENT,
  attempts: [
    { ...ATTEMPT, status: 500, code: "server_error", usage: { ...USAGE, total_cost_usd: null } },
    { ...ATTEMPT, usage: USAGE },
  ],
  usage: {
    ...TRACE_USAGE,
    ...USAGE,
    prompt_tokens_details: { cached_tokens: 64, cache_write_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 7 },
  },
});
const of = (attempt: number, withContent = false) =>
  callAttributes(trace, attempt, { conversation: "s-1", withContent });

describe("The attributes of an upstream call", () => {
  it("have cost, cached and reasoning tokens, effort and conversation by the conventions", () => {
    expect(of(1)).toMatchObject({
      "gen_ai.usage.cost": 0.0125,
      "gen_ai.usage.cache_read.input_tokens": 64,
      "gen_ai.usage.reasoning.output_tokens": 7,
      "gen_ai.request.reasoning.level": "high",
      "gen_ai.conversation.id": "s-1",
      "gen_ai.response.finish_reasons": ["stop"],
    });
    expect(of(1)["gen_ai.usage.cache_creation.input_tokens"]).toBeUndefined();
  });

  it("have the effort of a request that named its model, where that model answered", () => {
    const attempts = [{ ...ATTEMPT, model: "gpt-5.4", usage: USAGE }];
    const named = { ...trace, effort: "low", attempts };
    expect(callAttributes(named, 0, { conversation: undefined, withContent: false })).toMatchObject({
      "gen_ai.request.reasoning.level": "low",
    });
  });

  it("of a call that failed have no details of another's answer", () => {
    const failed = of(0, true);
    expect(failed).toMatchObject({ "error.type": "server_error", "gen_ai.usage.input_tokens": 100 });
    for (const name of ["usage.cost", "usage.cache_read.input_tokens", "output.messages"])
      expect(failed[`gen_ai.${name}`]).toBeUndefined();
  });

  it("have texts only on demand, and none where traces have none", () => {
    expect(JSON.stringify(of(1))).not.toMatch(/Be brief|Hello/);
    const { "gen_ai.input.messages": input, "gen_ai.output.messages": output } = of(1, true);
    expect(JSON.parse(String(input))).toEqual([
      { role: "system", parts: [{ type: "text", content: "Be brief." }] },
      {
        role: "user",
        parts: [
          { type: "text", content: "Hi" },
          { type: "file", media_type: null, bytes: 3 },
        ],
      },
      { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "look", arguments: '{"a":1}' }] },
      { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "found" }] },
    ]);
    expect(JSON.parse(String(output))).toEqual([
      {
        role: "assistant",
        finish_reason: "stop",
        parts: [
          { type: "reasoning", content: "Hm" },
          { type: "text", content: "Hello" },
        ],
      },
    ]);
    const options = { conversation: undefined, withContent: true };
    const without = callAttributes({ ...trace, content: null }, 1, options);
    expect(without["gen_ai.input.messages"]).toBeUndefined();
  });
});
