/** How clients read an answer: each asks by its own means, whole and streamed, and what it makes of the answer has one form. */
import Anthropic from "@anthropic-ai/sdk";
import { ChatAnthropic } from "@langchain/anthropic";
import type { AIMessageChunk, UsageMetadata } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { Agent, tool as agentTool, OpenAIProvider, Runner } from "@openai/agents";
import type { LanguageModel, ToolSet } from "ai";
import type OpenAI from "openai-7";
import { z } from "zod";
import { KEY } from "../../gateway/server.js";
import { parameters } from "./loops.js";
import { AI_SDK, type AiSdk, MAJORS, type Major, NEWEST, OPENAI } from "./majors.js";

/** What a client made of an answer. */
export interface Reading {
  readonly text: string;
  readonly reasoning?: string | undefined;
  /** Names and arguments of the calls. */
  readonly calls: readonly (readonly [name: string, given: string])[];
  /** In the words of chat completions. */
  readonly end?: string | null | undefined;
  readonly inputTokens: number | undefined;
}

interface Asked {
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  readonly model: string;
  readonly streamed: boolean;
  readonly signal: AbortSignal;
}

export interface Reader {
  readonly name: string;
  /** What it has no place for. */
  readonly lacks?: readonly (keyof Reading)[];
  /** Keeps the text of arguments: whole, or in streams alone. Others parse numbers beyond 2^53. */
  readonly keepsDigits?: "always" | "streamed";
  /** @throws what the client throws */
  read(asked: Asked): Promise<Reading>;
}

const messages = [{ role: "user" as const, content: "What is the weather in Oslo and in Rome?" }];
const description = "The weather of a city";
const inputSchema = z.object({ city: z.string() });

/** Ends in the words of other APIs. */
const ENDS: Readonly<Record<string, string>> = {
  end_turn: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  incomplete: "length",
  "tool-calls": "tool_calls",
};
const endOf = (reason: unknown) => ENDS[String(reason)] ?? String(reason);
/** Responses end alike with calls and without. */
const endOfResponse = (status: unknown, calls: readonly unknown[]) =>
  status === "completed" ? (calls.length > 0 ? "tool_calls" : "stop") : endOf(status);

const clientOptions = ({ address }: Asked) => ({ baseURL: `${address}/v1`, apiKey: KEY, maxRetries: 0 });

// openai

async function inChat(Client: typeof OpenAI, asked: Asked): Promise<Reading> {
  const options = { signal: asked.signal };
  const { chat } = new Client(clientOptions(asked));
  const tools = [{ type: "function" as const, function: { name: "weather", parameters } }];
  const body = { model: asked.model, messages, tools };
  let streamedReasoning: string | undefined;
  const whole = () => chat.completions.create(body, options);
  const streamed = () => {
    const usual = { ...body, stream_options: { include_usage: true } };
    const stream = chat.completions.stream(usual, options);
    // The package puts together the members that it knows.
    stream.on("chunk", ({ choices }) => {
      const delta = choices[0]?.delta as { reasoning_content?: string } | undefined;
      if (delta?.reasoning_content) streamedReasoning = (streamedReasoning ?? "") + delta.reasoning_content;
    });
    return stream.finalChatCompletion();
  };
  const { choices, usage } = await (asked.streamed ? streamed() : whole());
  const [choice] = choices;
  const message = choice?.message as OpenAI.ChatCompletionMessage & { reasoning_content?: string };
  return {
    text: message.content ?? "",
    reasoning: streamedReasoning ?? message.reasoning_content,
    calls: (message.tool_calls ?? []).flatMap((call) =>
      call.type === "function" ? [[call.function.name, call.function.arguments] as const] : [],
    ),
    end: choice?.finish_reason,
    inputTokens: usage?.prompt_tokens,
  };
}

