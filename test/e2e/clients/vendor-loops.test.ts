/** Loops of tools and the turn after, by clients as they are, on a model of every vendor that refuses what the vendor refuses. */
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { generateText, type ModelMessage, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  VENDOR_GATEWAY_KEY as KEY,
  startVendorGateway,
  type VendorGateway,
} from "../../fakes/vendors/vendor-gateway.js";
import { brokenRules, VENDOR_MODELS } from "./at-vendors.js";

let gateway: VendorGateway;
beforeAll(async () => {
  gateway = await startVendorGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  for (const { calls } of gateway.servers) calls.length = 0;
});

const question = { role: "user" as const, content: "What is the weather in Oslo?" };
const next = { role: "user" as const, content: "And now?" };
const parameters = {
  ...{ type: "object" as const, properties: { city: { type: "string" } } },
  ...{ required: ["city"], additionalProperties: false },
};
const ANSWER = "It is 3 °C.";

/** How many calls were answered; those that were refused were repaired. */
function answers(): number {
  expect(brokenRules(gateway)).toEqual([]);
  return gateway.servers.flatMap(({ calls }) => calls.filter((call) => call === null)).length;
}

const openai = () => new OpenAI({ baseURL: `${gateway.address}/v1`, apiKey: KEY, maxRetries: 0 });

describe.each(VENDOR_MODELS)("With %s,", (model) => {
  it.each([false, true])("the openai package in chat completions (streamed: %s)", async (streamed) => {
    const { chat } = openai();
    const tools = [{ type: "function" as const, function: { name: "weather", parameters } }];
    const messages: OpenAI.ChatCompletionMessageParam[] = [question];
    for (let turn = 0; turn < 3; turn++) {
      const ask = { model, messages, tools, max_completion_tokens: 500 };
      const { choices } = streamed
        ? await chat.completions.stream(ask).finalChatCompletion()
        : await chat.completions.create(ask);
      const message = choices[0]?.message;
      if (message === undefined) throw new Error("no message");
      messages.push(message);
      for (const { id } of message.tool_calls ?? [])
        messages.push({ role: "tool", tool_call_id: id, content: "3 °C" });
      if (turn === 1) expect(message.content).toBe(ANSWER);
      if (turn === 1) messages.push(next);
    }
    expect(answers()).toBe(3);
  });

  it.each([false, true])("the openai package in Responses (streamed: %s)", async (streamed) => {
    const { responses } = openai();
    const tools = [{ type: "function" as const, name: "weather", parameters, strict: false }];
    const input: OpenAI.Responses.ResponseInputItem[] = [
      { role: "developer", content: "Be brief." },
      question,
    ];
    for (let turn = 0; turn < 3; turn++) {
      const ask = { model, input, tools, store: false, reasoning: { effort: "low" as const } };
      const said = streamed ? await responses.stream(ask).finalResponse() : await responses.create(ask);
      input.push(...(said.output as OpenAI.Responses.ResponseInputItem[]));
      for (const item of said.output)
        if (item.type === "function_call")
          input.push({ type: "function_call_output", call_id: item.call_id, output: "3 °C" });
      if (turn === 1) expect(said.output_text).toBe(ANSWER);
      if (turn === 1) input.push(next);
    }
    expect(answers()).toBe(3);
  });

  it.each([false, true])("Anthropic's package, thinking (streamed: %s)", async (streamed) => {
    const client = new Anthropic({ baseURL: gateway.address, apiKey: KEY, maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [question];
    const thinking = model.includes("claude-opus")
      ? { type: "adaptive" as const }
      : { type: "enabled" as const, budget_tokens: 2000 };
    for (let turn = 0; turn < 3; turn++) {
      const ask = {
        ...{ model, max_tokens: 4000, messages, thinking, system: "Be brief." },
        tools: [{ name: "weather", input_schema: parameters }],
      };
      const said = streamed
        ? await client.messages.stream(ask).finalMessage()
        : await client.messages.create(ask);
      messages.push({ role: "assistant", content: said.content });
      const results = said.content
        .filter((block) => block.type === "tool_use")
        .map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: "3 °C" }));
      if (results.length > 0) messages.push({ role: "user", content: results });
      if (turn === 1) expect(said.content.at(-1)).toMatchObject({ type: "text", text: ANSWER });
      if (turn === 1) messages.push(next);
    }
    expect(answers()).toBe(3);
  });

  it.each(["generateText", "streamText"])("AI SDK's default (%s)", async (way) => {
    const provider = createOpenAI({ baseURL: `${gateway.address}/v1`, apiKey: KEY });
    const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async () => "3 °C" });
    const messages: ModelMessage[] = [question];
    for (const more of [next, question]) {
      const options = {
        ...{ model: provider(model), messages, tools: { weather }, stopWhen: stepCountIs(3), maxRetries: 0 },
      };
      const result = way === "generateText" ? await generateText(options) : streamText(options);
      expect(await result.text).toBe(ANSWER);
      messages.push(...(await result.response).messages, more);
    }
    expect(answers()).toBe(4);
  });
});
