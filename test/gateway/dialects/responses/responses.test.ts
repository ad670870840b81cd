import { describe, expect, it } from "vitest";
import { ResponseEvents, responseFromChat } from "../../../../src/gateway/dialects/responses/reply.js";
import { chatBodyFromResponses, prefersNative } from "../../../../src/gateway/dialects/responses/request.js";
import { packedThinking } from "../../../../src/gateway/dialects/responses/thinking.js";
import type { ChatChunk, JsonObject } from "../../../../src/gateway/providers/chat.js";
import { envelope, eventsOf, USAGE } from "./responses-for-test.js";

const chunk = (delta: JsonObject, finish_reason: string | null = null): ChatChunk => ({
  choices: [{ index: 0, delta, finish_reason }],
});

describe("A Responses request as a chat request", () => {
  it("maps instructions and a text to a system and a user message", () => {
    expect(chatBodyFromResponses({ instructions: "Be brief.", input: "Hi" })).toEqual({
      body: {
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Hi" },
        ],
      },
      effort: null,
      onlyNative: null,
    });
  });

  it("joins reasoning, message and calls of one answer to one assistant message, and maps outputs to tool messages", () => {
    const { body } = chatBodyFromResponses({
      input: [
        { role: "user", content: [{ type: "input_text", text: "Weather?" }] },
        { type: "reasoning", id: "rs_1", summary: [] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Let me look." }] },
        { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' },
        { type: "function_call", call_id: "call_2", name: "weather", arguments: '{"city":"Rome"}' },
        { type: "function_call_output", call_id: "call_1", output: "rain" },
        { type: "function_call_output", call_id: "call_2", output: [{ type: "input_text", text: "sun" }] },
      ],
    });
    const call = (id: string, city: string) => ({
      id,
      type: "function",
      function: { name: "weather", arguments: JSON.stringify({ city }) },
    });
    expect(body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Weather?" }] },
      {
        role: "assistant",
        content: "Let me look.",
        tool_calls: [call("call_1", "Oslo"), call("call_2", "Rome")],
      },
      { role: "tool", tool_call_id: "call_1", content: "rain" },
      { role: "tool", tool_call_id: "call_2", content: "sun" },
    ]);
  });

  it("has null content for an answer that only called tools", () => {
    const { body } = chatBodyFromResponses({
      input: [{ type: "function_call", call_id: "call_1", name: "f", arguments: "{}" }],
    });
    expect(body.messages[0]).toMatchObject({ role: "assistant", content: null });
  });

  it("keeps the data of images and files, and moves images of a tool's output into a user message", () => {
    const image = { type: "input_image", image_url: "data:image/png;base64,AA==", detail: "low" };
    const { body } = chatBodyFromResponses({
      input: [
        { role: "user", content: [image, { type: "input_file", filename: "a.pdf", file_data: "data:x" }] },
        { type: "function_call_output", call_id: "c", output: [{ type: "input_text", text: "see" }, image] },
      ],
    });
    const chatImage = { type: "image_url", image_url: { url: image.image_url, detail: "low" } };
    expect(body.messages).toEqual([
      {
        role: "user",
        content: [chatImage, { type: "file", file: { filename: "a.pdf", file_data: "data:x" } }],
      },
      { role: "tool", tool_call_id: "c", content: "see" },
      { role: "user", content: [chatImage] },
    ]);
  });

  it("puts images of several outputs after the last output, as chat requires", () => {
    const image = (url: string) => ({ type: "input_image", image_url: url });
    const call = (call_id: string) => ({ type: "function_call", call_id, name: "look", arguments: "{}" });
    const output = (call_id: string, ...parts: readonly JsonObject[]) => ({
      type: "function_call_output",
      call_id,
      output: parts,
    });
    const { body } = chatBodyFromResponses({
      input: [
        ...[call("a"), call("b"), output("a", image("data:a")), output("b", image("data:b"))],
        { role: "user", content: "And?" },
      ],
    });
    expect(body.messages.map(({ role, content }) => [role, content])).toEqual([
      ["assistant", null],
      ["tool", ""],
      ["tool", ""],
      [
        "user",
        [
          { type: "image_url", image_url: { url: "data:a" } },
          { type: "image_url", image_url: { url: "data:b" } },
        ],
      ],
      ["user", "And?"],
    ]);
  });

  it("moves text after a call before it, so that outputs follow their calls", () => {
    const thought = (signature: string) => ({ type: "thinking", thinking: "Hmm.", signature });
    const reasoning = (signature: string) => ({
      type: "reasoning",
      summary: [],
      encrypted_content: packedThinking([thought(signature)]),
    });
    const said = (text: string) => ({ type: "message", role: "assistant", content: text });
    const call = (call_id: string) => ({ type: "function_call", call_id, name: "f", arguments: "{}" });
    const { body } = chatBodyFromResponses({
      input: [
        ...[reasoning("1"), said("First. "), call("a"), reasoning("2"), said("Second."), call("b")],
        ...["a", "b"].map((call_id) => ({ type: "function_call_output", call_id, output: "done" })),
      ],
    });
    expect(body.messages).toMatchObject([
      {
        role: "assistant",
        content: "First. Second.",
        thinking_blocks: [thought("1"), thought("2")],
        tool_calls: [{ id: "a" }, { id: "b" }],
      },
      { role: "tool", tool_call_id: "a" },
      { role: "tool", tool_call_id: "b" },
    ]);
  });

  it("renames settings to chat's names, and passes other fields unchanged", () => {
    const { body, effort } = chatBodyFromResponses({
      input: "Hi",
      max_output_tokens: 5,
      reasoning: { effort: "low", summary: "auto" },
      text: { verbosity: "low", format: { type: "json_schema", name: "n", schema: {}, strict: true } },
      tools: [{ type: "function", name: "f", parameters: {}, strict: true, description: null }],
      tool_choice: { type: "function", name: "f" },
      parallel_tool_calls: false,
      top_logprobs: 2,
      seed: 7,
      truncation: null,
    });
    expect(effort).toBe("low");
    expect(body).not.toHaveProperty("reasoning_effort");
    expect(body).toMatchObject({
      max_tokens: 5,
      verbosity: "low",
      response_format: { type: "json_schema", json_schema: { name: "n", schema: {}, strict: true } },
      tools: [{ type: "function", function: { name: "f", parameters: {}, strict: true } }],
      tool_choice: { type: "function", function: { name: "f" } },
      parallel_tool_calls: false,
      logprobs: true,
      top_logprobs: 2,
      seed: 7,
    });
  });

  it.each([
    ["store", { store: true }],
    ["previous_response_id", { previous_response_id: "resp_x" }],
    ["background", { background: true }],
    ["tools[0].type", { tools: [{ type: "web_search" }] }],
    ["input[0].type", { input: [{ type: "item_reference", id: "x" }] }],
  ])("reports that only the provider's own API supports %s", (param, fields) => {
    expect(chatBodyFromResponses({ input: "Hi", ...fields }).onlyNative?.param).toBe(param);
  });

  it("is refused for an unknown role or part by its path", () => {
    expect(() => chatBodyFromResponses({ input: [{ role: "robot", content: "x" }] })).toThrow(
      "`input[0].role`",
    );
    expect(() => chatBodyFromResponses({ input: [{ role: "user", content: [{ type: "smell" }] }] })).toThrow(
      "`input[0].content[0].type`",
    );
  });

  it("is refused when it refers to an item that was not kept, with what to send instead", () => {
    const completion = { choices: [{ index: 0, message: { content: "Four." }, finish_reason: "stop" }] };
    const { output } = responseFromChat(completion, { envelope, usage: USAGE });
    const [item] = output as readonly JsonObject[];
    const input = [
      { role: "user", content: "2 + 2?" },
      { type: "item_reference", id: item?.id },
    ];
    expect(() => chatBodyFromResponses({ input })).toThrow(
      "`input[1].id` names an item of a response that was not kept, or not any more. Send the item itself: with `store: false`, clients do so.",
    );
  });

  it("prefers a provider with the Responses API when reasoning is to be continued", () => {
    expect(prefersNative({ include: ["reasoning.encrypted_content"] })).toBe(true);
    expect(prefersNative({ reasoning: { effort: "low" } })).toBe(false);
  });
});