async function inResponses(Client: typeof OpenAI, asked: Asked): Promise<Reading> {
  const options = { signal: asked.signal };
  const { responses } = new Client(clientOptions(asked));
  const tools = [{ type: "function" as const, name: "weather", parameters, strict: false }];
  const body = { model: asked.model, input: messages, tools };
  const { output, output_text, status, usage } = asked.streamed
    ? await responses.stream(body, options).finalResponse()
    : await responses.create(body, options);
  const calls = output.flatMap((item) =>
    item.type === "function_call" ? [[item.name, item.arguments] as const] : [],
  );
  const thought = output.flatMap((item) => (item.type === "reasoning" ? item.summary : []));
  return {
    text: output_text,
    reasoning: thought.map(({ text }) => text).join("") || undefined,
    calls,
    end: endOfResponse(status, calls),
    inputTokens: usage?.input_tokens,
  };
}

// Anthropic's

async function inMessages(asked: Asked): Promise<Reading> {
  const options = { signal: asked.signal };
  const { messages: api } = new Anthropic({ ...clientOptions(asked), baseURL: asked.address });
  const tools = [{ name: "weather", input_schema: parameters }];
  const body = { model: asked.model, max_tokens: 1000, messages, tools };
  /** Arguments as they came, by call. */
  const texts: string[] = [];
  const streamed = () => {
    const stream = api.stream(body, options);
    stream.on("streamEvent", (event) => {
      if (event.type === "content_block_start" && event.content_block.type === "tool_use") texts.push("");
      if (event.type === "content_block_delta" && event.delta.type === "input_json_delta")
        texts.push((texts.pop() ?? "") + event.delta.partial_json);
    });
    return stream.finalMessage();
  };
  const { content, stop_reason, usage } = await (asked.streamed ? streamed() : api.create(body, options));
  const calls = content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
  return {
    text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""),
    reasoning:
      content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : [])).join("") || undefined,
    calls: calls.map(({ name, input }, index) => [name, texts[index] ?? JSON.stringify(input)]),
    end: endOf(stop_reason),
    inputTokens: usage.input_tokens,
  };
}

// The AI SDK

async function byAiSdk(sdk: AiSdk, model: LanguageModel, { streamed, signal }: Asked): Promise<Reading> {
  const tools: ToolSet = { weather: { description, inputSchema: sdk.jsonSchema(parameters) } };
  const ask = { model, messages, tools, maxRetries: 0, abortSignal: signal };
  let failure: unknown;
  const onError = ({ error }: { error: unknown }) => {
    failure = error;
  };
  const result = streamed ? sdk.streamText({ ...ask, onError }) : await sdk.generateText(ask);
  try {
    const calls = await result.toolCalls;
    return {
      text: await result.text,
      reasoning: await result.reasoningText,
      calls: calls.map(({ toolName, input }) => [toolName, JSON.stringify(input)]),
      end: endOf(await result.finishReason),
      inputTokens: (await result.usage).inputTokens,
    };
  } catch (error) {
    // Of a stream it says only that nothing came.
    throw failure ?? error;
  }
}

const aiSdkReaders = (major: Major): readonly Reader[] => {
  const sdk = AI_SDK[major];
  const ways: Readonly<Record<string, (asked: Asked) => LanguageModel>> = {
    "openai()": (asked) => sdk.createOpenAI(clientOptions(asked))(asked.model),
    "openai.chat()": (asked) => sdk.createOpenAI(clientOptions(asked)).chat(asked.model),
    "OpenAI-compatible": (asked) =>
      sdk.createOpenAICompatible({ name: "sextant", includeUsage: true, ...clientOptions(asked) })(
        asked.model,
      ),
    "anthropic()": (asked) => sdk.createAnthropic(clientOptions(asked))(asked.model),
  };
  return Object.entries(ways).map(([way, open]) => ({
    name: `AI SDK ${major}, ${way}`,
    // It knows no thinking in chat completions.
    lacks: way === "openai.chat()" ? ["reasoning"] : [],
    read: (asked) => byAiSdk(sdk, open(asked), asked),
  }));
};

// LangChain

