import { describe, expect, it } from "vitest";
import { summaryIn } from "../../../../src/gateway/dialects/responses/compaction.js";
import { ResponseEvents, responseFromChat } from "../../../../src/gateway/dialects/responses/reply.js";
import {
  chatBodyFromResponses,
  nativeRequest,
  nativeUse,
} from "../../../../src/gateway/dialects/responses/request.js";
import type { ChatBody, JsonObject } from "../../../../src/gateway/providers/chat.js";
import { objectsIn } from "../../../../src/gateway/providers/chat.js";
import { envelope, USAGE } from "./responses-for-test.js";

const fn = (name: string) => ({ type: "function", name, parameters: { type: "object" } });
const group = (name: string, ...tools: readonly object[]) => ({ type: "namespace", name, tools });
const grammar = { type: "grammar", syntax: "lark", definition: "start: /.+/" };
const patch = { type: "custom", name: "patch", description: "Edits files", format: grammar };
const user = (content: string) => ({ type: "message", role: "user", content });

const namesOf = ({ tools }: JsonObject): readonly unknown[] =>
  objectsIn(tools).map((tool) => (tool[String(tool.type)] as JsonObject | undefined)?.name ?? tool.type);

const functionsBody = (body: JsonObject): ChatBody => {
  const { body: all, functionsOnly } = chatBodyFromResponses(body);
  return functionsOnly?.body ?? all;
};

/** The items of an answer, whole and streamed in two pieces a call. */
function answered(request: JsonObject, message: JsonObject): readonly (readonly JsonObject[])[] {
  const whole = responseFromChat(
    { choices: [{ index: 0, message, finish_reason: "stop" }] },
    { envelope: { ...envelope, request }, usage: USAGE },
  );
  const stream = new ResponseEvents({ ...envelope, request });
  const calls = objectsIn(message.tool_calls).entries();
  const first = { ...message, tool_calls: [...calls].map(([index, call]) => half(call, index, 0)) };
  const rest = {
    tool_calls: objectsIn(message.tool_calls).map((call, index) => half(call, index, 1)),
  };
  const chunk = (delta: JsonObject) => ({ choices: [{ index: 0, delta, finish_reason: null }] });
  const text = stream.start() + stream.chunk(chunk(first)) + stream.chunk(chunk(rest)) + stream.end(USAGE);
  const events = text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => JSON.parse(event.slice(event.indexOf("data: ") + 6)));
  const done = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
  for (const { id, arguments: given, input } of done) {
    const pieces = events.filter(({ type, item_id }) => type.endsWith(".delta") && item_id === id);
    expect(pieces.map(({ delta }) => delta).join("")).toBe(given ?? input ?? "");
  }
  return [objectsIn(whole.output), done];
}

function half(call: JsonObject, index: number, part: 0 | 1): JsonObject {
  const { name, arguments: given } = call.function as { readonly name: string; readonly arguments: string };
  const pieces = [given.slice(0, 5), given.slice(5)];
  const called = part === 0 ? { name, arguments: pieces[0] } : { arguments: pieces[1] };
  return { ...(part === 0 && call), index, function: called };
}

const call = (name: unknown, given: object, id = "call_1") => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(given) },
});

