/** Vercel's AI SDK with its OpenAI-compatible provider against the server on loopback. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { SextantError } from "../../../src/foundation/errors.js";
import { chunk, fakeRouting, HELLO, streamedAnswer, wholeAnswer } from "../../fakes/inference.js";
import { KEY, listening, startTestServer } from "../../server/server.js";

const { app, inference } = startTestServer();
let sextant: ReturnType<typeof createOpenAICompatible>;
beforeAll(async () => {
  const baseURL = `http://127.0.0.1:${await listening(app)}/v1`;
  sextant = createOpenAICompatible({ name: "sextant", baseURL, apiKey: KEY, includeUsage: true });
});
afterAll(() => app.close());
beforeEach(() => {
  inference.runs.length = 0;
  inference.outcomes.length = 0;
});

const weather = tool({
  description: "The weather of a city",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `3 °C in ${city}`,
});
const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } };
const prompt = "What is the weather in Oslo?";

describe("Vercel's AI SDK", () => {
  it("generateText", async () => {
    const { text, finishReason, usage } = await generateText({
      model: sextant("gpt-4o-mini"),
      prompt: "hello",
    });
    expect([text, finishReason]).toEqual(["Hello!", "stop"]);
    expect(usage).toMatchObject({ inputTokens: 9, outputTokens: 3, totalTokens: 12 });
  });

  it("generateText with fields of ours, through provider options", async () => {
    inference.outcomes.push(wholeAnswer({ routing: await fakeRouting() }));
    await generateText({
      model: sextant("auto"),
      prompt: "hello",
      providerOptions: { sextant: { router: { cost_weight: 0.3 }, metadata: { team: "search" } } },
    });
    expect(inference.runs[0]?.request).toMatchObject({
      choice: { type: "routed", costWeight: 0.3 },
      metadata: { team: "search" },
    });
  });

  it("streamText", async () => {
    inference.outcomes.push(streamedAnswer(HELLO, { routing: await fakeRouting() }));
    const result = streamText({ model: sextant("auto"), prompt: "hello" });
    const parts: string[] = [];
    for await (const part of result.textStream) parts.push(part);
    expect(parts).toEqual(["Hel", "lo!"]);
    expect(await result.finishReason).toBe("stop");
    expect(await result.usage).toMatchObject({ inputTokens: 9, outputTokens: 3 });
  });

  it("a tool call, its result, and the answer", async () => {
    const message = { role: "assistant", content: null, tool_calls: [call] };
    inference.outcomes.push(
      wholeAnswer({ completion: { choices: [{ index: 0, message, finish_reason: "tool_calls" }] } }),
    );
    const { text, steps } = await generateText({
      model: sextant("gpt-4o-mini"),
      prompt,
      tools: { weather },
      stopWhen: stepCountIs(2),
    });
    expect([text, steps.length]).toEqual(["Hello!", 2]);
    expect(inference.runs[1]?.request.body.messages).toMatchObject([
      { role: "user", content: prompt },
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "3 °C in Oslo" },
    ]);
  });

  it("a streamed tool call", async () => {
    inference.outcomes.push(
      streamedAnswer([
        [
          chunk({
            role: "assistant",
            tool_calls: [{ index: 0, ...call, function: { name: "weather", arguments: "" } }],
          }),
        ],
        [chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":"Oslo"}' } }] })],
        [chunk({}, { finish_reason: "tool_calls" })],
      ]),
      streamedAnswer(),
    );
    const result = streamText({
      model: sextant("gpt-4o-mini"),
      prompt,
      tools: { weather },
      stopWhen: stepCountIs(2),
    });
    expect(await result.text).toBe("Hello!");
    const [first] = await result.steps;
    expect(first?.toolResults[0]).toMatchObject({ toolName: "weather", output: "3 °C in Oslo" });
  });

  it("generateObject", async () => {
    const message = { role: "assistant", content: '{"city":"Oslo"}' };
    inference.outcomes.push(
      wholeAnswer({ completion: { choices: [{ index: 0, message, finish_reason: "stop" }] } }),
    );
    const { object } = await generateObject({
      model: sextant("gpt-4o-mini"),
      prompt,
      schema: z.object({ city: z.string() }),
    });
    expect(object).toEqual({ city: "Oslo" });
  });

  it("completions of texts", async () => {
    const { text } = await generateText({ model: sextant.completionModel("gpt-4o-mini"), prompt: "hello" });
    expect(text).toBe("Hello!");
  });

  it("errors keep their status, message and whether to try again", async () => {
    inference.outcomes.push(new SextantError("budget_exceeded", "The month's dollars are used up."));
    const failed = generateText({ model: sextant("gpt-4o-mini"), prompt: "hello", maxRetries: 0 });
    const error: unknown = await failed.catch((reason: unknown) => reason);
    if (!APICallError.isInstance(error)) throw new Error("no APICallError was thrown");
    expect(error).toMatchObject({
      statusCode: 429,
      isRetryable: true,
      message: "The month's dollars are used up.",
    });
  });

  it("a failure in the middle of a stream is an error part", async () => {
    async function* batches() {
      yield HELLO[1] ?? [];
      throw new SextantError("upstream_error", "It broke off.");
    }
    inference.outcomes.push(streamedAnswer(batches()));
    const seen: string[] = [];
    const result = streamText({ model: sextant("gpt-4o-mini"), prompt: "hello", onError: () => {} });
    for await (const part of result.fullStream) seen.push(part.type);
    expect(seen).toContain("text-delta");
    expect(seen).toContain("error");
  });
});
