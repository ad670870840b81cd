/** OpenAI's Agents SDK against the server on loopback, on Responses, its default, and on chat completions. */
import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { SextantError } from "../../../src/foundation/errors.js";
import { streamedAnswer } from "../../fakes/inference.js";
import { KEY, listening, startTestServer } from "../../gateway/server/server.js";
import { answeredRequests, vendorsTake } from "./at-vendors.js";
import { callingAnswer, OSLO_AND_ROME, saying, streamedCalls } from "./tool-answers.js";

const { app, inference } = startTestServer();
const sent = answeredRequests(app);
let baseURL = "";
beforeAll(async () => {
  baseURL = `http://127.0.0.1:${await listening(app)}/v1`;
});
afterAll(() => app.close());
beforeEach(() => {
  inference.runs.length = 0;
  inference.outcomes.length = 0;
});

const weather = tool({
  name: "weather",
  description: "The weather of a city",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `3 °C in ${city}`,
});
const agent = new Agent({
  name: "Weather",
  instructions: "Be brief.",
  model: "gpt-4o-mini",
  tools: [weather],
});
const prompt = "What is the weather in Oslo and in Rome?";
const afterTheCalls = [
  { role: "system", content: "Be brief." },
  { role: "user" },
  { role: "assistant", tool_calls: OSLO_AND_ROME },
  { role: "tool", tool_call_id: "call_1", content: "3 °C in Oslo" },
  { role: "tool", tool_call_id: "call_2", content: "3 °C in Rome" },
];

describe.each([
  { api: "Responses", useResponses: true },
  { api: "chat completions", useResponses: false },
])("The OpenAI Agents SDK on $api", ({ useResponses }) => {
  const runner = () =>
    new Runner({
      modelProvider: new OpenAIProvider({ baseURL, apiKey: KEY, useResponses }),
      tracingDisabled: true,
    });

  it("gets answers and token counts", async () => {
    const result = await runner().run(agent, "hello");
    expect(result.finalOutput).toBe("Hello!");
    expect(result.rawResponses[0]?.usage).toMatchObject({ inputTokens: 9, outputTokens: 3 });
  });

  it("runs a loop of parallel tool calls", async () => {
    inference.outcomes.push(callingAnswer(OSLO_AND_ROME));
    const result = await runner().run(agent, prompt);
    expect(result.finalOutput).toBe("Hello!");
    expect(inference.runs[1]?.request.body.messages).toMatchObject(afterTheCalls);
    expect(inference.runs[1]?.request.body.tools).toMatchObject([
      { type: "function", function: { name: "weather", parameters: { required: ["city"] } } },
    ]);
  });

  it("streams a loop of parallel tool calls, and the final text", async () => {
    inference.outcomes.push(streamedCalls(OSLO_AND_ROME), streamedAnswer());
    const result = await runner().run(agent, prompt, { stream: true });
    let text = "";
    for await (const event of result) {
      if (event.type === "raw_model_stream_event" && event.data.type === "output_text_delta")
        text += event.data.delta;
    }
    await result.completed;
    expect([text, result.finalOutput]).toEqual(["Hello!", "Hello!"]);
    expect(inference.runs[1]?.request.body.messages).toMatchObject(afterTheCalls);
  });

  it("continues with the history of an earlier run", async () => {
    const first = await runner().run(agent, "hello");
    await runner().run(agent, [...first.history, { role: "user", content: "And?" }]);
    expect(inference.runs[1]?.request.body.messages).toMatchObject([
      ...[{ role: "system" }, { role: "user" }],
      { role: "assistant", content: useResponses ? "Hello!" : [{ type: "text", text: "Hello!" }] },
      { role: "user", content: "And?" },
    ]);
  });

  it("parses structured output", async () => {
    inference.outcomes.push(saying('{"city":"Oslo"}'));
    const outputType = z.object({ city: z.string() });
    const result = await runner().run(
      new Agent({ name: "City", instructions: "Name it.", model: "gpt-4o-mini", outputType }),
      "Which?",
    );
    expect(result.finalOutput).toEqual({ city: "Oslo" });
    expect(inference.runs[0]?.request.body.response_format).toMatchObject({ type: "json_schema" });
  });

  it("throws the errors of the openai package", async () => {
    inference.outcomes.push(new SextantError("model_not_found", "There is no model x.", { param: "model" }));
    const error: unknown = await runner()
      .run(agent, "hello")
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error).toMatchObject({ status: 404, code: "model_not_found" });
  });

  it("retries after the wait that a limit reports", async () => {
    inference.outcomes.push(
      new SextantError("rate_limit_exceeded", "Enough.", { extra: { retry_after: 0.001 } }),
    );
    expect((await runner().run(agent, "hello")).finalOutput).toBe("Hello!");
    expect(inference.runs).toHaveLength(2);
  });
});

vendorsTake(sent);
