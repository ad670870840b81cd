/** Vercel's AI SDK against the server on loopback, by the three ways that it offers for OpenAI's API. */
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  APICallError,
  embedMany,
  generateText,
  type ModelMessage,
  Output,
  stepCountIs,
  streamText,
  tool,
} from "ai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { SextantError } from "../../../src/foundation/errors.js";
import { chunk, fakeRouting, HELLO, streamedAnswer, wholeAnswer } from "../../fakes/inference.js";
import { KEY, listening, startTestServer } from "../../gateway/server/server.js";
import { answeredRequests, vendorsTake } from "./at-vendors.js";
import { callingAnswer, functionCall, OSLO_AND_ROME, saying, streamedCalls } from "./tool-answers.js";

const { app, inference } = startTestServer();
const sent = answeredRequests(app);
let baseURL = "";
beforeAll(async () => {
  baseURL = `http://127.0.0.1:${await listening(app)}/v1`;
});
afterAll(() => app.close());
beforeEach(() => {
  inference.runs.length = 0;
  inference.embeddings.length = 0;
  inference.outcomes.length = 0;
});

const openai = () => createOpenAI({ baseURL, apiKey: KEY });
const compatible = () =>
  createOpenAICompatible({
    name: "sextant",
    baseURL,
    apiKey: KEY,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });

const WAYS = [
  { way: "@ai-sdk/openai, which uses Responses", model: () => openai()("gpt-4o-mini") },
  { way: "@ai-sdk/openai with .chat()", model: () => openai().chat("gpt-4o-mini") },
  { way: "@ai-sdk/openai-compatible", model: () => compatible()("gpt-4o-mini") },
];

const weather = tool({
  description: "The weather of a city",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `3 °C in ${city}`,
});
const tools = { weather };
const prompt = "What is the weather in Oslo and in Rome?";
const afterTheCalls = [
  { role: "user", content: expect.anything() },
  { role: "assistant", tool_calls: OSLO_AND_ROME },
  { role: "tool", tool_call_id: "call_1", content: "3 °C in Oslo" },
  { role: "tool", tool_call_id: "call_2", content: "3 °C in Rome" },
];

describe.each(WAYS)("The AI SDK through $way", ({ model }) => {
  it("generates text with token counts", async () => {
    const { text, finishReason, usage } = await generateText({
      model: model(),
      system: "Be brief.",
      prompt: "hello",
    });
    expect([text, finishReason]).toEqual(["Hello!", "stop"]);
    expect(usage).toMatchObject({ inputTokens: 9, outputTokens: 3, totalTokens: 12 });
    expect(inference.runs[0]?.request.body.messages).toMatchObject([
      { role: "system", content: "Be brief." },
      { role: "user" },
    ]);
  });

  it("streams text piece by piece, with token counts", async () => {
    const result = streamText({ model: model(), prompt: "hello" });
    const parts: string[] = [];
    for await (const part of result.textStream) parts.push(part);
    expect(parts).toEqual(["Hel", "lo!"]);
    expect(await result.finishReason).toBe("stop");
    expect(await result.usage).toMatchObject({ inputTokens: 9, outputTokens: 3 });
  });

  it("runs a loop of parallel tool calls", async () => {
    inference.outcomes.push(callingAnswer(OSLO_AND_ROME));
    const { text, steps } = await generateText({ model: model(), prompt, tools, stopWhen: stepCountIs(2) });
    expect([text, steps.length]).toEqual(["Hello!", 2]);
    expect(steps[0]?.finishReason).toBe("tool-calls");
    expect(inference.runs[1]?.request.body.messages).toMatchObject(afterTheCalls);
  });

  it("streams a loop of interleaved parallel tool calls", async () => {
    inference.outcomes.push(streamedCalls(OSLO_AND_ROME), streamedAnswer());
    const result = streamText({ model: model(), prompt, tools, stopWhen: stepCountIs(2) });
    expect(await result.text).toBe("Hello!");
    const [first] = await result.steps;
    expect(first?.toolResults).toMatchObject([
      { toolName: "weather", output: "3 °C in Oslo" },
      { toolName: "weather", output: "3 °C in Rome" },
    ]);
    expect(inference.runs[1]?.request.body.messages).toMatchObject(afterTheCalls);
  });

  it("parses structured output", async () => {
    inference.outcomes.push(saying('{"city":"Oslo"}'));
    const { output } = await generateText({
      model: model(),
      prompt,
      output: Output.object({ schema: z.object({ city: z.string() }) }),
    });
    expect(output).toEqual({ city: "Oslo" });
    expect(inference.runs[0]?.request.body.response_format).toMatchObject({
      type: "json_schema",
      json_schema: { schema: { type: "object", required: ["city"] } },
    });
  });

  it("throws errors with status, message and whether to retry", async () => {
    inference.outcomes.push(new SextantError("budget_exceeded", "The month's dollars are used up."));
    const failed = generateText({ model: model(), prompt: "hello", maxRetries: 0 });
    const error: unknown = await failed.catch((reason: unknown) => reason);
    if (!APICallError.isInstance(error)) throw new Error("no APICallError was thrown");
    expect(error).toMatchObject({
      statusCode: 429,
      isRetryable: true,
      message: "The month's dollars are used up.",
    });
  });

  it("retries after the wait that a limit reports, and not when the request is invalid", async () => {
    inference.outcomes.push(
      new SextantError("rate_limit_exceeded", "Enough.", { extra: { retry_after: 0.001 } }),
    );
    expect((await generateText({ model: model(), prompt: "hello" })).text).toBe("Hello!");
    expect(inference.runs).toHaveLength(2);

    inference.outcomes.push(new SextantError("invalid_request", "It is too long.", { param: "messages" }));
    await expect(generateText({ model: model(), prompt: "hello" })).rejects.toThrow("It is too long.");
    expect(inference.runs).toHaveLength(3);
  });

  it("reports a failure in the middle of a stream as an error part", async () => {
    async function* batches() {
      yield HELLO[1] ?? [];
      throw new SextantError("upstream_error", "It broke off.");
    }
    inference.outcomes.push(streamedAnswer(batches()));
    const seen: string[] = [];
    const result = streamText({ model: model(), prompt: "hello", onError: () => {} });
    for await (const part of result.fullStream) seen.push(part.type);
    expect(seen).toContain("text-delta");
    expect(seen).toContain("error");
  });
});