async function byLangChain(chat: ChatOpenAI | ChatAnthropic, asked: Asked): Promise<Reading> {
  const options = { signal: asked.signal };
  const model = chat.bindTools([
    { type: "function", function: { name: "weather", description, parameters } },
  ]);
  let answer: AIMessageChunk | undefined;
  if (asked.streamed)
    for await (const piece of await model.stream(messages, options))
      answer = answer === undefined ? piece : answer.concat(piece);
  else answer = await model.invoke(messages, options);
  if (answer === undefined) throw new Error("nothing was streamed");
  const { response_metadata: told, additional_kwargs: more, tool_calls: calls = [] } = answer;
  const blocks = answer.contentBlocks.flatMap((block) =>
    block.type === "reasoning" ? [String(block.reasoning)] : [],
  );
  const thought = more.reasoning_content ?? blocks.join("");
  const reason = told.finish_reason ?? told.stop_reason ?? more.stop_reason;
  return {
    text: answer.text,
    reasoning: thought === "" ? undefined : String(thought),
    calls: calls.map(({ name, args }) => [name, JSON.stringify(args)]),
    end: reason === undefined ? endOfResponse(told.status, calls) : endOf(reason),
    inputTokens: (answer.usage_metadata as UsageMetadata | undefined)?.input_tokens,
  };
}

const langChainOpenAi = ({ address, model }: Asked, useResponsesApi: boolean) =>
  new ChatOpenAI({
    model,
    apiKey: KEY,
    maxRetries: 0,
    useResponsesApi,
    configuration: { baseURL: `${address}/v1` },
  });
const langChainAnthropic = ({ address, model }: Asked) =>
  new ChatAnthropic({ model, apiKey: KEY, maxRetries: 0, maxTokens: 1000, anthropicApiUrl: address });

// The Agents SDK

async function byAgents(useResponses: boolean, asked: Asked): Promise<Reading> {
  const openAIClient = new OPENAI[NEWEST].OpenAI(clientOptions(asked));
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ openAIClient, useResponses }),
    tracingDisabled: true,
  });
  const weather = agentTool({
    name: "weather",
    description,
    parameters: inputSchema,
    execute: async () => "3 °C",
  });
  const agent = new Agent({
    name: "Weather",
    instructions: "Be brief.",
    model: asked.model,
    tools: [weather],
    toolUseBehavior: "stop_on_first_tool",
  });
  const input = messages[0]?.content ?? "";
  const streamed = async () => {
    const stream = await runner.run(agent, input, { stream: true, signal: asked.signal });
    for await (const _ of stream);
    await stream.completed;
    return stream;
  };
  const { newItems, rawResponses } = await (asked.streamed
    ? streamed()
    : runner.run(agent, input, { signal: asked.signal }));
  return {
    text: newItems.flatMap((item) => (item.type === "message_output_item" ? [item.content] : [])).join(""),
    calls: newItems.flatMap(({ rawItem }) =>
      rawItem?.type === "function_call" ? [[rawItem.name, rawItem.arguments] as const] : [],
    ),
    inputTokens: rawResponses[0]?.usage.inputTokens,
  };
}

export const READERS: readonly Reader[] = [
  ...MAJORS.flatMap((major): readonly Reader[] => [
    {
      name: `openai ${major}, chat completions`,
      keepsDigits: "always",
      read: (asked) => inChat(OPENAI[major].OpenAI, asked),
    },
    {
      name: `openai ${major}, Responses`,
      keepsDigits: "always",
      read: (asked) => inResponses(OPENAI[major].OpenAI, asked),
    },
  ]),
  { name: "Anthropic's SDK", keepsDigits: "streamed", read: inMessages },
  ...MAJORS.flatMap(aiSdkReaders),
  {
    name: "LangChain's ChatOpenAI",
    read: (asked) => byLangChain(langChainOpenAi(asked, false), asked),
  },
  {
    name: "LangChain's ChatOpenAI, Responses",
    read: (asked) => byLangChain(langChainOpenAi(asked, true), asked),
  },
  {
    // It counts a prompt by the first event, where it is an estimate.
    name: "LangChain's ChatAnthropic",
    lacks: ["inputTokens"],
    read: (asked) => byLangChain(langChainAnthropic(asked), asked),
  },
  {
    name: "Agents SDK",
    lacks: ["reasoning", "end"],
    keepsDigits: "always",
    read: (asked) => byAgents(true, asked),
  },
  {
    name: "Agents SDK in chat completions",
    lacks: ["reasoning", "end"],
    keepsDigits: "always",
    read: (asked) => byAgents(false, asked),
  },
];
