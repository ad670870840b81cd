import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { countTokensRequestSchema } from "../../../../src/gateway/api/messages-request.js";
import type { JsonObject } from "../../../../src/gateway/providers/chat.js";
import {
  assistantBlocks,
  chatBody,
  conversation,
  refusalOf,
  translated,
  userBlocks,
} from "./messages-for-test.js";

const text = (words: string) => ({ type: "text", text: words });
const PNG = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } };
const PNG_URL = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };
const use = { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Paris" } };
const weather = { name: "weather", arguments: '{"city":"Paris"}' };
const call = { id: "toolu_1", type: "function", function: weather };
const result = (fields: object) => ({ type: "tool_result", tool_use_id: "toolu_1", ...fields });

describe("The conversation of a Messages request", () => {
  it("begins with the system prompt, with an empty line between its blocks", () => {
    expect(chatBody({ system: "Be brief." }).messages[0]).toEqual({ role: "system", content: "Be brief." });
    const system = [{ ...text("One."), cache_control: { type: "ephemeral" } }, text("Two.")];
    expect(chatBody({ system }).messages[0]).toEqual({ role: "system", content: "One.\n\nTwo." });
    expect(chatBody({ system: "" }).messages).toHaveLength(1);
    // https://github.com/sgl-project/sglang/pull/21064 (2026-03-21)
    const attribution = text("x-anthropic-billing-header: cc_version=2.1; cch=36ee5;");
    expect(chatBody({ system: [attribution, ...system] })).toEqual(chatBody({ system }));
    expect(chatBody({ system: [attribution] })).toEqual(chatBody({ system: "" }));
  });

  it("keeps instructions at their position between the turns", () => {
    const roles = ["user", "system", "user"];
    const messages = roles.map((role) => ({ role, content: "A" }));
    expect(conversation(...messages)).toEqual(messages);
  });

  it("passes images by their address, and documents and search results as what they contain", () => {
    const document = (fields: object) => ({ type: "document", ...fields });
    const [message] = conversation(
      userBlocks(
        { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
        document({ title: "Notes", source: { type: "text", media_type: "text/plain", data: "words" } }),
        document({ source: { type: "content", content: [text("inner"), PNG] } }),
        { type: "search_result", title: "T", source: "https://t", content: [text("found")] },
      ),
    );
    expect(message?.content).toEqual([
      { type: "image_url", image_url: { url: "https://example.org/a.png" } },
      ...[text("Notes\n\nwords"), text("inner"), PNG_URL, text("T\n\nhttps://t\n\nfound")],
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
    expect(user?.content).toEqual([text("Returned by the tool call toolu_1:"), PNG_URL]);
    expect(more).toEqual([{ role: "user", content: "Which street?" }]);
    expect(conversation(assistantBlocks(use), userBlocks(result({})))[1]?.content).toBe("");
  });

  it("returns unsigned thinking as reasoning with a call, and without one not at all", () => {
    const unsigned = { type: "thinking", thinking: "Let me see", signature: "" };
    expect(conversation(assistantBlocks(unsigned, use))).toEqual([
      { role: "assistant", content: null, reasoning_content: "Let me see", tool_calls: [call] },
    ]);
    const [said] = conversation(assistantBlocks(unsigned, text("Yes")));
    expect(said).toEqual({ role: "assistant", content: "Yes" });
  });
});

describe("The fields of a Messages request", () => {
  it("keep sampling, but for what chat has no field for, and leave out what is empty", () => {
    const rest = { messages: [{ role: "user", content: "Hello" }], max_tokens: 100 };
    expect(chatBody({ top_p: 0.9, top_k: 5 })).toEqual({ ...rest, top_p: 0.9 });
    expect(chatBody({ stop_sequences: [], temperature: null, top_p: null, tools: [] })).toEqual(rest);
  });

  it("map tools to functions, and leave out the choice without tools", () => {
    const tool = { name: "weather", description: "Tells it", input_schema: { type: "object" }, strict: true };
    const named = { name: "weather", description: "Tells it", parameters: { type: "object" } };
    const { tools } = chatBody({ tools: [{ ...tool, type: "custom" }] });
    expect(tools).toEqual([{ type: "function", function: named }]);
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
    const open = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
    const closed = { ...open, required: ["a"] };
    const format = (schema: object) => ({ type: "json_schema", schema });
    const wanted = ({ response_format }: JsonObject) => (response_format as JsonObject).json_schema;
    const strictly = wanted(chatBody({ output_config: { format: format(closed) } }));
    expect(strictly).toEqual({ name: "answer", schema: closed, strict: true });
    const loosely = wanted(chatBody({ output_format: format(open) }));
    expect(loosely).toEqual({ name: "answer", schema: open, strict: false });
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

/** As Claude Code 2.1.332 sends them, seen on 2026-11-29; additions as Anthropic documents them. */
describe("Tools that a conversation loads as it goes on", () => {
  const hidden = (name: string) => ({ name, input_schema: {}, defer_loading: true });
  const tools = [
    { name: "search", input_schema: {} },
    hidden("fetch"),
    hidden("docs"),
    hidden("placeholder"),
  ];
  const hello = { role: "user", content: "Hello" };
  const said = (...content: readonly JsonObject[]) => ({ role: "system", content });
  const change = (type: string, name: string) => ({ type, tool: { type: "tool_reference", name } });
  const offered = (...messages: readonly JsonObject[]) =>
    ((chatBody({ tools, messages }).tools ?? []) as readonly { readonly function: JsonObject }[]).map(
      (tool) => tool.function.name,
    );

  it("are offered once a result refers to them, which the result says", () => {
    const found = userBlocks(result({ content: [{ type: "tool_reference", tool_name: "fetch" }] }));
    expect(offered(hello)).toEqual(["search"]);
    expect(offered(hello, assistantBlocks(use), found)).toEqual(["search", "fetch"]);
    expect(conversation(assistantBlocks(use), found)[1]?.content).toBe("You can call the tool fetch now.");
  });

  it("are added and removed by instructions, which keep their text", () => {
    const adds = said(text("Be brief."), change("tool_addition", "docs"));
    expect(offered(hello, adds)).toEqual(["search", "docs"]);
    expect(offered(hello, adds, said(change("tool_removal", "docs")))).toEqual(["search"]);
    expect(conversation(hello, adds, said(change("tool_removal", "docs")))).toEqual([
      hello,
      { role: "system", content: "Be brief." },
    ]);
    const definition = { name: "own", input_schema: {} };
    const tool = { type: "tool_definition", definition };
    expect(offered(hello, said({ type: "tool_addition", tool }))).toEqual(["search", "own"]);
  });

  it("count the newest effort that instructions name", () => {
    const config = (effort: string) => ({ role: "system", content: [], output_config: { effort } });
    const messages = [hello, config("low"), hello, config("max"), hello];
    expect(translated({ output_config: { effort: "high" }, messages }).effort).toBe("max");
  });
});

describe("A feature that only Anthropic's own API supports", () => {
  const native = (fields: object) => translated({ ...fields }).onlyNative;
  const inUser = (block: object) => native({ messages: [userBlocks({ ...block } as { type: string })] });

  const path = "messages[0].content[0]";
  const cited = { type: "text", media_type: "text/plain", data: "d" };
  const searched = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
  const edits = [{ type: "compact_20260112" }];
  const byUrl = { type: "url", url: "https://a" };
  const citations = { enabled: true };
  const listed = [
    { name: "f", input_schema: {} },
    { type: "web_search_20250305", name: "w" },
  ];
  const file = { type: "file", file_id: "f" };
  it.each<[object | null, string, string | undefined]>([
    [native({ tools: listed }), "tools[1].type", "the server tool web_search_20250305"],
    [native({ tools: [{ type: "bash_1", name: "bash" }] }), "tools[0].type", "Anthropic's tool bash_1"],
    [
      native({ context_management: { edits } }),
      "context_management.edits[0].type",
      "the context edit compact_20260112",
    ],
    [inUser({ type: "container_upload" }), `${path}.type`, "the content block container_upload"],
    [inUser({ type: "image", source: file }), `${path}.source.type`, "the source file"],
    [inUser({ type: "document", source: byUrl }), `${path}.source.type`, "a document by its URL"],
    [inUser({ type: "document", source: cited, citations }), `${path}.citations`, undefined],
    [native({ messages: [assistantBlocks(searched)] }), `${path}.type`, "the content block server_tool_use"],
    [inUser(result({ content: [{ type: "audio" }] })), `${path}.content[0].type`, undefined],
  ])("is reported by the name of its field: %j", (found, param, what) => {
    expect(found).toMatchObject(what === undefined ? { param } : { param, what });
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

  it.each([
    [undefined, "is missing"],
    [["x"], "is a list"],
    [5, "is a number"],
  ])("is refused with what %j is in the place of a text", (value, what) => {
    const { message } = refusalOf({ messages: [userBlocks({ type: "text", text: value })] });
    expect(message).toContain(`${what}: it must be a string`);
  });

  it("is refused without repeating the prompt", () => {
    for (const fields of [{ system: ["secret words"] }, { stop_sequences: "secret words" }])
      expect(refusalOf(fields).message).not.toContain("secret");
  });
});

it("A Messages request to count tokens needs no limit for the answer", () => {
  const body = { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }] };
  expect(countTokensRequestSchema({ maxMessages: 1 }).parse(body)).toEqual(body);
});