describe("Tools in groups", () => {
  const request = {
    input: [
      { type: "additional_tools", role: "developer", tools: [group("code", fn("run"))] },
      { type: "tool_search_output", tools: [group("code", fn("run")), group("crm", fn("find"))] },
      user("Hi"),
    ],
    tools: [fn("plain"), group("agents", fn("wait"), fn("close"))],
  };

  it("are functions by joined names, wherever they are declared, each once", () => {
    const { body, onlyNative, functionsOnly } = chatBodyFromResponses(request);
    expect(namesOf(body)).toEqual(["plain", "agents__wait", "agents__close", "code__run", "crm__find"]);
    expect(onlyNative).toBeNull();
    expect(functionsOnly).toBeUndefined();
    expect(body.messages).toEqual([{ role: "user", content: "Hi" }]);
  });

  it("are called by their own names in the answer, and by the joined ones in the next request", () => {
    const message = {
      content: null,
      tool_calls: [call("agents__wait", { ms: 1 }), call("plain", {}, "call_2")],
    };
    for (const items of answered(request, message)) {
      expect(items).toMatchObject([
        { type: "function_call", name: "wait", namespace: "agents", arguments: '{"ms":1}' },
        { type: "function_call", name: "plain" },
      ]);
      expect(items[1]).not.toHaveProperty("namespace");
      const { body } = chatBodyFromResponses({ ...request, input: [...request.input, ...items] });
      expect(body.messages.at(-1)?.tool_calls).toEqual(message.tool_calls);
    }
  });

  it("have names that vendors take, and that no other tool has", () => {
    const long = "x".repeat(60);
    const tools = [
      ...[fn("a__b"), group("a", fn("b"))],
      ...[group("mcp server", fn("get.it")), group(long, fn("one"), fn("two"))],
    ];
    const { body } = chatBodyFromResponses({ input: "Hi", tools });
    const names = namesOf(body);
    expect(new Set(names).size).toBe(5);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const message = { content: null, tool_calls: names.map((name, at) => call(name, {}, `call_${at}`)) };
    for (const items of answered({ tools }, message))
      expect(items.map(({ namespace, name }) => [namespace, name])).toEqual([
        ...[
          [undefined, "a__b"],
          ["a", "b"],
          ["mcp server", "get.it"],
        ],
        ...[
          [long, "one"],
          [long, "two"],
        ],
      ]);
  });

  it("are chosen by the joined name", () => {
    const choice = { type: "function", name: "wait", namespace: "agents" };
    expect(chatBodyFromResponses({ ...request, tool_choice: choice }).body.tool_choice).toEqual({
      type: "function",
      function: { name: "agents__wait" },
    });
  });

  it("go unchanged to OpenAI alone: xAI refuses them", () => {
    expect(nativeUse({ ...request, include: ["reasoning.encrypted_content"] })).toBe("usual");
  });
});

describe("Tools that a request may not have", () => {
  const long = "x".repeat(257);
  const many = (count: number) => Array.from({ length: count }, (_, at) => fn(`f${at}`));
  const broken = { toString: 1, valueOf: 1 };

  it.each([
    ["a long name of a group", [group(long, ...many(1000))], "tools[0].name"],
    ["a long name in a group", [group("a", fn(long))], "tools[0].tools[0].name"],
    ["a long type", [{ type: long }], "tools[0].type"],
    ["a group in a group", [group("a", group("b", fn("f")))], "tools[0].tools[0]"],
    ["too many in groups", [group("a", ...many(1000)), group("b", ...many(25))], "tools[1].tools[24]"],
    ["a group without a name", [{ ...group("a", fn("f")), name: 1 }], "tools[0].name"],
    ["a function without a name", [{ type: "function" }], "tools[0].name"],
    ["a type that is no text", [{ type: broken }], "tools[0].type"],
    [
      "a grammar that is no text",
      [{ ...patch, format: { ...grammar, definition: broken } }],
      "tools[0].format.definition",
    ],
    [
      "a grammar of no language",
      [{ ...patch, format: { ...grammar, syntax: broken } }],
      "tools[0].format.syntax",
    ],
  ])("are refused: %s", (_, tools, param) => {
    const refused = expect.objectContaining({ code: "invalid_request", param });
    expect(() => chatBodyFromResponses({ input: "Hi", tools })).toThrow(refused);
    if (param.startsWith("tools[0].format")) return;
    const input = [{ type: "additional_tools", tools }, user("Hi")];
    const inItem = expect.objectContaining({ code: "invalid_request", param: `input[0].${param}` });
    expect(() => chatBodyFromResponses({ input })).toThrow(inItem);
  });

  it("are those of one name: the first is taken", () => {
    const tools = [
      ...[fn("patch"), patch, fn("a"), fn("a")],
      ...[group("g", fn("a"), { ...patch, name: "a" }), group("g", fn("a"))],
    ];
    const { body, functionsOnly } = chatBodyFromResponses({ input: "Hi", tools });
    expect(namesOf(body)).toEqual(["patch", "a", "g__a"]);
    expect(functionsOnly).toBeUndefined();
    const message = { content: null, tool_calls: [call("patch", {}), call("g__a", {}, "call_2")] };
    for (const items of answered({ tools }, message))
      expect(items.map(({ type }) => type)).toEqual(["function_call", "function_call"]);
  });

  it("are not looked for in an answer that calls none", () => {
    const unread = Object.defineProperty({}, "type", {
      get() {
        throw new Error("The tool was read.");
      },
    });
    const choices = [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }];
    const request = { tools: [unread] };
    const response = responseFromChat({ choices }, { envelope: { ...envelope, request }, usage: USAGE });
    expect(response.output).toMatchObject([{ type: "message" }]);
  });
});

