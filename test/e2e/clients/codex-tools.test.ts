/**
 * What Codex CLI 0.171.0 sends, as seen on 2026-11-29. For GPT-5.6: no `tools`, but an input item `additional_tools` with a namespace, whose
 * `exec` is a custom tool with a grammar; the call is then sent back beside the encrypted reasoning. For models that it does not know:
 * functions, a namespace and a web search. When its provider is named "OpenAI", it has conversations compacted by `compaction_trigger`.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventReply, jsonReply } from "../../fakes/upstream-server.js";
import { eventsOf } from "../../gateway/server.js";
import { answerInTurn, bodySeen, chatStream, messageReply, messageStream } from "../replies.js";
import { traceOf } from "../whole-gateway.js";
import { type Gateway, startGateway } from "./gateway.js";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({});
});
afterAll(() => gateway.stop());

const tools = [
  {
    type: "namespace",
    name: "functions",
    description: "",
    tools: [
      {
        type: "custom",
        name: "exec",
        description: "Run JavaScript",
        format: { type: "grammar", syntax: "lark", definition: "start: /(.|\\n)+/" },
      },
      { type: "function", name: "wait", strict: false, parameters: { type: "object", properties: {} } },
    ],
  },
];
const first = {
  model: "gpt-5.6-luna",
  stream: true,
  store: false,
  tool_choice: "auto",
  parallel_tool_calls: false,
  reasoning: { effort: "low" },
  include: ["reasoning.encrypted_content"],
  text: { verbosity: "low" },
  prompt_cache_key: "0199",
  client_metadata: { session_id: "0199" },
  input: [
    { type: "additional_tools", id: "at_0199", role: "developer", tools },
    { type: "message", role: "developer", content: [{ type: "input_text", text: "Be brief." }] },
    { type: "message", role: "user", content: [{ type: "input_text", text: "Say hello with a tool" }] },
  ],
};
const reasoning = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gAAA-1" };
const call = {
  id: "ctc_1",
  type: "custom_tool_call",
  call_id: "call_1",
  status: "completed",
  name: "exec",
  namespace: "functions",
  input: 'text("hello")',
};
const output = {
  type: "custom_tool_call_output",
  id: "ctco_1",
  call_id: "call_1",
  output: [{ type: "input_text", text: "hello" }],
};
const answer = {
  id: "msg_2",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Done.", annotations: [], logprobs: [] }],
};

function streamOf(items: readonly object[]) {
  const usage = { input_tokens: 1000, output_tokens: 50, total_tokens: 1050 };
  const response = { id: "resp_1", object: "response", created_at: 1, model: "gpt-5.6-luna", error: null };
  return [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    ...items.map((item, output_index) => ({ type: "response.output_item.done", output_index, item })),
    { type: "response.completed", response: { ...response, status: "completed", output: items, usage } },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));
}

const scriptOf = (items: readonly object[]) =>
  eventReply(streamOf(items).map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));

const ask = (body: object) => gateway.call("/v1/responses", { body });

/** Items that the events of a streamed answer hold whole. */
const itemsIn = (stream: string): readonly object[] =>
  (eventsOf(stream) as readonly { readonly type?: string; readonly item: object }[])
    .filter(({ type }) => type === "response.output_item.done")
    .map(({ item }) => item);

