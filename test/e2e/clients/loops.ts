/** Two turns with a loop of tools in each, by clients as they are published. Each takes four calls of a model. */
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { Agent, tool as agentTool, OpenAIProvider, Runner } from "@openai/agents";
import { generateText, type LanguageModel, type ModelMessage, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai-7";
import { expect } from "vitest";
import { z } from "zod";
import { KEY } from "../../gateway/server.js";

/** What models say once they know what the tool returned. */
const ANSWER = "It is 3 °C.";
const RESULT = "3 °C";
const QUESTION = { role: "user" as const, content: "What is the weather in Oslo?" };
const NEXT = { role: "user" as const, content: "And now?" };
export const parameters = {
  type: "object" as const,
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

export interface LoopOptions {
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  readonly model: string;
  readonly streamed: boolean;
  readonly fetch?: typeof globalThis.fetch;
  /** Called between the two turns. */
  readonly nextTurn?: () => void;
}

type Loop = (options: LoopOptions) => Promise<void>;

const clientOptions = ({ address, fetch = globalThis.fetch }: LoopOptions) => ({
  baseURL: `${address}/v1`,
  apiKey: KEY,
  maxRetries: 0,
  fetch,
});

const inChat: Loop = async (options) => {
  const { chat } = new OpenAI(clientOptions(options));
  const tools = [{ type: "function" as const, function: { name: "weather", parameters } }];
  const messages: OpenAI.ChatCompletionMessageParam[] = [QUESTION];
  for (let call = 0; call < 4; call++) {
    const ask = { model: options.model, messages, tools, max_completion_tokens: 500 };
    const { choices } = options.streamed
      ? await chat.completions.stream(ask).finalChatCompletion()
      : await chat.completions.create(ask);
    const message = choices[0]?.message;
    if (message === undefined) throw new Error("no message");
    messages.push(message);
    for (const { id } of message.tool_calls ?? [])
      messages.push({ role: "tool", tool_call_id: id, content: RESULT });
    if (call % 2 === 0) continue;
    expect(message.content).toBe(ANSWER);
    messages.push(NEXT);
    options.nextTurn?.();
  }
};

const inResponses: Loop = async (options) => {
  const { responses } = new OpenAI(clientOptions(options));
  const tools = [{ type: "function" as const, name: "weather", parameters, strict: false }];
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "developer", content: "Be brief." }, QUESTION];
  for (let call = 0; call < 4; call++) {
    const ask = {
      model: options.model,
      input,
      tools,
      store: false,
      reasoning: { effort: "low" as const },
    };
    const said = options.streamed ? await responses.stream(ask).finalResponse() : await responses.create(ask);
    input.push(...(said.output as OpenAI.Responses.ResponseInputItem[]));
    for (const item of said.output)
      if (item.type === "function_call")
        input.push({ type: "function_call_output", call_id: item.call_id, output: RESULT });
    if (call % 2 === 0) continue;
    expect(said.output_text).toBe(ANSWER);
    input.push(NEXT);
    options.nextTurn?.();
  }
};

const inMessages: Loop = async (options) => {
  const { model, address } = options;
  const { messages: api } = new Anthropic({ ...clientOptions(options), baseURL: address });
  const tools = [{ name: "weather", input_schema: parameters }];
  const thinking = model.includes("claude-opus")
    ? { type: "adaptive" as const }
    : { type: "enabled" as const, budget_tokens: 2000 };
  const messages: Anthropic.MessageParam[] = [QUESTION];
  for (let call = 0; call < 4; call++) {
    const ask = { model, max_tokens: 4000, messages, thinking, system: "Be brief.", tools };
    const { content } = options.streamed ? await api.stream(ask).finalMessage() : await api.create(ask);
    messages.push({ role: "assistant", content });
    const called = content.filter((block) => block.type === "tool_use");
    const results = called.map(({ id: tool_use_id }) => ({
      type: "tool_result" as const,
      tool_use_id,
      content: RESULT,
    }));
    if (results.length > 0) messages.push({ role: "user", content: results });
    if (call % 2 === 0) continue;
    expect(content.at(-1)).toMatchObject({ type: "text", text: ANSWER });
    messages.push(NEXT);
    options.nextTurn?.();
  }
};

async function byAiSdk(model: LanguageModel, { streamed, nextTurn }: LoopOptions): Promise<void> {
  const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async () => RESULT });
  const messages: ModelMessage[] = [QUESTION];
  for (let turn = 0; turn < 2; turn++) {
    const ask = { model, messages, tools: { weather }, stopWhen: stepCountIs(3), maxRetries: 0 };
    const result = streamed ? streamText(ask) : await generateText(ask);
    expect(await result.text).toBe(ANSWER);
    messages.push(...(await result.response).messages, NEXT);
    nextTurn?.();
  }
}

async function byAgents(options: LoopOptions, { useResponses }: { useResponses: boolean }): Promise<void> {
  const { model, streamed, nextTurn } = options;
  const openAIClient = new OpenAI(clientOptions(options));
  const modelProvider = new OpenAIProvider({ openAIClient, useResponses });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const weather = agentTool({
    name: "weather",
    description: "The weather",
    parameters: z.object({ city: z.string() }),
    execute: async () => RESULT,
  });
  const modelSettings = { reasoning: { effort: "high" as const } };
  const agent = new Agent({ name: "W", instructions: "Be brief.", model, tools: [weather], modelSettings });
  const run = async (input: Parameters<typeof runner.run>[1]) => {
    if (!streamed) return runner.run(agent, input as string);
    const stream = await runner.run(agent, input as string, { stream: true });
    for await (const _ of stream);
    await stream.completed;
    return stream;
  };
  const first = await run(QUESTION.content);
  nextTurn?.();
  const second = await run([...first.history, NEXT] as never);
  expect([first.finalOutput, second.finalOutput]).toEqual([ANSWER, ANSWER]);
}

export const LOOPS = {
  "the openai package in chat completions": inChat,
  "the openai package in Responses": inResponses,
  "Anthropic's package": inMessages,
  "AI SDK's default": (options) => byAiSdk(createOpenAI(clientOptions(options))(options.model), options),
  // The SDK looks for Gemini's signatures under this name alone.
  "AI SDK's OpenAI-compatible provider": (options) =>
    byAiSdk(createOpenAICompatible({ name: "google", ...clientOptions(options) })(options.model), options),
  "Agents SDK": (options) => byAgents(options, { useResponses: true }),
  "Agents SDK in chat completions": (options) => byAgents(options, { useResponses: false }),
} as const satisfies Readonly<Record<string, Loop>>;

export type LoopName = keyof typeof LOOPS;

/** Rows for `it.each`: each of the loops whole and streamed. */
export const wholeAndStreamed = (names: readonly LoopName[]) =>
  names.flatMap((name) => [false, true].map((streamed) => ({ name, streamed })));