describe.each([
  { way: "@ai-sdk/openai", model: () => openai().embeddingModel("text-embedding-3-small") },
  { way: "@ai-sdk/openai-compatible", model: () => compatible().embeddingModel("text-embedding-3-small") },
])("The AI SDK through $way", ({ model }) => {
  it("embeds many texts, in order and with the token count", async () => {
    const { embeddings, usage } = await embedMany({ model: model(), values: ["a moth", "a drawer"] });
    expect(embeddings).toEqual([
      [0.5, 0, -1],
      [0.5, 1, -1],
    ]);
    expect(usage.tokens).toBe(9);
    expect(inference.embeddings[0]?.request.body.input).toEqual(["a moth", "a drawer"]);
  });
});

describe("The AI SDK through @ai-sdk/openai, which refers to stored items,", () => {
  const talk: ModelMessage[] = [{ role: "user", content: "hello" }];
  const secondTurn = async (providerOptions: Record<string, { store: boolean }>) => {
    const model = openai()("gpt-4o-mini");
    const { response } = await generateText({ model, messages: talk, providerOptions });
    const messages: ModelMessage[] = [...talk, ...response.messages, { role: "user", content: "And?" }];
    return await generateText({ model, messages, providerOptions });
  };

  it("works with `store: false`, which makes it send the items themselves", async () => {
    expect((await secondTurn({ openai: { store: false } })).text).toBe("Hello!");
    expect(inference.runs[1]?.request.body.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: "Hello!" },
      { role: "user" },
    ]);
  });

  it("works by default too, with the items that the server remembers", async () => {
    expect((await secondTurn({})).text).toBe("Hello!");
    expect(inference.runs[1]?.request.body.messages[1]).toMatchObject({ content: "Hello!" });
  });

  it("shows reasoning, and returns it signed where the provider signed it", async () => {
    const thinking_blocks = [{ type: "thinking", thinking: "Hmm.", signature: "Erc2ln" }];
    const message = { role: "assistant", content: "Four.", reasoning_content: "Hmm.", thinking_blocks };
    inference.outcomes.push(
      wholeAnswer({ completion: { choices: [{ index: 0, message, finish_reason: "stop" }] } }),
    );
    const model = openai()("gpt-4o-mini");
    const providerOptions = { openai: { store: false } };
    const { reasoningText, response } = await generateText({ model, messages: talk, providerOptions });
    expect(reasoningText).toBe("Hmm.");
    const messages: ModelMessage[] = [...talk, ...response.messages, { role: "user", content: "And?" }];
    await generateText({ model, messages, providerOptions });
    expect(inference.runs[1]?.request.body.messages[1]).toEqual({
      role: "assistant",
      content: "Four.",
      thinking_blocks,
    });
  });
});

describe("The AI SDK through @ai-sdk/openai-compatible, with the gateway's fields,", () => {
  it("sends them as provider options", async () => {
    inference.outcomes.push(wholeAnswer({ routing: await fakeRouting() }));
    await generateText({
      model: compatible()("auto"),
      prompt: "hello",
      providerOptions: { sextant: { router: { cost_weight: 0.3 }, metadata: { team: "search" } } },
    });
    expect(inference.runs[0]?.request).toMatchObject({
      choice: { type: "routed", costWeight: 0.3 },
      metadata: { team: "search" },
    });
  });

  it("streams a routed answer, whose first event has the decision and no content", async () => {
    inference.outcomes.push(streamedAnswer(HELLO, { routing: await fakeRouting() }));
    expect(await streamText({ model: compatible()("auto"), prompt: "hello" }).text).toBe("Hello!");
  });

  it("shows the reasoning of a stream", async () => {
    inference.outcomes.push(
      streamedAnswer([
        [chunk({ role: "assistant", reasoning_content: "Hm" }), chunk({ reasoning_content: "m." })],
        ...HELLO,
      ]),
    );
    expect(await streamText({ model: compatible()("gpt-4o-mini"), prompt: "hello" }).reasoningText).toBe(
      "Hmm.",
    );
  });

  it("completes texts", async () => {
    const { text } = await generateText({
      model: compatible().completionModel("gpt-4o-mini"),
      prompt: "hello",
    });
    expect(text).toBe("Hello!");
  });

  it("gets a tool call after a text", async () => {
    inference.outcomes.push(callingAnswer([functionCall("call_1", "Oslo")], "Let me look."));
    const model = compatible()("gpt-4o-mini");
    await generateText({ model, prompt, tools, stopWhen: stepCountIs(2) });
    expect(inference.runs[1]?.request.body.messages[1]).toMatchObject({
      content: "Let me look.",
      tool_calls: [{ id: "call_1" }],
    });
  });
});

vendorsTake(sent);
