import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatBodyFromResponses } from "../../../../src/gateway/dialects/responses/request.js";
import {
  type ChatBody,
  type JsonObject,
  sealed,
  sealedMember,
} from "../../../../src/gateway/providers/chat.js";
import { readableInput } from "../../../../src/gateway/providers/openai-responses/input.js";
import { chatField, responsesBody } from "../../../../src/gateway/providers/openai-responses/request.js";
import { anyChat } from "../../dialects/arbitrary-chat.js";

function said(fields: JsonObject, { reasons = true } = {}): JsonObject {
  const body: ChatBody = { messages: [{ role: "user", content: "hi" }], ...fields };
  const call = { upstreamModel: "gpt-5.6-luna", api: "responses", body, stream: false } as const;
  return JSON.parse(JSON.stringify(responsesBody(call, { provider: "openai", reasons })));
}

const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const tool = { type: "function", function: { name: "f", parameters: { type: "object" } } };

describe("A chat request for the Responses API", () => {
  it("says every conversation, so that it reads the same there", () => {
    fc.assert(
      fc.property(anyChat, (messages) => {
        const { input } = said({ messages });
        const { body, onlyNative } = chatBodyFromResponses({ input });
        // Claude's signed thinking is for Claude alone; details of images are always said.
        const bare = messages.map(({ thinking_blocks: _claudes, ...message }) => message);
        expect(JSON.parse(JSON.stringify(body.messages).replaceAll(',"detail":"auto"', ""))).toEqual(bare);
        expect(onlyNative).toBeNull();
      }),
    );
  });

  it("has its fields by the names of that API, with the least limit of tokens that it takes", () => {
    const grammar = { syntax: "lark", definition: "s" };
    const format = { name: "n", schema: { type: "object" }, strict: true };
    const allowed = { mode: "required", tools: [{ type: "function", function: { name: "f" } }] };
    const same = { parallel_tool_calls: false, service_tier: "flex", user: "u1", temperature: 1 };
    expect(
      said({
        max_completion_tokens: 5,
        max_tokens: 7,
        reasoning_effort: "high",
        verbosity: "low",
        response_format: { type: "json_schema", json_schema: format },
        tools: [tool, { type: "custom", custom: { name: "sql", format: { type: "grammar", grammar } } }],
        tool_choice: { type: "allowed_tools", allowed_tools: allowed },
        ...same,
        stream_options: { include_usage: true },
        n: 1,
        presence_penalty: 0,
        seed: null,
      }),
    ).toEqual({
      model: "gpt-5.6-luna",
      input: [{ type: "message", role: "user", content: "hi" }],
      max_output_tokens: 16,
      reasoning: { effort: "high" },
      text: { format: { type: "json_schema", ...format }, verbosity: "low" },
      tools: [
        { type: "function", name: "f", parameters: { type: "object" }, strict: false },
        { type: "custom", name: "sql", format: { type: "grammar", ...grammar } },
      ],
      tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "f" }] },
      ...same,
      include: ["reasoning.encrypted_content"],
      store: false,
    });
  });

  it("keeps nothing at the provider unless the caller asks for it", () => {
    expect(said({}).store).toBe(false);
    expect(said({ store: null }).store).toBe(false);
    const { store, include } = said({ store: true, tools: [tool] });
    expect([store, include]).toEqual([true, undefined]);
  });

  it("asks for reasoning that can be sent back only with tools, and of models that reason", () => {
    expect(said({}).include).toBeUndefined();
    expect(said({ tools: [tool] }, { reasons: false }).include).toBeUndefined();
  });

  it("sends reasoning back to the provider that sealed it, before the call that it led to", () => {
    const seal = (provider: string, at: number) => sealed(provider, { at, content: `${provider} ${at}` });
    const message = {
      role: "assistant",
      content: "Let me look.",
      ...sealedMember([seal("openai", 0), seal("openai", 1), seal("azure", 0)]),
      tool_calls: [call("call_1"), call("call_2")],
    };
    const reasoning = (encrypted_content: string) => ({ type: "reasoning", summary: [], encrypted_content });
    const text = { type: "output_text", text: "Let me look.", annotations: [] };
    expect(said({ messages: [message] }).input).toEqual([
      reasoning("openai 0"),
      { type: "message", role: "assistant", content: [text] },
      { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" },
      reasoning("openai 1"),
      { type: "function_call", call_id: "call_2", name: "f", arguments: "{}" },
    ]);
  });

  it("has the output of a custom tool by its own type, with images", () => {
    const asked = { id: "c", type: "custom", custom: { name: "sql", input: "select" } };
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };
    const messages = [
      { role: "assistant", content: null, tool_calls: [asked] },
      { role: "tool", tool_call_id: "c", content: [{ type: "text", text: "one" }, image] },
    ];
    expect(said({ messages }).input).toEqual([
      { type: "custom_tool_call", call_id: "c", name: "sql", input: "select" },
      {
        type: "custom_tool_call_output",
        call_id: "c",
        output: [
          { type: "input_text", text: "one" },
          { type: "input_image", image_url: "data:image/png;base64,aGk=", detail: "auto" },
        ],
      },
    ]);
  });

  // https://github.com/earendil-works/pi/issues/9334 (2026-09-08), https://github.com/maximhq/bifrost/pull/6699 (2026-09-01)
  it("keeps what asks for OpenAI's cache, in the request and at parts of messages", () => {
    const mark = { prompt_cache_breakpoint: { mode: "explicit" } };
    const asked = { prompt_cache_key: "k", prompt_cache_options: { mode: "explicit", ttl: "30m" } };
    const image = { type: "image_url", image_url: { url: "data:," }, ...mark };
    const file = { type: "file", file: { file_id: "f" }, ...mark };
    const content = [{ type: "text", text: "Long.", ...mark }, image, file];
    expect(said({ messages: [{ role: "user", content }], ...asked })).toMatchObject({
      ...asked,
      input: [
        {
          content: [
            { type: "input_text", ...mark },
            { type: "input_image", ...mark },
            { type: "input_file", ...mark },
          ],
        },
      ],
    });
  });

  it.each([
    ["n", { n: 2 }],
    ["stop", { stop: "x" }],
    ["logit_bias", { logit_bias: { 50: 1 } }],
    ["presence_penalty", { presence_penalty: 0.5 }],
    ["audio", { audio: { voice: "a", format: "wav" } }],
    ["functions", { functions: [{ name: "f" }] }],
    ["web_search_options", { web_search_options: {} }],
    ["messages[0]", { messages: [{ role: "user", content: [{ type: "input_audio", input_audio: {} }] }] }],
  ])("refuses `%s` by name where chat completions cannot be asked", (field, body) => {
    expect(() => said(body)).toThrow(
      expect.objectContaining({ code: "request_refused", upstreamParam: field, status: null }),
    );
    expect(chatField({ messages: [], ...body })).toBe(field);
  });

  it("leaves out what is a best effort or a saving", () => {
    const body = said({ seed: 7, prediction: { type: "content", content: "x" } });
    expect(Object.keys(body).sort()).toEqual(["input", "model", "store"]);
    expect(chatField({ messages: [], seed: 7 })).toBe("seed");
  });
});

describe("A client's own Responses request", () => {
  const reasoning = (content: string | null) => ({
    type: "reasoning",
    id: "rs_1",
    summary: [],
    ...(content === null ? {} : { encrypted_content: content }),
  });
  const readable = (body: JsonObject) => readableInput(body, { provider: "openai" }).input;
  const user = { role: "user", content: "hi" };

  it("leaves out reasoning that the provider cannot read", () => {
    const others = [sealed("azure", { at: 0, content: "x" }), "thinking_blocks:x", null];
    const foreign = others.map(reasoning);
    expect(readable({ input: [...foreign, user] })).toEqual([user]);
    expect(readable({ input: [reasoning(null), user], store: true })).toEqual([reasoning(null), user]);
  });

  it("unseals the provider's own, and keeps what came unsealed", () => {
    const own = reasoning(sealed("openai", { at: 0, content: "gAAA" }));
    expect(readable({ input: [own, reasoning("gBBB")] })).toEqual([
      { type: "reasoning", summary: [], encrypted_content: "gAAA" },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gBBB" },
    ]);
  });
});
