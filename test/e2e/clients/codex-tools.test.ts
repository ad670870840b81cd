/**
 * What Codex CLI 0.169.0 sends for GPT-5.6, as seen on 2026-11-25: no `tools`, but an input item `additional_tools` with a namespace, whose
 * `exec` is a custom tool with a grammar; the call is then sent back beside the encrypted reasoning.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventReply } from "../../fakes/upstream-server.js";
import { answerInTurn, bodySeen } from "../replies.js";
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
const itemsIn = (stream: string) =>
  stream
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)))
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

  it("are refused by name for a model of another vendor", async () => {
    const refused = await ask({ ...first, model: "claude-haiku-4-5", stream: false });
    expect(refused.status).toBe(400);
    expect(refused.json()).toMatchObject({
      error: { code: "invalid_request", message: expect.stringContaining("additional_tools") },
    });
    expect(gateway.anthropic.requests).toEqual([]);
  });
});