describe("Custom tools", () => {
  const request = { input: "Hi", tools: [patch, group("code", { ...patch, name: "exec" })] };

  it("stay custom for OpenAI's models, and are functions with a text for others", () => {
    expect(chatBodyFromResponses(request).body.tools).toMatchObject([
      { type: "custom", custom: { name: "patch" } },
      { type: "custom", custom: { name: "code__exec" } },
    ]);
    const { tools } = functionsBody(request);
    expect(tools).toMatchObject([
      { type: "function", function: { name: "patch", parameters: { required: ["input"] } } },
      { type: "function", function: { name: "code__exec" } },
    ]);
    const said = JSON.stringify(objectsIn(tools)[0]);
    expect(said).toContain("Edits files");
    expect(said).toContain(grammar.definition);
  });

  it("are called with their text, whichever form the call had", () => {
    const message = { content: null, tool_calls: [call("code__exec", { input: 'say "hi"\n' })] };
    for (const items of answered(request, message)) {
      expect(items).toMatchObject([
        { type: "custom_tool_call", name: "exec", namespace: "code", input: 'say "hi"\n' },
      ]);
      const back = functionsBody({ ...request, input: items });
      expect(back.messages).toEqual([{ role: "assistant", content: null, tool_calls: message.tool_calls }]);
      // As in a request without tools for a summary.
      expect(functionsBody({ input: items }).messages).toEqual(back.messages);
    }
  });

  it("are chosen as functions", () => {
    const chosen = { type: "custom", name: "patch" };
    const function_ = { type: "function", function: { name: "patch" } };
    expect(functionsBody({ ...request, tool_choice: chosen }).tool_choice).toEqual(function_);
    const tool_choice = { type: "allowed_tools", mode: "auto", tools: [chosen, { type: "web_search" }] };
    expect(functionsBody({ ...request, tool_choice }).tool_choice).toEqual({
      type: "allowed_tools",
      allowed_tools: { mode: "auto", tools: [function_] },
    });
  });
});

describe("Built-in tools", () => {
  const tools = [fn("f"), { type: "web_search" }, { type: "mcp", server_label: "a" }];
  const search = [fn("f"), { type: "web_search" }, { type: "web_search_preview" }];

  it("that search the web are left out for models that take functions alone, which are told by name", () => {
    const searched = { type: "web_search_call", id: "ws_1", status: "completed" };
    const input = [user("Hi"), searched, searched, user("And?")];
    const { body, functionsOnly, leftOut, onlyNative } = chatBodyFromResponses({ input, tools: search });
    expect(namesOf(body)).toEqual(["f", "web_search", "web_search_preview"]);
    expect(leftOut).toEqual(["web_search_call"]);
    expect(functionsOnly?.leftOut).toEqual(["web_search", "web_search_preview", "web_search_call"]);
    expect(namesOf(functionsOnly?.body ?? {})).toEqual(["f"]);
    expect(onlyNative).toBeNull();
    expect(nativeUse({ input, tools: search })).toBe("preferred");
  });

  it.each([
    ["is forced", { tools, tool_choice: { type: "web_search" } }, "tool_choice"],
    [
      "is all that may be called",
      { tools, tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "mcp" }] } },
      "tool_choice",
    ],
    ["is beside no other", { tools: search.slice(1) }, "tools[0].type"],
    ["does more than search the web", { tools }, "tools[2].type"],
    [
      "does more, and may be called",
      { tools, tool_choice: { type: "allowed_tools", mode: "auto", tools: [fn("f"), { type: "mcp" }] } },
      "tool_choice",
    ],
  ])("need the API where one %s", (_, fields, param) => {
    expect(chatBodyFromResponses({ input: "Hi", ...fields }).onlyNative?.param).toBe(param);
  });

  it.each(["local_shell", "tool_search", "apply_patch", "file_search"])(
    "need the API beside functions: %s",
    (type) => {
      const { onlyNative } = chatBodyFromResponses({ input: "Hi", tools: [fn("f"), { type }] });
      expect(onlyNative?.param).toBe("tools[1].type");
    },
  );

  it("are left out where they are not among the tools that may be called", () => {
    const choice = { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "f" }] };
    expect(chatBodyFromResponses({ input: "Hi", tools, tool_choice: choice }).onlyNative).toBeNull();
  });

  it("may be left out alone where none may be called", () => {
    const { onlyNative, functionsOnly } = chatBodyFromResponses({
      input: "Hi",
      tools: tools.slice(1),
      tool_choice: "none",
    });
    expect(onlyNative).toBeNull();
    expect(functionsOnly?.body).toEqual({ messages: [{ role: "user", content: "Hi" }] });
  });
});