const ANSWER = {
  reasoning_content: "Hmm.",
  thinking_blocks: [{ type: "thinking", thinking: "Hmm.", signature: "sig" }],
  content: "Four.",
  tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
};

describe("A chat answer as a response", () => {
  it("has reasoning, message and calls, usage by both names, and the fields of the request", () => {
    const completion = { choices: [{ index: 0, message: ANSWER, finish_reason: "tool_calls" }] };
    const response = responseFromChat(completion, { envelope, usage: USAGE });
    expect(response).toMatchObject({
      id: "resp_01KAFC0S3VZ7TJD8M0HRB1PGCE",
      object: "response",
      status: "completed",
      store: false,
      instructions: "Be brief.",
      max_output_tokens: 9,
      output: [
        { type: "reasoning", summary: [{ type: "summary_text", text: "Hmm." }] },
        { type: "message", content: [{ type: "output_text", text: "Four.", annotations: [] }] },
        { type: "function_call", call_id: "call_1", name: "f", arguments: '{"a":1}' },
      ],
      usage: {
        input_tokens: 14,
        input_tokens_details: { cached_tokens: 3 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 2 },
        ...USAGE,
      },
    });
  });

  it("is incomplete when it was cut off, with the reason", () => {
    const completion = { choices: [{ index: 0, message: { content: "Fo" }, finish_reason: "length" }] };
    expect(responseFromChat(completion, { envelope, usage: USAGE })).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    });
  });

  it("returns signed thinking for the next request", () => {
    const completion = { choices: [{ index: 0, message: ANSWER, finish_reason: "stop" }] };
    const { output } = responseFromChat(completion, { envelope, usage: USAGE });
    expect(chatBodyFromResponses({ input: output }).body.messages).toEqual([
      {
        role: "assistant",
        content: "Four.",
        thinking_blocks: ANSWER.thinking_blocks,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
      },
    ]);
  });
});

