/** Reasoning that providers send apart from the answer is in the trace, whatever API the provider and the client speak. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventReply, jsonReply, type Script, type UpstreamServer } from "../fakes/upstream-server.js";
import {
  chatReply,
  chatStream,
  type Gateway,
  KEY,
  messageReply,
  messageStream,
  startGateway,
} from "./clients/gateway.js";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const REASONING = "They ask for a sum.";
const [BEGINNING, REST] = [REASONING.slice(0, 5), REASONING.slice(5)];

const thought = { extra_content: { google: { thought: true } } };

/** How a provider answers, whole and streamed. */
interface Answers {
  readonly whole: Script;
  readonly streamed: Script;
}

const asChat = (member: "reasoning" | "reasoning_content"): Answers => ({
  whole: chatReply({ [member]: REASONING, content: "4" }),
  streamed: chatStream([{ role: "assistant", [member]: BEGINNING }, { [member]: REST }, { content: "4" }]),
});

const AS_MISTRAL: Answers = {
  whole: chatReply({ content: [...thinkingPart(REASONING), { type: "text", text: "4" }] }),
  streamed: chatStream([
    { role: "assistant", content: thinkingPart(BEGINNING) },
    { content: thinkingPart(REST) },
    { content: "4" },
  ]),
};

function thinkingPart(text: string): readonly object[] {
  return [{ type: "thinking", thinking: [{ type: "text", text }] }];
}

const AS_GEMINI: Answers = {
  whole: chatReply({ content: `<thought>${REASONING}</thought>4`, ...thought }),
  streamed: chatStream([
    { role: "assistant", content: `<thought>${BEGINNING}`, ...thought },
    { content: REST, ...thought },
    { content: "</thought>4" },
  ]),
};

const AS_CLAUDE: Answers = {
  whole: messageReply([
    { type: "thinking", thinking: REASONING, signature: "c2ln" },
    { type: "text", text: "4" },
  ]),
  streamed: messageStream([
    {
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        { type: "thinking_delta", thinking: BEGINNING },
        { type: "thinking_delta", thinking: REST },
        { type: "signature_delta", signature: "c2ln" },
      ],
    },
    { start: { type: "text", text: "" }, deltas: [{ type: "text_delta", text: "4" }] },
  ]),
};

const response = {
  id: "resp_1",
  object: "response",
  status: "completed",
  output: [
    { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: REASONING }] },
    { id: "msg_1", type: "message", role: "assistant", content: [{ type: "output_text", text: "4" }] },
  ],
  usage: { input_tokens: 9, output_tokens: 5 },
};
const responseEvent = (body: { readonly type: string }) =>
  `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;
const summaryDelta = (delta: string) =>
  responseEvent({
    type: "response.reasoning_summary_text.delta",
    ...{ output_index: 0, summary_index: 0, delta },
  });

const AS_RESPONSES: Answers = {
  whole: jsonReply(response),
  streamed: eventReply([
    summaryDelta(BEGINNING),
    summaryDelta(REST),
    responseEvent({ type: "response.output_text.delta", ...{ output_index: 1, delta: "4" } }),
    responseEvent({ type: "response.completed", ...{ response } }),
  ]),
};

const [GPT, CLAUDE, GEMINI] = ["gpt-4o-mini", "claude-haiku-4-5-20251001", "gemini-2.5-flash"];

type Provider = "openai" | "anthropic" | "google";

const PROVIDERS: readonly (readonly [string, Provider, string, Answers])[] = [
  ["`reasoning_content` of chat completions", "openai", GPT, asChat("reasoning_content")],
  ["`reasoning` of chat completions", "openai", GPT, asChat("reasoning")],
  ["Mistral's content parts", "openai", GPT, AS_MISTRAL],
  ["Gemini's thoughts", "google", GEMINI, AS_GEMINI],
  ["Anthropic's thinking", "anthropic", CLAUDE, AS_CLAUDE],
];

const user = [{ role: "user", content: "What is 2 + 2?" }];
const CLIENTS: readonly (readonly [string, string, object])[] = [
  ["chat completions", "/v1/chat/completions", { messages: user }],
  ["Messages", "/v1/messages", { messages: user, max_tokens: 100 }],
  ["Responses", "/v1/responses", { input: "What is 2 + 2?" }],
];

async function ask(path: string, body: object, from = gateway): Promise<Record<string, unknown>> {
  const headers = { "x-api-key": KEY, "content-type": "application/json" };
  const reply = await fetch(`${from.address}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  expect(await reply.text()).toContain("4");
  const id = reply.headers.get("x-request-id");
  let trace: Record<string, unknown> = {};
  await expect
    .poll(async () => {
      const found = await fetch(`${from.address}/v1/traces/${id}`, { headers });
      trace = (await found.json()) as Record<string, unknown>;
      return found.status;
    })
    .toBe(200);
  return trace;
}

const upstreamOf = (provider: Provider): UpstreamServer => gateway[provider];

describe.each(PROVIDERS)("%s", (_, provider, model, answers) => {
  const cases = CLIENTS.flatMap(([client, path, body]) =>
    [false, true].map((stream) => [client, stream, path, body] as const),
  );
  it.each(cases)("is in the trace of a request of %s (streamed: %s)", async (_client, stream, path, body) => {
    upstreamOf(provider).answer(stream ? answers.streamed : answers.whole);
    expect(await ask(path, { ...body, model, stream })).toMatchObject({
      status: "success",
      output_text: "4",
      reasoning_text: REASONING,
    });
  });
});

describe("The summary of a response that OpenAI answers itself", () => {
  let whole: Gateway;
  beforeAll(async () => {
    whole = await startGateway({});
  });
  afterAll(() => whole.stop());

  it.each([false, true])("is in the trace (streamed: %s)", async (stream) => {
    whole.openai.answer(stream ? AS_RESPONSES.streamed : AS_RESPONSES.whole);
    const reasoning = { summary: "auto" };
    const trace = await ask(
      "/v1/responses",
      { model: GPT, input: "What is 2 + 2?", reasoning, stream },
      whole,
    );
    expect(whole.openai.lastRequest.path).toBe("/v1/responses");
    expect(trace).toMatchObject({ status: "success", output_text: "4", reasoning_text: REASONING });
  });
});

it("The trace of an answer without reasoning has none", async () => {
  gateway.openai.answer(chatReply({ content: "4" }));
  const trace = await ask("/v1/chat/completions", { model: GPT, messages: user });
  expect(trace).toMatchObject({ output_text: "4" });
  expect(trace).not.toHaveProperty("reasoning_text");
});