describe("A compaction", () => {
  const request = {
    input: [user("Fix it"), { type: "compaction_trigger" }],
    tools: [fn("f")],
    text: { format: { type: "json_schema", name: "a", schema: {} } },
  };

  it("asks the model for a summary, without tools", () => {
    const { body } = chatBodyFromResponses(request);
    expect(body.messages).toMatchObject([{ content: "Fix it" }, { role: "user" }]);
    expect(body.messages[1]?.content).toContain("summarise this conversation");
    expect(body).toMatchObject({ tool_choice: "none", tools: [{ function: { name: "f" } }] });
    expect(body).not.toHaveProperty("response_format");
    expect(nativeUse({ ...request, include: ["reasoning.encrypted_content"] })).toBe("usual");
  });

  it("is asked for by the last item alone", () => {
    const input = [...request.input, user("And now?")];
    const refused = expect.objectContaining({ code: "invalid_request", param: "input[1].type" });
    expect(() => chatBodyFromResponses({ ...request, input })).toThrow(refused);
  });

  it("gives one item, which any model reads in the next request", () => {
    const message = { reasoning_content: "Hm.", content: "File a.ts is fixed." };
    for (const items of answered(request, message)) {
      expect(items).toMatchObject([{ type: "compaction", encrypted_content: expect.any(String) }]);
      const input = [user("Fix it"), ...items, user("And now?")];
      const { body, onlyNative } = chatBodyFromResponses({ input });
      expect(onlyNative).toBeNull();
      expect(body.messages.map(({ role }) => role)).toEqual(["user", "user", "user"]);
      expect(body.messages[1]?.content).toContain("File a.ts is fixed.");
      const [, native] = objectsIn(nativeRequest({ input }).input);
      expect(native).toMatchObject({ type: "message", role: "user" });
      expect(JSON.stringify(native)).toContain("File a.ts is fixed.");
    }
  });

  it("gives none where the summary was cut off", () => {
    const choices = [{ index: 0, message: { content: "File" }, finish_reason: "length" }];
    const response = responseFromChat({ choices }, { envelope: { ...envelope, request }, usage: USAGE });
    expect(response).toMatchObject({ status: "incomplete", output: [] });
  });

  it("that OpenAI made can be read there alone", () => {
    const item = { type: "compaction", id: "cmp_1", encrypted_content: "gAAA" };
    expect(summaryIn(item)).toBeNull();
    expect(chatBodyFromResponses({ input: [item, user("Hi")] }).onlyNative?.param).toBe("input[0].type");
    expect(nativeRequest({ input: [item] }).input).toEqual([item]);
    const stored = chatBodyFromResponses({ input: [item], store: true });
    expect(stored.onlyNative).toMatchObject({ param: "store", notBy: new Set(["x-ai"]) });
  });

  it("at a length of the context is left to providers that have it", () => {
    const request = { input: "Hi", context_management: [{ type: "compaction", compact_threshold: 1000 }] };
    const { body, leftOut, onlyNative } = chatBodyFromResponses(request);
    expect(body).toEqual({ messages: [{ role: "user", content: "Hi" }] });
    expect([leftOut, onlyNative]).toEqual([["context_management"], null]);
    expect(nativeUse(request)).toBe("preferred");
  });
});
