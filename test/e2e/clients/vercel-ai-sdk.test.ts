/** Vercel's AI SDK against the server on loopback, by the three ways that it offers for OpenAI's API and the one for Anthropic's. */
import type { ModelMessage } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SextantError } from "../../../src/foundation/errors.js";
import { chunk, fakeRouting, HELLO, streamedAnswer, wholeAnswer } from "../../fakes/inference.js";
import { KEY } from "../../gateway/server.js";
import {
  AFTER_THE_CALLS,
  ASKED_IMAGE,
  brokenStream,
  IMAGE_URL,
  limit,
  serverForClient,
} from "./at-vendors.js";
import { AI_SDK, MAJORS, NEWEST } from "./majors.js";
import { callingAnswer, OSLO_AND_ROME, saying, streamedCalls } from "./tool-answers.js";

const server = serverForClient();
const { inference } = server;
const options = () => ({ baseURL: `${server.origin}/v1`, apiKey: KEY });
const prompt = "What is the weather in Oslo and in Rome?";

describe.each(MAJORS)("Of major %i,", (major) => {
  const {
    createAnthropic,
    createOpenAI,
    createOpenAICompatible,
    generateText,
    streamText,
    embedMany,
    stepCountIs,
    tool,
    Output,
    APICallError,
  } = AI_SDK[major];
  const openai = () => createOpenAI(options());
  const compatible = () =>
    createOpenAICompatible({
      name: "sextant",
      includeUsage: true,
      supportsStructuredOutputs: true,
      ...options(),
    });

  const tools = {
    weather: tool({
      description: "The weather of a city",
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => `3 °C in ${city}`,
    }),
  };

  describe.each([
    { way: "@ai-sdk/openai, which uses Responses", open: () => openai()("gpt-4o-mini") },
    { way: "@ai-sdk/openai with .chat()", open: () => openai().chat("gpt-4o-mini") },
    { way: "@ai-sdk/openai-compatible", open: () => compatible()("gpt-4o-mini") },
    { way: "@ai-sdk/anthropic", open: () => createAnthropic(options())("gpt-4o-mini") },
  ])("the AI SDK through $way", ({ open }) => {
    it("holds a conversation: texts, images, streams, tools and structured output, which every vendor takes", async () => {
      const model = open();
      const first = await generateText({ model, system: "Be brief.", prompt: "hello" });
      expect([first.text, first.finishReason]).toEqual(["Hello!", "stop"]);
      expect(first.usage).toMatchObject({ inputTokens: 9, outputTokens: 3, totalTokens: 12 });
      expect(server.messagesOf(0)).toMatchObject([
        { role: "system", content: "Be brief." },
        { role: "user" },
      ]);

      const image = { type: "image" as const, image: IMAGE_URL };
      await generateText({ model, messages: [{ role: "user", content: [image] }] });
      expect(server.messagesOf(1)).toEqual([{ role: "user", content: [ASKED_IMAGE] }]);

      const loop = { model, prompt, tools, stopWhen: stepCountIs(2) };
      inference.outcomes.push(callingAnswer(OSLO_AND_ROME, "Let me look."));
      expect((await generateText(loop)).text).toBe("Hello!");
      expect(inference.runs.at(-1)?.request.body.messages).toMatchObject(AFTER_THE_CALLS);
      inference.outcomes.push(streamedCalls(OSLO_AND_ROME), streamedAnswer());
      expect(await streamText(loop).text).toBe("Hello!");
      expect(inference.runs.at(-1)?.request.body.messages).toMatchObject(AFTER_THE_CALLS);

      inference.outcomes.push(saying('{"city":"Oslo"}'));
      const output = Output.object({ schema: z.object({ city: z.string() }) });
      expect((await generateText({ model, prompt, output })).output).toEqual({ city: "Oslo" });
      if (major === NEWEST) await server.vendorsTakeWhatWasSent();
    });

    it("throws errors with status and message, also in a stream, and retries after the wait that a limit reports", async () => {
      inference.outcomes.push(new SextantError("budget_exceeded", "The month's dollars are used up."));
      const failed = generateText({ model: open(), prompt: "hello", maxRetries: 0 });
      const error: unknown = await failed.catch((reason: unknown) => reason);
      if (!APICallError.isInstance(error)) throw new Error("no APICallError was thrown");
      expect(error).toMatchObject({
        statusCode: 429,
        isRetryable: true,
        message: "The month's dollars are used up.",
      });
      inference.outcomes.push(limit());
      expect((await generateText({ model: open(), prompt: "hello" })).text).toBe("Hello!");
      inference.outcomes.push(new SextantError("invalid_request", "It is too long.", { param: "messages" }));
      await expect(generateText({ model: open(), prompt: "hello" })).rejects.toThrow("It is too long.");
      expect(inference.runs).toHaveLength(4);

      inference.outcomes.push(brokenStream());
      const seen: string[] = [];
      const broken = streamText({ model: open(), prompt: "hello", onError: () => {} });
      for await (const part of broken.fullStream) seen.push(part.type);
      expect(seen).toEqual(expect.arrayContaining(["text-delta", "error"]));
    });
  });

  it.each([
    { way: "@ai-sdk/openai", open: () => openai().embeddingModel("text-embedding-3-small") },
    { way: "@ai-sdk/openai-compatible", open: () => compatible().embeddingModel("text-embedding-3-small") },
  ])("the AI SDK through $way embeds many texts, in order and with the token count", async ({ open }) => {
    const { embeddings, usage } = await embedMany({ model: open(), values: ["a moth", "a drawer"] });
    expect(embeddings).toEqual([
      [0.5, 0, -1],
      [0.5, 1, -1],
    ]);
    expect(usage.tokens).toBe(9);
  });

  describe("the AI SDK through @ai-sdk/openai, which refers to stored items,", () => {
    const talk: ModelMessage[] = [{ role: "user", content: "hello" }];

    it.each([
      { name: "with `store: false`, which makes it send the items themselves", store: false },
      { name: "by default, with the items that the server remembers", store: undefined },
    ])("goes on $name, and returns reasoning signed where the provider signed it", async ({ store }) => {
      const thinking_blocks = [{ type: "thinking", thinking: "Hmm.", signature: "Erc2ln" }];
      const message = { role: "assistant", content: "Four.", reasoning_content: "Hmm.", thinking_blocks };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      inference.outcomes.push(wholeAnswer({ completion: { choices } }));
      const providerOptions = store === undefined ? {} : { openai: { store } };
      const model = openai()("gpt-4o-mini");
      const first = await generateText({ model, messages: talk, providerOptions });
      expect(first.reasoningText).toBe("Hmm.");
      const messages: ModelMessage[] = [
        ...talk,
        ...first.response.messages,
        { role: "user", content: "And?" },
      ];
      expect((await generateText({ model, messages, providerOptions })).text).toBe("Hello!");
      expect(inference.runs[1]?.request.body.messages[1]).toEqual({
        role: "assistant",
        content: "Four.",
        thinking_blocks,
      });
    });
  });

  it("the AI SDK through @ai-sdk/openai-compatible passes the gateway's fields on, and gets routed answers, reasoning and completions", async () => {
    inference.outcomes.push(wholeAnswer({ routing: await fakeRouting() }));
    const sextant = { router: { cost_weight: 0.3 }, metadata: { team: "search" } };
    await generateText({ model: compatible()("auto"), prompt: "hello", providerOptions: { sextant } });
    expect(inference.runs[0]?.request).toMatchObject({
      choice: { type: "routed", costWeight: 0.3 },
      metadata: { team: "search" },
    });
    const thought = [
      chunk({ role: "assistant", reasoning_content: "Hm" }),
      chunk({ reasoning_content: "m." }),
    ];
    inference.outcomes.push(streamedAnswer([thought, ...HELLO], { routing: await fakeRouting() }));
    const streamed = streamText({ model: compatible()("auto"), prompt: "hello" });
    expect([await streamed.text, await streamed.reasoningText]).toEqual(["Hello!", "Hmm."]);
    const model = compatible().completionModel("gpt-4o-mini");
    expect((await generateText({ model, prompt: "hello" })).text).toBe("Hello!");
  });
});