describe("A chat stream as Responses events", () => {
  const pieces = [
    chunk({ role: "assistant", content: "" }),
    chunk({ reasoning_content: "Hm" }),
    chunk({ reasoning_content: "m." }),
    chunk({ thinking_blocks: ANSWER.thinking_blocks }),
    chunk({ content: "Fo" }),
    chunk({ content: "ur." }),
    chunk({
      tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "" } }],
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] }),
    chunk({}, "tool_calls"),
  ];

  it("distinguishes calls to which a server gives the same index", () => {
    const call = (id: string) => ({
      index: 0,
      id,
      type: "function",
      function: { name: "f", arguments: "{}" },
    });
    const last = eventsOf([
      chunk({ tool_calls: [call("a")] }),
      chunk({ tool_calls: [call("b")] }),
      chunk({}, "stop"),
    ]).at(-1);
    expect(last?.response?.output).toMatchObject([
      { call_id: "a", arguments: "{}", status: "completed" },
      { call_id: "b", arguments: "{}", status: "completed" },
    ]);
  });

  it("is numbered without a gap, in OpenAI's order", () => {
    const events = eventsOf(pieces);
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, at) => at));
    expect(events.map(({ type }) => type.replace("response.", ""))).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "reasoning_summary_part.added",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.done",
      "reasoning_summary_part.done",
      "output_item.done",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "output_item.added",
      "function_call_arguments.delta",
      "function_call_arguments.done",
      "output_item.done",
      "completed",
    ]);
  });

  it("ends with the response of the whole answer", () => {
    const completion = { choices: [{ index: 0, message: ANSWER, finish_reason: "tool_calls" }] };
    expect(eventsOf(pieces).at(-1)?.response).toEqual(
      responseFromChat(completion, { envelope, usage: USAGE }),
    );
  });

  it("keeps interleaved pieces of parallel calls apart", () => {
    const call = (index: number, id: string) => ({
      index,
      id,
      function: { name: `f${index}`, arguments: "" },
    });
    const piece = (index: number, given: string) => ({ index, function: { arguments: given } });
    const events = eventsOf([
      chunk({ tool_calls: [call(0, "a"), call(1, "b")] }),
      chunk({ tool_calls: [piece(1, "{"), piece(0, "[")] }),
      chunk({ tool_calls: [piece(0, "]"), piece(1, "}")] }, "tool_calls"),
    ]);
    expect(events.at(-1)?.response?.output).toMatchObject([
      { call_id: "a", arguments: "[]" },
      { call_id: "b", arguments: "{}" },
    ]);
  });

  it("reports a failure as `response.failed` and an event that clients throw", () => {
    const stream = new ResponseEvents(envelope);
    stream.start();
    const text = stream.fail({ code: "upstream_error", message: "It broke off.", param: null });
    expect(text).toContain("event: response.failed\n");
    expect(text).toContain('"error":{"code":"upstream_error","message":"It broke off.","param":null}');
  });
});