describe("Codex's tools for GPT-5.6", () => {
  it("go to OpenAI as they came, and the loop with them comes back so", async () => {
    answerInTurn(gateway.openai, scriptOf([reasoning, call]), scriptOf([answer]));
    expect(itemsIn((await ask(first)).text)).toEqual([reasoning, call]);
    expect(bodySeen(gateway.openai)).toEqual(first);
    const second = { ...first, input: [...first.input, { ...reasoning, content: null }, call, output] };
    expect(itemsIn((await ask(second)).text)).toEqual([answer]);
    expect(bodySeen(gateway.openai)).toEqual(second);
    expect(gateway.openai.lastRequest.path).toBe("/v1/responses");
  });

  it("are functions for a model of another vendor, whose calls come back as Codex declared them", async () => {
    const called = { type: "tool_use", id: "toolu_1", name: "functions__exec", input: {} };
    const given = { type: "input_json_delta", partial_json: JSON.stringify({ input: call.input }) };
    answerInTurn(
      gateway.anthropic,
      messageStream([{ start: called, deltas: [given] }], "tool_use"),
      messageStream([text("Done.")]),
    );
    const asked = { ...first, model: "claude-haiku-4-5" };
    const [item] = itemsIn((await ask(asked)).text);
    const { type, name, namespace, input } = call;
    expect(item).toMatchObject({ type, name, namespace, input, call_id: "toolu_1" });
    const [exec] = toolsSeen();
    expect(exec).toMatchObject({ name: "functions__exec", input_schema: { required: ["input"] } });
    const next = [...asked.input, item, { ...output, call_id: "toolu_1" }];
    expect(itemsIn((await ask({ ...asked, input: next })).text)).toMatchObject([{ type: "message" }]);
    expect(bodySeen(gateway.anthropic).messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ ...called, input: { input: call.input } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
    ]);
  });
});

const fn = (name: string) => ({
  type: "function",
  name,
  description: name,
  strict: false,
  parameters: { type: "object", properties: {} },
});
const unknown = {
  ...first,
  reasoning: { summary: "auto" },
  input: first.input.slice(1),
  tools: [
    fn("exec_command"),
    { type: "namespace", name: "multi_agent_v1", description: "Sub-agents", tools: [fn("wait_agent")] },
    { type: "web_search", external_web_access: false },
  ],
};
const text = (said: string) => ({
  start: { type: "text", text: "" },
  deltas: [{ type: "text_delta", text: said }],
});
const toolsSeen = () => bodySeen(gateway.anthropic).tools as readonly { readonly name: string }[];

describe("Codex's tools for a model that it does not know", () => {
  it("are functions without their groups; its web search is left out, which the reply and the trace say", async () => {
    const called = { type: "tool_use", id: "toolu_2", name: "multi_agent_v1__wait_agent", input: {} };
    answerInTurn(gateway.anthropic, messageStream([{ start: called, deltas: [] }], "tool_use"));
    const reply = await ask({ ...unknown, model: "claude-haiku-4-5" });
    expect(itemsIn(reply.text)).toMatchObject([
      { type: "function_call", name: "wait_agent", namespace: "multi_agent_v1", call_id: "toolu_2" },
    ]);
    expect(toolsSeen().map(({ name }) => name)).toEqual(["exec_command", "multi_agent_v1__wait_agent"]);
    expect(bodySeen(gateway.anthropic)).not.toHaveProperty("client_metadata");
    expect(reply.headers.get("x-left-out")).toBe("web_search");
    const trace = await traceOf(gateway.call, reply.requestId);
    expect(trace.attempts).toMatchObject([{ code: "ok", left_out: ["web_search"] }]);
  });

  it("let `auto` choose among all models", async () => {
    const models = ["claude-haiku-4-5", "gemini-3-flash-preview"];
    answerInTurn(gateway.anthropic, messageStream([text("Hi.")]));
    answerInTurn(gateway.google, chatStream([{ role: "assistant", content: "Hi." }]));
    const reply = await ask({ ...unknown, model: "auto", router: { models } });
    expect(itemsIn(reply.text)).toMatchObject([{ type: "message" }]);
    expect(models).toContain(reply.headers.get("x-routing-model"));
  });

  it("go to OpenAI as they came", async () => {
    answerInTurn(gateway.openai, scriptOf([answer]));
    const reply = await ask(unknown);
    expect(bodySeen(gateway.openai)).toEqual(unknown);
    expect(reply.headers.get("x-left-out")).toBeNull();
  });
});

