/** Loops of tools over several turns, by clients as they are, on an OpenAI that has OpenAI's rules. */
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { Agent, tool as agentTool, OpenAIProvider, Runner } from "@openai/agents";
import { generateText, type ModelMessage, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import { FakeVendor } from "../../fakes/vendors/vendor-server.js";
import { answerInTurn, chatReply, type Gateway, KEY, messageReply, startGateway } from "./gateway.js";

let gateway: Gateway;
let upstream: FakeVendor;
beforeAll(async () => {
  gateway = await startGateway({});
});
afterAll(() => gateway.stop());
beforeEach(() => {
  upstream = new FakeVendor("openai");
  gateway.openai.answer(upstream.script);
});

const MODELS = ["gpt-5.6-luna", "gpt-5.4", "gpt-5-pro", "gpt-4.1"];
const baseURL = () => `${gateway.address}/v1`;
const ask = "What is the weather in Oslo?";

/** What came of each request: which items it had, with `sealed` for reasoning that could be read. */
const sent = () =>
  upstream.asked.map(({ input }) => (input as readonly JsonObject[]).map(({ type, role }) => role ?? type));
const reasons = (model: string) => (model === "gpt-4.1" ? [] : ["reasoning"]);

function expectNothingStored() {
  expect(upstream.asked.every(({ store }) => store === false)).toBe(true);
}

const functionTool = {
  type: "function",
  function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
} as const;

describe.each(MODELS)("With %s,", (model) => {
  it.each([false, true])("chat completions carry reasoning through a loop (streamed: %s)", async (stream) => {
    const client = new OpenAI({ baseURL: baseURL(), apiKey: KEY, maxRetries: 0 });
    const effort = model === "gpt-5.4" ? { reasoning_effort: "high" as const } : {};
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: ask }];
    for (let turn = 0; turn < 2; turn++) {
      const body = { model, messages, tools: [functionTool], ...effort };
      const message = stream
        ? await assembled(await client.chat.completions.create({ ...body, stream: true }))
        : (await client.chat.completions.create(body)).choices[0]?.message;
      if (message === undefined) throw new Error("no message");
      messages.push(message);
      for (const call of message.tool_calls ?? [])
        messages.push({ role: "tool", tool_call_id: call.id, content: "3 °C" });
    }
    expect(messages.at(-1)?.content).toBe("It is 3 °C.");
    expect(sent()).toEqual([["user"], ["user", ...reasons(model), "function_call", "function_call_output"]]);
    expect(upstream.asked[1]?.reasoning).toEqual(model === "gpt-5.4" ? { effort: "high" } : undefined);
    expectNothingStored();
  });

  it("Anthropic's messages carry reasoning through a loop, and a client that drops it goes on", async () => {
    const client = new Anthropic({ baseURL: gateway.address, apiKey: KEY, maxRetries: 0 });
    const tools = [{ name: "weather", input_schema: { type: "object" as const } }];
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: ask }];
    const first = await client.messages.create({ model, max_tokens: 100, messages, tools });
    const use = first.content.find((block) => block.type === "tool_use");
    const result = { type: "tool_result" as const, tool_use_id: use?.id ?? "", content: "3 °C" };
    for (const content of [first.content, first.content.filter(({ type }) => type === "tool_use")]) {
      const next: Anthropic.MessageParam[] = [
        ...messages,
        { role: "assistant", content },
        { role: "user", content: [result] },
      ];
      const second = await client.messages.create({ model, max_tokens: 100, messages: next, tools });
      expect(second.content.at(-1)).toMatchObject({ type: "text", text: "It is 3 °C." });
    }
    expect(sent().slice(1)).toEqual([
      ["user", ...reasons(model), "function_call", "function_call_output"],
      ["user", "function_call", "function_call_output"],
    ]);
    expectNothingStored();
  });

  it.each(["generateText", "streamText"])(
    "AI SDK's default runs a loop and a second turn (%s)",
    async (way) => {
      const openai = createOpenAI({ baseURL: baseURL(), apiKey: KEY });
      const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async () => "3 °C" });
      const messages: ModelMessage[] = [{ role: "user", content: ask }];
      for (const more of ["And now?", ""]) {
        const options = {
          model: openai(model),
          messages,
          tools: { weather },
          stopWhen: stepCountIs(3),
          maxRetries: 0,
        };
        const result = way === "generateText" ? await generateText(options) : streamText(options);
        expect(await result.text).toBe("It is 3 °C.");
        messages.push(...(await result.response).messages, { role: "user", content: more });
      }
      const carried = upstream.asked[1]?.input as readonly JsonObject[];
      expect(carried.filter(({ type }) => type === "reasoning")).toHaveLength(reasons(model).length);
      expect(upstream.asked).toHaveLength(4);
      expectNothingStored();
    },
  );

  it.each([false, true])(
    "Agents SDK runs a loop and goes on with its history (streamed: %s)",
    async (stream) => {
      const runner = new Runner({
        modelProvider: new OpenAIProvider({ baseURL: baseURL(), apiKey: KEY }),
        tracingDisabled: true,
      });
      const weather = agentTool({
        name: "weather",
        description: "The weather",
        parameters: z.object({ city: z.string() }),
        execute: async () => "3 °C",
      });
      const agent = new Agent({ name: "Weather", instructions: "Be brief.", model, tools: [weather] });
      const run = async (input: Parameters<typeof runner.run>[1]) => {
        if (!stream) return runner.run(agent, input as string);
        const streamed = await runner.run(agent, input as string, { stream: true });
        for await (const _ of streamed);
        await streamed.completed;
        return streamed;
      };
      const first = await run(ask);
      expect(first.finalOutput).toBe("It is 3 °C.");
      const second = await run([...first.history, { role: "user", content: "And now?" }] as never);
      expect(second.finalOutput).toBe("It is 3 °C.");
      expect(upstream.asked).toHaveLength(4);
      expectNothingStored();
    },
  );
});

