/** LangChain against the server on loopback: its OpenAI chat models (chat completions and Responses), its Anthropic one, and embeddings. */
import { ChatAnthropic } from "@langchain/anthropic";
import {
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  type ToolMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SextantError } from "../../../src/foundation/errors.js";
import { fakeRouting, HELLO, streamedAnswer } from "../../fakes/inference.js";
import { KEY } from "../../gateway/server.js";
import {
  AFTER_THE_CALLS,
  ASKED_IMAGE,
  brokenStream,
  IMAGE_URL,
  limit,
  serverForClient,
} from "./at-vendors.js";
import { callingAnswer, OSLO_AND_ROME, saying, streamedCalls } from "./tool-answers.js";

const server = serverForClient();
const { inference } = server;

interface ChatOptions {
  readonly maxRetries?: number;
  readonly model?: string;
}
const openai = ({ maxRetries = 0, model = "gpt-4o-mini" }: ChatOptions, useResponsesApi: boolean) => {
  const configuration = { baseURL: `${server.origin}/v1` };
  return new ChatOpenAI({ model, apiKey: KEY, maxRetries, useResponsesApi, configuration });
};

interface Way {
  readonly way: string;
  readonly open: (options?: ChatOptions) => ChatOpenAI | ChatAnthropic;
  /** Prompt tokens that it reports of a stream. */
  readonly streamedInput: unknown;
}
const WAYS: readonly Way[] = [
  { way: "ChatOpenAI", open: (options = {}) => openai(options, false), streamedInput: 9 },
  { way: "ChatOpenAI with Responses", open: (options = {}) => openai(options, true), streamedInput: 9 },
  {
    way: "ChatAnthropic",
    open: ({ maxRetries = 0, model = "gpt-4o-mini" } = {}) =>
      new ChatAnthropic({ model, apiKey: KEY, maxRetries, maxTokens: 100, anthropicApiUrl: server.origin }),
    // It reads the prompt's count from the first event alone, where it is an estimate.
    streamedInput: expect.any(Number),
  },
];

const weather = tool(({ city }: { city: string }) => `3 °C in ${city}`, {
  name: "weather",
  description: "The weather of a city",
  schema: z.object({ city: z.string() }),
});
const question = new HumanMessage("What is the weather in Oslo and in Rome?");

/** The results of the calls of an answer, as a loop of LangChain's makes them. */
const resultsOf = (answer: AIMessageChunk): Promise<BaseMessage[]> =>
  Promise.all(
    (answer.tool_calls ?? []).map(
      (call): Promise<ToolMessage> => weather.invoke({ ...call, type: "tool_call" }),
    ),
  );

async function collected(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined;
  for await (const piece of stream) whole = whole === undefined ? piece : whole.concat(piece);
  if (whole === undefined) throw new Error("nothing was streamed");
  return whole;
}

describe.each(WAYS)("LangChain's $way", ({ open, streamedInput }) => {
  it("holds a conversation: texts, images, streams, tools and structured output, which every vendor takes", async () => {
    const chat = open();
    const answer = await chat.invoke([new SystemMessage("Be brief."), new HumanMessage("hello")]);
    expect(answer.text).toBe("Hello!");
    expect(answer.usage_metadata).toMatchObject({ input_tokens: 9, output_tokens: 3, total_tokens: 12 });
    expect(server.messagesOf(0)).toMatchObject([{ role: "system", content: "Be brief." }, { role: "user" }]);

    const image = { type: "image_url", image_url: { url: IMAGE_URL } };
    await chat.invoke([new HumanMessage({ content: [image] })]);
    expect(server.messagesOf(1)).toEqual([{ role: "user", content: [ASKED_IMAGE] }]);

    const model = chat.bindTools([weather]);
    inference.outcomes.push(callingAnswer(OSLO_AND_ROME));
    const called = await model.invoke([question]);
    await model.invoke([question, called, ...(await resultsOf(called))]);
    expect(inference.runs.at(-1)?.request.body.messages).toMatchObject(AFTER_THE_CALLS);

    inference.outcomes.push(streamedCalls(OSLO_AND_ROME), streamedAnswer(HELLO));
    const streamed = await collected(await model.stream([question]));
    const told = await collected(await model.stream([question, streamed, ...(await resultsOf(streamed))]));
    expect(told.text).toBe("Hello!");
    expect(told.usage_metadata).toMatchObject({ input_tokens: streamedInput, output_tokens: 3 });
    expect(inference.runs.at(-1)?.request.body.messages).toMatchObject(AFTER_THE_CALLS);

    inference.outcomes.push(saying('{"city":"Oslo"}'));
    const structured = chat.withStructuredOutput(z.object({ city: z.string() }), { method: "jsonSchema" });
    expect(await structured.invoke("Where?")).toEqual({ city: "Oslo" });
    await server.vendorsTakeWhatWasSent();
  });

  it("streams a tool call of the model that `auto` chose", async () => {
    inference.outcomes.push(streamedCalls(OSLO_AND_ROME, { routing: await fakeRouting(), model: "large" }));
    const called = await collected(await open({ model: "auto" }).bindTools([weather]).stream([question]));
    expect(called.tool_calls).toMatchObject([{ args: { city: "Oslo" } }, { args: { city: "Rome" } }]);
  });

  it("throws errors with status and message, also in the middle of a stream, and retries where a limit is reached", async () => {
    inference.outcomes.push(new SextantError("invalid_request", "It is too long.", { param: "messages" }));
    await expect(open({ maxRetries: 2 }).invoke("hello")).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("It is too long."),
    });
    expect(inference.runs).toHaveLength(1);
    inference.outcomes.push(limit());
    expect((await open({ maxRetries: 1 }).invoke("hello")).text).toBe("Hello!");
    expect(inference.runs).toHaveLength(3);
    inference.outcomes.push(brokenStream());
    await expect(open().stream("hello").then(collected)).rejects.toThrow("It broke off.");
  });
});

it("LangChain's OpenAIEmbeddings returns vectors in order", async () => {
  const configuration = { baseURL: `${server.origin}/v1` };
  const options = { model: "text-embedding-3-small", apiKey: KEY, maxRetries: 0, configuration };
  expect(await new OpenAIEmbeddings(options).embedDocuments(["a moth", "a drawer"])).toEqual([
    [0.5, 0, -1],
    [0.5, 1, -1],
  ]);
});
