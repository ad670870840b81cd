import { describe, expect, it } from "vitest";
import { responseFromChat } from "../../../../src/gateway/dialects/responses/reply.js";
import { chatBodyFromResponses, nativeUse } from "../../../../src/gateway/dialects/responses/request.js";
import { packedThinking } from "../../../../src/gateway/dialects/responses/thinking.js";
import type { ChatChunk, JsonObject } from "../../../../src/gateway/providers/chat.js";
import { envelope, eventsOf, USAGE } from "./responses-for-test.js";

const chunk = (delta: JsonObject, finish_reason: string | null = null): ChatChunk => ({
  choices: [{ index: 0, delta, finish_reason }],
});

describe("A Responses request as a chat request", () => {
  it("puts images of several outputs after the last output, as chat requires", () => {
    const image = (url: string) => ({ type: "input_image", image_url: url, detail: "low" });
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
    const shown = (url: string) => ({ type: "image_url", image_url: { url, detail: "low" } });
    expect(body.messages.map(({ role, content }) => [role, content])).toEqual([
      ["assistant", null],
      ["tool", ""],
      ["tool", ""],
      ["user", [shown("data:a"), shown("data:b")]],
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

  it("passes fields of chat unchanged, and leaves out what is null", () => {
    const { body, effort } = chatBodyFromResponses({
      input: "Hi",
      instructions: "Be brief.",
      tools: [
        { type: "function", name: "f", parameters: {}, strict: true, description: null },
        { type: "function", name: "g" },
      ],
      top_logprobs: 2,
      seed: 7,
      truncation: null,
    });
    expect(effort).toBeNull();
    expect(body).toEqual({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
      tools: [
        { type: "function", function: { name: "f", parameters: {}, strict: true } },
        { type: "function", function: { name: "g" } },
      ],
      logprobs: true,
      top_logprobs: 2,
      seed: 7,
    });
  });

  it("asks for log probabilities of the answer's text where they are to be included", () => {
    const { body } = chatBodyFromResponses({ input: "Hi", include: ["message.output_text.logprobs"] });
    expect(body.logprobs).toBe(true);
  });

  it("is refused for an unknown role or part by its path", () => {
    for (const [item, path] of [
      [{ role: "robot", content: "x" }, "role"],
      [{ role: "user", content: [{ type: "smell" }] }, "content[0].type"],
    ] as const)
      expect(() => chatBodyFromResponses({ input: [item] })).toThrow(`\`input[0].${path}\``);
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
      "`input[1].id` names an item of a response that was not kept, or is no longer kept. Send the item itself: with `store: false`, clients do so.",
    );
  });

  it("prefers a provider with the Responses API when reasoning is to be continued", () => {
    expect(nativeUse({ include: ["reasoning.encrypted_content"] })).toBe("preferred");
    expect(nativeUse({ reasoning: { effort: "low" } })).toBe("usual");
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

  it("has OpenAI's order", () => {
    expect(
      eventsOf(pieces)
        .map(({ type }) => type.replace("response.", ""))
        .join(" "),
    ).toBe(
      "created in_progress " +
        "output_item.added reasoning_summary_part.added reasoning_summary_text.delta reasoning_summary_text.delta " +
        "reasoning_summary_text.done reasoning_summary_part.done output_item.done " +
        "output_item.added content_part.added output_text.delta output_text.delta output_text.done " +
        "content_part.done output_item.done " +
        "output_item.added function_call_arguments.delta function_call_arguments.done output_item.done " +
        "completed",
    );
  });

  it("has citations beside the text that they are about, and reasoning", () => {
    const url_citation = { url: "https://a.example", title: "A", start_index: 0, end_index: 2 };
    const annotations = [{ type: "url_citation", url_citation }];
    const said = [chunk({ reasoning_content: "Hmm." }), chunk({ content: "Hi", annotations })];
    const events = eventsOf([...said, chunk({}, "stop")]);
    const added = events.find(({ type }) => type === "response.output_text.annotation.added");
    const annotation = { type: "url_citation", ...url_citation };
    expect(added).toMatchObject({ output_index: 1, annotation_index: 0, annotation });
    expect(events.at(-1)?.response?.output).toMatchObject([
      { type: "reasoning", summary: [{ text: "Hmm." }] },
      { type: "message", content: [{ text: "Hi", annotations: [annotation] }] },
    ]);
  });
});