describe("Codex's compaction", () => {
  const [, asks] = unknown.input;
  const triggered = { ...unknown, input: [...unknown.input, { type: "compaction_trigger" }] };

  it("is a summary by the model of another vendor, with which every model goes on", async () => {
    const summed = messageStream([text("Hello was said.")]);
    const done = messageStream([text("Done.")]);
    answerInTurn(gateway.anthropic, summed, done);
    const compacted = await ask({ ...triggered, model: "claude-haiku-4-5" });
    const items = itemsIn(compacted.text);
    expect(items).toMatchObject([{ type: "compaction" }]);
    const goesOn = { ...unknown, input: [asks, ...items] };
    await ask({ ...goesOn, model: "claude-haiku-4-5" });
    expect(JSON.stringify(bodySeen(gateway.anthropic).messages)).toContain("Hello was said.");
    answerInTurn(gateway.openai, scriptOf([answer]));
    expect(itemsIn((await ask(goesOn)).text)).toEqual([answer]);
    expect(JSON.stringify(bodySeen(gateway.openai).input)).toContain("Hello was said.");
    expect(await traceOf(gateway.call, compacted.requestId)).toMatchObject({
      output_text: "Hello was said.",
      usage: { prompt_tokens: 1000, completion_tokens: 200 },
    });
  });

  const sealed = { id: "cmp_1", type: "compaction", encrypted_content: "gAAA-2" };

  it("is OpenAI's own for its models", async () => {
    answerInTurn(gateway.openai, scriptOf([sealed]));
    expect(itemsIn((await ask(triggered)).text)).toEqual([sealed]);
    expect(bodySeen(gateway.openai)).toEqual(triggered);
  });

  const compact = (body: object) => gateway.call("/v1/responses/compact", { body });

  it("is asked for by itself too, and gives what to go on from", async () => {
    answerInTurn(gateway.anthropic, messageReply([{ type: "text", text: "Hello was said." }]));
    const said = { type: "message", role: "assistant", content: "Hello!" };
    const untyped = { role: "user", content: "Go on" };
    const { model: _model, stream: _stream, ...body } = { ...unknown, input: [asks, said, untyped] };
    const compacted = (await compact({ ...body, model: "claude-haiku-4-5" })).json();
    expect(compacted).toMatchObject({
      object: "response.compaction",
      model: "claude-haiku-4-5",
      output: [asks, { type: "message", ...untyped }, { type: "compaction" }],
      usage: { input_tokens: 1000, output_tokens: 200 },
    });
    const response = {
      id: "resp_1",
      object: "response",
      created_at: 1,
      status: "completed",
      output: [sealed],
    };
    const usage = { input_tokens: 1000, output_tokens: 50, total_tokens: 1050 };
    answerInTurn(gateway.openai, jsonReply({ ...response, model: "gpt-5.6-luna", usage }));
    const own = (await compact({ model: "gpt-5.6-luna", input: "Hi", instructions: "Be brief." })).json();
    expect(own).toMatchObject({
      object: "response.compaction",
      output: [{ role: "user", content: "Hi" }, sealed],
      usage: { input_tokens: 1000, total_cost_usd: expect.any(Number) },
    });
    expect(bodySeen(gateway.openai).input).toEqual([
      { type: "message", role: "user", content: "Hi" },
      { type: "compaction_trigger" },
    ]);
  });

  it("is refused without anything to compact, and fails without a summary", async () => {
    const empty = await compact({ model: "claude-haiku-4-5" });
    expect([empty.status, empty.json().error.param]).toEqual([400, "input"]);
    const streamed = await compact({ model: "claude-haiku-4-5", input: "Hi", stream: true });
    expect([streamed.status, streamed.json().error.param]).toEqual([400, "stream"]);
    answerInTurn(gateway.anthropic, messageReply([{ type: "text", text: "Hello" }], "max_tokens"));
    const cut = await compact({ model: "claude-haiku-4-5", input: "Hi" });
    expect([cut.status, cut.json().error.code]).toEqual([502, "upstream_error"]);
  });
});