/** A streamed message put together as clients do that keep every member of a delta. */
async function assembled(
  stream: AsyncIterable<OpenAI.ChatCompletionChunk>,
): Promise<OpenAI.ChatCompletionMessage & Record<string, unknown>> {
  const message = { role: "assistant" as const, content: "", refusal: null, tool_calls: [] as never[] };
  const calls: { id: string; type: "function"; function: { name: string; arguments: string } }[] = [];
  const details: unknown[] = [];
  for await (const { choices } of stream) {
    const delta = choices[0]?.delta as
      | (OpenAI.ChatCompletionChunk.Choice.Delta & { reasoning_details?: unknown[] })
      | undefined;
    message.content += delta?.content ?? "";
    details.push(...(delta?.reasoning_details ?? []));
    for (const { index, id = "", function: called } of delta?.tool_calls ?? []) {
      calls[index] ??= { id, type: "function", function: { name: called?.name ?? "", arguments: "" } };
      calls[index].function.arguments += called?.arguments ?? "";
    }
  }
  return {
    ...message,
    tool_calls: calls.length === 0 ? undefined : calls,
    ...(details.length === 0 ? {} : { reasoning_details: details }),
  } as never;
}

describe("AI SDK's default, which refers to items by their ids,", () => {
  it("goes on with Claude, and gives its signed thinking back", async () => {
    const thinking = { type: "thinking", thinking: "Hm.", signature: "Erc2ln" };
    const text = { type: "text", text: "It is 3 °C." };
    answerInTurn(gateway.anthropic, messageReply([thinking, text]), messageReply([text]));
    const openai = createOpenAI({ baseURL: baseURL(), apiKey: KEY });
    const model = openai("claude-haiku-4-5-20251001");
    const messages: ModelMessage[] = [{ role: "user", content: ask }];
    const { response } = await generateText({ model, messages });
    messages.push(...response.messages, { role: "user", content: "Sure?" });
    expect((await generateText({ model, messages })).text).toBe("It is 3 °C.");
    const body = JSON.parse(gateway.anthropic.lastRequest.body);
    expect(body.messages[1]).toMatchObject({ role: "assistant", content: [thinking, text] });
  });
});

