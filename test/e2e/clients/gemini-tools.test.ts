/** Loops of tools on Gemini, which refuses calls that come back without their thought signature. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { generateText, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  answerInTurn,
  bodySeen,
  chatReply,
  chatStream,
  type Gateway,
  KEY,
  messageReply,
  startGateway,
} from "./gateway.js";
import { OSLO_AND_ROME } from "./tool-answers.js";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());

const model = "gemini-3-flash";
const question = { role: "user" as const, content: "What is the weather in Oslo and in Rome?" };
const parameters = { type: "object" as const, properties: { city: { type: "string" } } };

/** As Google's OpenAI-compatible API signs parallel calls: the first. */
const [oslo, rome] = OSLO_AND_ROME;
const signature = { google: { thought_signature: "c2lnbmVkIGJ5IEdlbWluaQ==" } };
const signedCalls = [{ ...oslo, extra_content: signature }, rome];
const called = chatReply({ content: null, tool_calls: signedCalls }, "tool_calls");
const calledInStream = chatStream(
  [{ role: "assistant", tool_calls: signedCalls.map((call, index) => ({ index, ...call })) }],
  "tool_calls",
);
const cold = chatReply({ content: "Cold." });
const coldInStream = chatStream([{ role: "assistant", content: "Cold." }]);

/** The calls that Gemini was sent back. */
const callsSeen = () => {
  const { messages } = bodySeen(gateway.google) as { messages: { role: string; tool_calls?: unknown }[] };
  return messages.find(({ role }) => role === "assistant")?.tool_calls;
};
const SIGNED = [{ id: "call_1", extra_content: signature }, { id: "call_2" }];

describe("The signature of Gemini's calls is returned to it by", () => {
  const openai = () => new OpenAI({ baseURL: `${gateway.address}/v1`, apiKey: KEY, maxRetries: 0 });
  const anthropic = () => new Anthropic({ baseURL: gateway.address, apiKey: KEY, maxRetries: 0 });
  const results = OSLO_AND_ROME.map(({ id }) => ({ id, content: "3 °C" }));

  it.each([false, true])("the openai package, in chat completions (streamed: %s)", async (streamed) => {
    answerInTurn(gateway.google, streamed ? calledInStream : called, cold);
    const { chat } = openai();
    const tools = [{ type: "function" as const, function: { name: "weather", parameters } }];
    const ask = { model, messages: [question], tools };
    const { choices } = streamed
      ? await chat.completions.stream(ask).finalChatCompletion()
      : await chat.completions.create(ask);
    const said = choices[0]?.message as OpenAI.Chat.ChatCompletionAssistantMessageParam;
    const told = results.map(({ id, content }) => ({ role: "tool" as const, tool_call_id: id, content }));
    await chat.completions.create({ ...ask, messages: [question, said, ...told] });
    expect(callsSeen()).toMatchObject(SIGNED);
  });

  it.each([false, true])("the openai package, in Responses (streamed: %s)", async (streamed) => {
    answerInTurn(gateway.google, streamed ? calledInStream : called, cold);
    const { responses } = openai();
    const tools = [{ type: "function" as const, name: "weather", parameters, strict: false }];
    const ask = { model, input: [question], tools, store: false };
    const { output } = streamed ? await responses.stream(ask).finalResponse() : await responses.create(ask);
    const said = output as OpenAI.Responses.ResponseInputItem[];
    const told = results.map(({ id, content }) => ({
      type: "function_call_output" as const,
      call_id: id,
      output: content,
    }));
    await responses.create({ ...ask, input: [question, ...said, ...told] });
    expect(callsSeen()).toMatchObject(SIGNED);
  });

  it.each([false, true])("Anthropic's SDK (streamed: %s)", async (streamed) => {
    answerInTurn(gateway.google, streamed ? calledInStream : called, cold);
    const { messages } = anthropic();
    const tools = [{ name: "weather", input_schema: parameters }];
    const ask = { model, max_tokens: 100, messages: [question], tools };
    const { content } = streamed ? await messages.stream(ask).finalMessage() : await messages.create(ask);
    const told = results.map(({ id, content }) => ({
      type: "tool_result" as const,
      tool_use_id: id,
      content,
    }));
    await messages.create({
      ...ask,
      messages: [question, { role: "assistant", content }, { role: "user", content: told }],
    });
    expect(callsSeen()).toMatchObject(SIGNED);
  });

  it.each([false, true])("the AI SDK's OpenAI-compatible provider (streamed: %s)", async (streamed) => {
    answerInTurn(gateway.google, streamed ? calledInStream : called, streamed ? coldInStream : cold);
    const provider = createOpenAICompatible({
      // The SDK looks for the signature under this name alone.
      name: "google",
      baseURL: `${gateway.address}/v1`,
      apiKey: KEY,
    });
    const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async () => "3 °C" });
    const ask = {
      model: provider(model),
      prompt: question.content,
      tools: { weather },
      stopWhen: stepCountIs(2),
    };
    const text = streamed ? await streamText(ask).text : (await generateText(ask)).text;
    expect(text).toBe("Cold.");
    expect(callsSeen()).toMatchObject(SIGNED);
  });
});

it("Calls of another model are sent to Gemini with Google's placeholder signature", async () => {
  gateway.google.answer(cold);
  const client = new Anthropic({ baseURL: gateway.address, apiKey: KEY, maxRetries: 0 });
  const use = { type: "tool_use" as const, id: "toolu_1", name: "weather", input: { city: "Oslo" } };
  const result = { type: "tool_result" as const, tool_use_id: "toolu_1", content: "3 °C" };
  await client.messages.create({
    model,
    max_tokens: 100,
    messages: [question, { role: "assistant", content: [use] }, { role: "user", content: [result] }],
  });
  expect(callsSeen()).toMatchObject([
    { id: "toolu_1", extra_content: { google: { thought_signature: "skip_thought_signature_validator" } } },
  ]);
});

it("Gemini's calls are sent to other vendors without signatures", async () => {
  const client = new Anthropic({ baseURL: gateway.address, apiKey: KEY, maxRetries: 0 });
  const use = {
    type: "tool_use" as const,
    id: "call_1",
    name: "weather",
    input: { city: "Oslo" },
    extra_content: signature,
  };
  const result = { type: "tool_result" as const, tool_use_id: "call_1", content: "3 °C" };
  const messages: Anthropic.MessageParam[] = [
    question,
    { role: "assistant", content: [use] },
    { role: "user", content: [result] },
  ];
  gateway.openai.answer(cold);
  await client.messages.create({ model: "gpt-4o-mini", max_tokens: 100, messages });
  expect(JSON.stringify(bodySeen(gateway.openai).messages)).not.toContain("extra_content");
  gateway.anthropic.answer(messageReply([{ type: "text", text: "Cold." }]));
  await client.messages.create({ model: "claude-haiku-4-5", max_tokens: 100, messages });
  expect(JSON.stringify(bodySeen(gateway.anthropic).messages)).not.toContain("extra_content");
});
