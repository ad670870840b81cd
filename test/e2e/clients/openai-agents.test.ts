/** OpenAI's Agents SDK against the server on loopback, on Responses, its default, and on chat completions. */
import { Agent, type AgentInputItem, OpenAIProvider, Runner, tool } from "@openai/agents";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { streamedAnswer } from "../../fakes/inference.js";
import { KEY } from "../../gateway/server.js";
import { AFTER_THE_CALLS, ASKED_IMAGE, IMAGE_URL, serverForClient } from "./at-vendors.js";
import { callingAnswer, OSLO_AND_ROME, saying, streamedCalls } from "./tool-answers.js";

const server = serverForClient();
const { inference } = server;

const weather = tool({
  name: "weather",
  description: "The weather of a city",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `3 °C in ${city}`,
});
const model = "gpt-4o-mini";
const agent = new Agent({ name: "Weather", instructions: "Be brief.", model, tools: [weather] });
const prompt = "What is the weather in Oslo and in Rome?";
const system = { role: "system", content: "Be brief." };

describe.each([
  { api: "Responses", useResponses: true },
  { api: "chat completions", useResponses: false },
])("The OpenAI Agents SDK on $api", ({ useResponses }) => {
  const open = () =>
    new Runner({
      modelProvider: new OpenAIProvider({ baseURL: `${server.origin}/v1`, apiKey: KEY, useResponses }),
      tracingDisabled: true,
    });

  it("holds a conversation: texts, images, streams, tools and structured output, which every vendor takes", async () => {
    const runner = open();
    const first = await runner.run(agent, "hello");
    expect(first.finalOutput).toBe("Hello!");
    expect(first.rawResponses[0]?.usage).toMatchObject({ inputTokens: 9, outputTokens: 3 });
    const content = [{ type: "input_image" as const, image: IMAGE_URL }];
    const image = { role: "user", content } as AgentInputItem;
    await runner.run(agent, [...first.history, image]);
    expect(server.messagesOf(1)).toMatchObject([
      ...[system, { role: "user", content: "hello" }, { role: "assistant" }],
      { role: "user", content: [ASKED_IMAGE] },
    ]);

    inference.outcomes.push(callingAnswer(OSLO_AND_ROME));
    expect((await runner.run(agent, prompt)).finalOutput).toBe("Hello!");
    expect(inference.runs.at(-1)?.request.body.messages).toMatchObject([system, ...AFTER_THE_CALLS]);

    inference.outcomes.push(streamedCalls(OSLO_AND_ROME), streamedAnswer());
    const streamed = await runner.run(agent, prompt, { stream: true });
    let text = "";
    for await (const event of streamed)
      if (event.type === "raw_model_stream_event" && event.data.type === "output_text_delta")
        text += event.data.delta;
    await streamed.completed;
    expect([text, streamed.finalOutput]).toEqual(["Hello!", "Hello!"]);
    expect(inference.runs.at(-1)?.request.body.messages).toMatchObject([system, ...AFTER_THE_CALLS]);

    inference.outcomes.push(saying('{"city":"Oslo"}'));
    const outputType = z.object({ city: z.string() });
    const named = new Agent({ name: "City", instructions: "Name it.", model, outputType });
    expect((await runner.run(named, "Which?")).finalOutput).toEqual({ city: "Oslo" });
    await server.vendorsTakeWhatWasSent();
  });
});