describe("With `auto` among OpenAI's models,", () => {
  const router = { models: ["gpt-5.6-luna", "gpt-5.6-sol"], sticky: true };
  const withRouter: typeof fetch = (url, init) =>
    fetch(url, { ...init, body: JSON.stringify({ ...JSON.parse(String(init?.body)), router }) });

  it("chat completions carry reasoning through a loop", async () => {
    const client = new OpenAI({ baseURL: baseURL(), apiKey: KEY, maxRetries: 0, fetch: withRouter });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: ask }];
    for (let turn = 0; turn < 2; turn++) {
      const { choices } = await client.chat.completions.create({
        model: "auto",
        messages,
        tools: [functionTool],
      });
      const message = choices[0]?.message;
      if (message === undefined) throw new Error("no message");
      messages.push(message);
      for (const call of message.tool_calls ?? [])
        messages.push({ role: "tool", tool_call_id: call.id, content: "3 °C" });
    }
    expect(messages.at(-1)?.content).toBe("It is 3 °C.");
    expect(sent()[1]).toEqual(["user", "reasoning", "function_call", "function_call_output"]);
    expectNothingStored();
  });

  it("AI SDK's default runs a loop and a second turn", async () => {
    const openai = createOpenAI({ baseURL: baseURL(), apiKey: KEY, fetch: withRouter });
    const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async () => "3 °C" });
    const messages: ModelMessage[] = [{ role: "user", content: ask }];
    for (const more of ["And now?", ""]) {
      const stopWhen = stepCountIs(3);
      const result = await generateText({
        model: openai("auto"),
        messages,
        tools: { weather },
        stopWhen,
        maxRetries: 0,
      });
      expect(result.text).toBe("It is 3 °C.");
      messages.push(...result.response.messages, { role: "user", content: more });
    }
    expect(upstream.asked).toHaveLength(4);
    expectNothingStored();
  });
});

describe("On Gemini, AI SDK's default", () => {
  it("runs a loop and a second turn", async () => {
    const extra_content = { google: { thought_signature: "c2ln" } };
    const called = {
      ...{ id: "call_1", type: "function", extra_content },
      function: { name: "weather", arguments: '{"city":"Oslo"}' },
    };
    const saying = chatReply({ content: "It is 3 °C." });
    answerInTurn(
      gateway.google,
      chatReply({ content: null, tool_calls: [called] }, "tool_calls"),
      saying,
      saying,
    );
    const openai = createOpenAI({ baseURL: baseURL(), apiKey: KEY });
    const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async () => "3 °C" });
    const messages: ModelMessage[] = [{ role: "user", content: ask }];
    for (const more of ["And now?", ""]) {
      const model = openai("gemini-2.5-flash");
      const stopWhen = stepCountIs(3);
      const result = await generateText({ model, messages, tools: { weather }, stopWhen, maxRetries: 0 });
      expect(result.text).toBe("It is 3 °C.");
      messages.push(...result.response.messages, { role: "user", content: more });
    }
    const { messages: last } = JSON.parse(gateway.google.lastRequest.body);
    expect(last.map(({ role }: JsonObject) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });
});

it("Text completions reach a model that only Responses serve", async () => {
  const client = new OpenAI({ baseURL: baseURL(), apiKey: KEY, maxRetries: 0 });
  const { choices, usage } = await client.completions.create({ model: "gpt-5-pro", prompt: ask });
  expect([choices[0]?.text, usage?.total_tokens]).toEqual(["It is 3 °C.", 1200]);
  expect(upstream.asked[0]).toMatchObject({ model: "gpt-5-pro", max_output_tokens: 1024, store: false });
});
