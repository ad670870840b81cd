import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { countTokensRequestSchema } from "../../../../src/gateway/api/messages-request.js";
import {
  assistantBlocks,
  chatBody,
  conversation,
  parsed,
  refusalOf,
  translated,
  userBlocks,
} from "./messages-for-test.js";

const text = (words: string) => ({ type: "text", text: words });
const PNG = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } };
const use = { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Paris" } };
const call = {
  id: "toolu_1",
  type: "function",
  function: { name: "weather", arguments: '{"city":"Paris"}' },
};
const result = (fields: object) => ({ type: "tool_result", tool_use_id: "toolu_1", ...fields });

describe("The conversation of a Messages request", () => {
  it("begins with the system prompt, with an empty line between its blocks", () => {
    expect(chatBody({ system: "Be brief." }).messages[0]).toEqual({ role: "system", content: "Be brief." });
    const system = [{ ...text("One."), cache_control: { type: "ephemeral" } }, text("Two.")];
    expect(chatBody({ system }).messages[0]).toEqual({ role: "system", content: "One.\n\nTwo." });
    expect(chatBody({ system: "" }).messages).toHaveLength(1);
  });

  it("keeps instructions at their position between the turns", () => {
    const roles = conversation(
      { role: "user", content: "A" },
      { role: "system", content: "Now in French." },
      { role: "user", content: "B" },
    ).map(({ role }) => role);
    expect(roles).toEqual(["user", "system", "user"]);
  });

  it("passes images and PDFs as data URLs or by address, and text documents as text", () => {
    const [message] = conversation(
      userBlocks(
        text("Look"),
        PNG,
        { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
        {
          type: "document",
          title: "a.pdf",
          source: { type: "base64", media_type: "application/pdf", data: "aGk=" },
        },
        {
          type: "document",
          title: "Notes",
          source: { type: "text", media_type: "text/plain", data: "words" },
        },
        { type: "document", source: { type: "content", content: [text("inner"), PNG] } },
        { type: "search_result", title: "T", source: "https://t", content: [text("found")] },
      ),
    );
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };
    expect(message?.content).toEqual([
      text("Look"),
      image,
      { type: "image_url", image_url: { url: "https://example.org/a.png" } },
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,aGk=" } },
      text("Notes\n\nwords"),
      text("inner"),
      image,
      text("T\n\nhttps://t\n\nfound"),
    ]);
  });

  it("puts tool results directly after the calls, whatever else the user's turns contain", () => {
    expect(
      conversation(
        { role: "user", content: "Rain?" },
        assistantBlocks(text("I look. "), use, { ...use, id: "toolu_2" }),
        userBlocks(text("And"), result({ content: [text("dry"), text("warm")] })),
        userBlocks({ ...result({ content: "no station", is_error: true }), tool_use_id: "toolu_2" }),
      ),
    ).toEqual([
      { role: "user", content: "Rain?" },
      { role: "assistant", content: "I look. ", tool_calls: [call, { ...call, id: "toolu_2" }] },
      { role: "tool", tool_call_id: "toolu_1", content: "dry\nwarm" },
      { role: "tool", tool_call_id: "toolu_2", content: "Error: no station" },
      { role: "user", content: "And" },
    ]);
  });

  it("moves images of tool results into a user message", () => {
    const [, tool, user, ...more] = conversation(
      assistantBlocks(use),
      userBlocks(result({ content: [text("map"), PNG] }), text("Which street?")),
    );
    expect(tool?.content).toBe("map\n(What else this tool returned is in the next user message.)");
    expect(user?.content).toEqual([
      text("Returned by the tool call toolu_1:"),
      { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
    ]);
    expect(more).toEqual([{ role: "user", content: "Which street?" }]);
    expect(conversation(assistantBlocks(use), userBlocks(result({})))[1]?.content).toBe("");
  });

  it("returns signed thinking as thinking blocks, and unsigned thinking as reasoning with a call", () => {
    const signed = { type: "thinking", thinking: "Hm", signature: "c2ln" };
    const redacted = { type: "redacted_thinking", data: "ZW5j" };
    const unsigned = { type: "thinking", thinking: "Let me see", signature: "" };
    expect(conversation(assistantBlocks(signed, redacted, text("Yes")))[0]).toEqual({
      role: "assistant",
      content: "Yes",
      thinking_blocks: [signed, redacted],
    });
    expect(conversation(assistantBlocks(unsigned, use))[0]).toEqual({
      role: "assistant",
      content: null,
      reasoning_content: "Let me see",
      tool_calls: [call],
    });
    expect(conversation(assistantBlocks(unsigned, text("Yes")))[0]).toEqual({
      role: "assistant",
      content: "Yes",
    });
  });
});

describe("The fields of a Messages request", () => {
  it("keep limits, sampling and stop sequences", () => {
    const fields = { temperature: 0.2, top_p: 0.9, top_k: 5, stop_sequences: ["END"] };
    expect(chatBody(fields)).toEqual({
      messages: [{ role: "user", content: "Hello" }],
      max_tokens: 100,
      temperature: 0.2,
      top_p: 0.9,
      stop: ["END"],
    });
    expect(chatBody({ stop_sequences: [], temperature: null, top_p: null, tools: [] })).toEqual({
      messages: [{ role: "user", content: "Hello" }],
      max_tokens: 100,
    });
  });

  it("map tools to functions, and the tool choice", () => {
    const tool = { name: "weather", description: "Tells it", input_schema: { type: "object" }, strict: true };
    const functions = [
      {
        type: "function",
        function: { name: "weather", description: "Tells it", parameters: { type: "object" } },
      },
    ];
    const choices = {
      auto: { tool_choice: "auto" },
      any: { tool_choice: "required" },
      none: { tool_choice: "none" },
    };
    for (const [type, choice] of Object.entries(choices))
      expect(chatBody({ tools: [tool], tool_choice: { type } })).toMatchObject({
        tools: functions,
        ...choice,
      });
    const named = { type: "tool", name: "weather", disable_parallel_tool_use: true };
    expect(chatBody({ tools: [{ ...tool, type: "custom" }], tool_choice: named })).toMatchObject({
      tools: functions,
      tool_choice: { type: "function", function: { name: "weather" } },
      parallel_tool_calls: false,
    });
    expect(chatBody({ tool_choice: { type: "any" } })).not.toHaveProperty("tool_choice");
  });

  it("map the thinking budget to the nearest effort", () => {
    const effort = (fields: object) => translated({ ...fields }).effort;
    const budget = (budget_tokens: number) => effort({ thinking: { type: "enabled", budget_tokens } });
    expect([1_024, 4_095, 4_096, 16_383, 16_384, 64_000].map(budget)).toEqual([
      ...["low", "low", "medium", "medium", "high", "high"],
    ]);
    expect(effort({ thinking: { type: "adaptive" } })).toBe("high");
    expect(effort({ thinking: { type: "adaptive" }, output_config: { effort: "low" } })).toBe("low");
    expect(effort({ output_config: { effort: "max" } })).toBe("max");
    expect(effort({ thinking: { type: "disabled" } })).toBeNull();
    expect(chatBody({ thinking: { type: "adaptive" } })).not.toHaveProperty("reasoning_effort");
  });

  it("bind the answer to a schema, strictly where OpenAI supports it", () => {
    const closed = {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    };
    const format = (schema: object) => ({ type: "json_schema", schema });
    const wanted = (schema: object, strict: boolean) => ({
      type: "json_schema",
      json_schema: { name: "answer", schema, strict },
    });
    expect(chatBody({ output_config: { format: format(closed) } }).response_format).toEqual(
      wanted(closed, true),
    );
    const open = { ...closed, required: [] };
    expect(chatBody({ output_format: format(open) }).response_format).toEqual(wanted(open, false));
    expect(refusalOf({ output_format: { type: "text" } }).param).toBe("output_format.type");
  });

  it("identify the user by an id that OpenAI accepts", () => {
    expect(chatBody({ metadata: { user_id: "u1" } }).user).toBe("u1");
    const long = "user_".padEnd(200, "x");
    const digest = createHash("sha256").update(long).digest("hex");
    expect(chatBody({ metadata: { user_id: long } }).user).toBe(digest);
  });

  it("omit hints and unknown fields", () => {
    const hints = {
      cache_control: { type: "ephemeral" },
      service_tier: "auto",
      speed: "fast",
      context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
      mcp_servers: [],
      container: null,
    };
    expect(Object.keys(chatBody(hints))).toEqual(["messages", "max_tokens"]);
    expect(chatBody({ service_tier: "standard_only" }).service_tier).toBe("default");
  });
});

describe("A feature that only Anthropic's own API supports", () => {
  const native = (fields: object) => translated({ ...fields }).onlyNative;
  const inUser = (block: object) => native({ messages: [userBlocks({ ...block } as { type: string })] });

  it("is reported by the name of its field", () => {
    expect(
      native({
        tools: [
          { name: "f", input_schema: {} },
          { type: "web_search_20250305", name: "web_search" },
        ],
      }),
    ).toEqual({ param: "tools[1].type", what: "the server tool web_search_20250305" });
    expect(native({ tools: [{ type: "bash_20250124", name: "bash" }] })).toEqual({
      param: "tools[0].type",
      what: "Anthropic's tool bash_20250124",
    });
    expect(native({ max_tokens: 0 })?.param).toBe("max_tokens");
    expect(native({ mcp_servers: [{ type: "url" }] })?.param).toBe("mcp_servers");
    expect(native({ container: "c" })?.param).toBe("container");
    expect(native({ inference_geo: "us" })?.param).toBe("inference_geo");
    expect(native({ thread: { type: "create" } })?.param).toBe("thread");
    expect(native({ context_management: { edits: [{ type: "compact_20260112" }] } })).toEqual({
      param: "context_management.edits[0].type",
      what: "the context edit compact_20260112",
    });
  });

  it("may be a block or source without a counterpart", () => {
    const path = "messages[0].content[0]";
    expect(inUser({ type: "container_upload", file_id: "f" })).toEqual({
      param: `${path}.type`,
      what: "the content block container_upload",
    });
    expect(inUser({ type: "image", source: { type: "file", file_id: "f" } })).toEqual({
      param: `${path}.source.type`,
      what: "the source file",
    });
    expect(inUser({ type: "document", source: { type: "url", url: "https://a" } })?.what).toBe(
      "a document by its URL",
    );
    const cited = { type: "text", media_type: "text/plain", data: "d" };
    expect(inUser({ type: "document", source: cited, citations: { enabled: true } })?.param).toBe(
      `${path}.citations`,
    );
    const searched = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
    expect(native({ messages: [assistantBlocks(searched)] })?.what).toBe("the content block server_tool_use");
    expect(inUser(result({ content: [{ type: "tool_reference", tool_name: "t" }] }))?.param).toBe(
      `${path}.content[0].type`,
    );
  });
});

describe("An invalid Messages request", () => {
  it.each([
    [{ max_tokens: undefined }, "max_tokens"],
    [{ max_tokens: -1 }, "max_tokens"],
    [{ messages: [] }, "messages"],
    [{ messages: [{ role: "tool", content: "x" }] }, "messages[0].role"],
    [{ messages: [{ role: "user", content: 5 }] }, "messages[0].content"],
    [{ messages: [{ role: "user", content: [{ text: "x" }] }] }, "messages[0].content[0].type"],
    [{ messages: [userBlocks({ type: "text" })] }, "messages[0].content[0].text"],
    [{ messages: [userBlocks({ type: "image" })] }, "messages[0].content[0].source"],
    [{ messages: [userBlocks({ type: "tool_result" })] }, "messages[0].content[0].tool_use_id"],
    [{ messages: [userBlocks(use)] }, "messages[0].content[0].type"],
    [{ messages: [assistantBlocks(PNG)] }, "messages[0].content[0].type"],
    [{ messages: [assistantBlocks({ ...use, input: "x" })] }, "messages[0].content[0].input"],
    [{ system: [{ type: "image" }] }, "system[0].type"],
    [{ temperature: 1.5 }, "temperature"],
    [{ top_k: 0.5 }, "top_k"],
    [{ stop_sequences: "END" }, "stop_sequences"],
    [{ tools: [{ name: "f" }] }, "tools[0].input_schema"],
    [{ tools: [{ input_schema: {} }] }, "tools[0].name"],
    [{ tool_choice: { type: "required" } }, "tool_choice.type"],
    [{ tool_choice: { type: "tool" } }, "tool_choice.name"],
    [{ thinking: { type: "enabled", budget_tokens: "many" } }, "thinking.budget_tokens"],
    [{ fallbacks: [{ model: "a" }] }, "fallbacks[0]"],
  ])("is refused by its field: %o", (fields, param) => {
    const refusal = refusalOf(fields);
    expect([refusal.code, refusal.param]).toEqual(["invalid_request", param]);
    expect(refusal.message).toContain(`\`${param}\``);
  });

  it("is refused without repeating the prompt", () => {
    expect(refusalOf({ system: ["secret words"] }).message).not.toContain("secret");
    expect(refusalOf({ stop_sequences: "secret words" }).message).not.toContain("secret");
  });
});

describe("The Messages schemas", () => {
  it("accept what Claude Code sends", () => {
    const body = parsed({
      system: [{ ...text("You are…"), cache_control: { type: "ephemeral", ttl: "1h" } }],
      thinking: { type: "enabled", budget_tokens: 31_999 },
      metadata: { user_id: '{"device_id":"d","session_id":"s"}' },
      temperature: 1,
      stream: true,
      context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
    });
    expect(body.stream).toBe(true);
  });

  it("accept a token count request without a limit for the answer", () => {
    const body = { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }] };
    expect(countTokensRequestSchema({ maxMessages: 1 }).parse(body)).toEqual(body);
  });
});
