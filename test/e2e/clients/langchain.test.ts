/** LangChain against the server on loopback: its OpenAI chat models (chat completions and Responses), its Anthropic one, and embeddings. */
import { ChatAnthropic } from "@langchain/anthropic";
import {
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  type ToolMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { SextantError } from "../../../src/foundation/errors.js";
import { chunk, fakeRouting, HELLO, streamedAnswer } from "../../fakes/inference.js";
import { KEY, listening, startTestServer } from "../../gateway/server/server.js";
import { answeredRequests, vendorsTake } from "./at-vendors.js";
import { callingAnswer, OSLO_AND_ROME, saying, streamedCalls } from "./tool-answers.js";

const { app, inference } = startTestServer();
const sent = answeredRequests(app);
let origin = "";
beforeAll(async () => {
  origin = `http://127.0.0.1:${await listening(app)}`;
});
afterAll(() => app.close());
beforeEach(() => {
  inference.runs.length = 0;
  inference.embeddings.length = 0;
  inference.outcomes.length = 0;
});

const model = "gpt-4o-mini";
interface OpenAIOptions {
  readonly maxRetries: number;
  readonly useResponsesApi: boolean;
}
const openai = (model: string, { maxRetries, useResponsesApi }: OpenAIOptions) =>
  new ChatOpenAI({
    model,
    apiKey: KEY,
    maxRetries,
    useResponsesApi,
    configuration: { baseURL: `${origin}/v1` },
  });

interface Way {
  readonly way: string;
  readonly chat: (maxRetries?: number, name?: string) => ChatOpenAI | ChatAnthropic;
  /** Prompt tokens that it reports of a stream; null for some that nobody has counted. */
  readonly streamedInput: number | null;
}
const WAYS: readonly Way[] = [
  {
    way: "ChatOpenAI",
    chat: (maxRetries = 0, name = model) => openai(name, { maxRetries, useResponsesApi: false }),
    streamedInput: 9,
  },
  {
    way: "ChatOpenAI with Responses",
    chat: (maxRetries = 0, name = model) => openai(name, { maxRetries, useResponsesApi: true }),
    streamedInput: 9,
  },
  {
    way: "ChatAnthropic",
    chat: (maxRetries = 0, name = model) =>
      new ChatAnthropic({ model: name, apiKey: KEY, maxRetries, maxTokens: 100, anthropicApiUrl: origin }),
    // It reads the prompt's count from the first event alone, where it is an estimate.
    streamedInput: null,
  },
];

const weather = tool(({ city }: { city: string }) => `3 °C in ${city}`, {
  name: "weather",
  description: "The weather of a city",
  schema: z.object({ city: z.string() }),
});
const question = new HumanMessage("What is the weather in Oslo and in Rome?");
const afterTheCalls = [
  { role: "user" },
  { role: "assistant", tool_calls: OSLO_AND_ROME },
  { role: "tool", tool_call_id: "call_1", content: "3 °C in Oslo" },
  { role: "tool", tool_call_id: "call_2", content: "3 °C in Rome" },
];

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

describe.each(WAYS)("LangChain's $way", ({ chat, streamedInput }) => {
  it("invokes a model with token counts", async () => {
    const answer = await chat().invoke([new SystemMessage("Be brief."), new HumanMessage("hello")]);
    expect(answer.text).toBe("Hello!");
    expect(answer.usage_metadata).toMatchObject({ input_tokens: 9, output_tokens: 3, total_tokens: 12 });
    expect(inference.runs[0]?.request.body.messages).toMatchObject([
      { role: "system", content: "Be brief." },
      { role: "user" },
    ]);
  });

  it("streams piece by piece, with token counts", async () => {
    const texts: string[] = [];
    const chunks: AIMessageChunk[] = [];
    for await (const piece of await chat().stream("hello")) {
      chunks.push(piece);
      if (piece.text !== "") texts.push(piece.text);
    }
    expect(texts).toEqual(["Hel", "lo!"]);
    const whole = chunks.reduce((all, piece) => all.concat(piece));
    expect(whole.usage_metadata).toMatchObject({
      input_tokens: streamedInput ?? expect.toSatisfy((tokens: number) => tokens > 0 && tokens < 1000),
      output_tokens: 3,
    });
  });

  it("runs a loop of parallel tool calls", async () => {
    inference.outcomes.push(callingAnswer(OSLO_AND_ROME));
    const model = chat().bindTools([weather]);
    const called = await model.invoke([question]);
    const answer = await model.invoke([question, called, ...(await resultsOf(called))]);
    expect(answer.text).toBe("Hello!");
    expect(inference.runs[1]?.request.body.messages).toMatchObject(afterTheCalls);
  });

  it("streams a loop of interleaved parallel tool calls", async () => {
    inference.outcomes.push(streamedCalls(OSLO_AND_ROME), streamedAnswer(HELLO));
    const model = chat().bindTools([weather]);
    const called = await collected(await model.stream([question]));
    const answer = await collected(await model.stream([question, called, ...(await resultsOf(called))]));
    expect(answer.text).toBe("Hello!");
    expect(inference.runs[1]?.request.body.messages).toMatchObject(afterTheCalls);
  });

  it("streams a tool call of the model that `auto` chose", async () => {
    const routing = await fakeRouting();
    inference.outcomes.push(streamedCalls(OSLO_AND_ROME, { routing, model: "large" }));
    const called = await collected(await chat(0, "auto").bindTools([weather]).stream([question]));
    expect(AIMessageChunk.isInstance(called)).toBe(true);
    expect(called.tool_calls).toMatchObject([{ args: { city: "Oslo" } }, { args: { city: "Rome" } }]);
    expect(called.usage_metadata).toMatchObject({
      input_tokens: streamedInput ?? expect.toSatisfy((tokens: number) => tokens > 0 && tokens < 1000),
      output_tokens: 3,
    });
  });

  it("parses structured output", async () => {
    inference.outcomes.push(saying('{"city":"Oslo"}'));
    const structured = chat().withStructuredOutput(z.object({ city: z.string() }), { method: "jsonSchema" });
    expect(await structured.invoke("Where?")).toEqual({ city: "Oslo" });
    expect(inference.runs[0]?.request.body.response_format).toMatchObject({
      type: "json_schema",
      json_schema: { schema: { type: "object", required: ["city"] } },
    });
  });

  it("throws errors with status and message", async () => {
    inference.outcomes.push(new SextantError("invalid_request", "It is too long.", { param: "messages" }));
    await expect(chat(2).invoke("hello")).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("It is too long."),
    });
    expect(inference.runs).toHaveLength(1);
  });

  it("retries when a limit is reached", async () => {
    inference.outcomes.push(
      new SextantError("rate_limit_exceeded", "Enough.", { extra: { retry_after: 0.001 } }),
    );
    expect((await chat(1).invoke("hello")).text).toBe("Hello!");
    expect(inference.runs).toHaveLength(2);
  });

  it("throws a failure in the middle of a stream", async () => {
    async function* batches() {
      yield [chunk({ role: "assistant", content: "Hel" })];
      throw new SextantError("upstream_error", "It broke off.");
    }
    inference.outcomes.push(streamedAnswer(batches()));
    const seen: string[] = [];
    const read = async () => {
      for await (const piece of await chat().stream("hello")) seen.push(piece.text);
    };
    await expect(read()).rejects.toThrow("It broke off.");
    expect(seen.join("")).toBe("Hel");
  });
});

it("LangChain's OpenAIEmbeddings returns vectors in order", async () => {
  const embeddings = new OpenAIEmbeddings({
    model: "text-embedding-3-small",
    apiKey: KEY,
    maxRetries: 0,
    configuration: { baseURL: `${origin}/v1` },
  });
  expect(await embeddings.embedDocuments(["a moth", "a drawer"])).toEqual([
    [0.5, 0, -1],
    [0.5, 1, -1],
  ]);
  expect(await embeddings.embedQuery("a moth")).toEqual([0.5, 0, -1]);
  expect(inference.embeddings[0]?.request.body.input).toEqual(["a moth", "a drawer"]);
});

vendorsTake(sent);
