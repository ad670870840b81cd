import { describe, expect, it } from "vitest";
import { NativeStream } from "../../../src/gateway/providers/http/translated-stream.js";
import { wholeAnswer } from "../../../src/gateway/providers/http/whole-answer.js";
import { ResponsesStream } from "../../../src/gateway/providers/openai-responses/reply.js";
import type { StreamEvent } from "../../../src/gateway/providers/provider.js";

const USAGE = { input_tokens: 9, input_tokens_details: { cached_tokens: 4 }, output_tokens: 5 };

const OUTPUT = [
  { type: "reasoning", summary: [] },
  { type: "message", content: [{ type: "output_text", text: "Four." }] },
  { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" },
];

describe("A native response", () => {
  it("is kept unchanged beside what is read of it, such as the reasoning of all its items", () => {
    const output = [
      { type: "reasoning", summary: ["**First**", "Then."].map((text) => ({ type: "summary_text", text })) },
      { type: "reasoning", content: [{ type: "reasoning_text", text: "Hm." }, null, { text: 5 }] },
      { type: "reasoning", summary: "none", encrypted_content: "x" },
      ...OUTPUT,
    ];
    const response = { id: "resp_1", status: "completed", output, usage: USAGE };
    const { completion, usage, ...read } = wholeAnswer(
      JSON.stringify(response),
      new ResponsesStream({ provider: "openai" }),
    );
    expect(read.reply).toEqual(response);
    expect(completion.choices[0]?.message).toMatchObject({
      content: "Four.",
      reasoning_content: "**First**\n\nThen.\n\nHm.",
      tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }],
    });
    expect(usage).toMatchObject({ promptTokens: 9, cacheReadTokens: 4 });
  });

  it("that failed is a fault", () => {
    const failed = '{"output": [], "error": {"code": "server_error", "message": "m"}}';
    expect(() => wholeAnswer(failed, new ResponsesStream({ provider: "openai" }))).toThrow(
      "the provider failed",
    );
  });
});

describe("A stream of a native response", () => {
  const read = (...events: readonly object[]) => {
    const stream = new NativeStream(new ResponsesStream({ provider: "openai" }));
    const read: StreamEvent[] = [];
    const states = events.map((event) => stream.read({ event: null, body: { ...event } }, read));
    return { states, read, complete: stream.complete };
  };

  it("has every event unchanged, beside its parsed content", () => {
    const events = [
      { type: "response.created", response: {} },
      { type: "response.output_text.delta", delta: "Fo" },
      { type: "response.web_search_call.searching" },
      { type: "response.output_item.added", output_index: 1, item: OUTPUT[2] },
      { type: "response.function_call_arguments.delta", output_index: 1, delta: "{}" },
      { type: "response.completed", response: { status: "completed", usage: USAGE } },
    ];
    const { states, read: chunks, complete } = read(...events);
    expect(chunks.map(({ chunk }) => chunk?.native)).toEqual(events);
    expect(chunks.map(({ chunk }) => chunk?.choices[0]?.delta.content)[1]).toBe("Fo");
    expect(chunks[4]?.chunk?.choices[0]?.delta.tool_calls).toEqual([
      { index: 0, function: { arguments: "{}" } },
    ]);
    expect(chunks.at(-1)).toMatchObject({
      usage: { promptTokens: 9 },
      chunk: { choices: [{ finish_reason: "tool_calls" }] },
    });
    expect([states.at(-1), complete]).toEqual(["finished", true]);
  });

  it("has the type that only the name of an event says", () => {
    const read: StreamEvent[] = [];
    const stream = new NativeStream(new ResponsesStream({ provider: "openai" }));
    stream.read({ event: "response.output_text.delta", body: { delta: "Fo" } }, read);
    const native = { type: "response.output_text.delta", delta: "Fo" };
    expect(read).toMatchObject([{ chunk: { native, choices: [{ delta: { content: "Fo" } }] } }]);
  });

  it("has the parts of its reasoning as paragraphs", () => {
    const summary = (summary_index: number, delta: unknown) => ({
      type: "response.reasoning_summary_text.delta",
      output_index: 0,
      summary_index,
      delta,
    });
    const whole = { type: "response.reasoning_text.delta", output_index: 1, content_index: 0, delta: "Hm." };
    const hostile = { ...whole, output_index: { toString: 1 }, delta: null };
    const summaries = [summary(0, "**Fir"), summary(0, "st**"), summary(1, "Then.")];
    const { read: chunks } = read(...summaries, whole, hostile);
    const deltas = chunks.flatMap(({ chunk }) => chunk?.choices.map(({ delta }) => delta.reasoning_content));
    expect(deltas).toEqual(["**Fir", "st**", "\n\n", "Then.", "\n\n", "Hm.", "\n\n", null]);
  });

  it("fails with the provider's message", () => {
    const error = { code: "rate_limit_exceeded", message: "m" };
    expect(() => read({ type: "response.failed", response: { error } })).toThrow(
      expect.objectContaining({ code: "rate_limited", upstreamMessage: "m" }),
    );
  });
});
