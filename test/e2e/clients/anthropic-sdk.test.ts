/** Anthropic's SDK through the whole gateway, answered by a model of OpenAI's. */
import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { SextantError } from "../../../src/foundation/errors.js";
import { jsonReply } from "../../fakes/upstream-server.js";
import { listening, KEY as SERVER_KEY, startTestServer } from "../../gateway/server/server.js";
import { answerInTurn, bodySeen, chatReply, chatStream, type Gateway, KEY, startGateway } from "./gateway.js";
import { OSLO_AND_ROME } from "./tool-answers.js";

let gateway: Gateway;
let client: Anthropic;
beforeAll(async () => {
  gateway = await startGateway();
  client = new Anthropic({ baseURL: gateway.address, apiKey: KEY, maxRetries: 0 });
});
afterAll(() => gateway?.stop());

const question = { role: "user" as const, content: "What is the weather in Oslo and in Rome?" };
const ask = { model: "gpt-4o-mini", max_tokens: 100, messages: [question] };
const weather: Anthropic.Tool = {
  name: "weather",
  description: "The weather of a city",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

/** Both calls in pieces that come by turns. */
const streamedCalls = chatStream(
  [
    { role: "assistant", content: "Let me look." },
    {
      tool_calls: OSLO_AND_ROME.map((call, index) => ({
        index,
        ...call,
        function: { ...call.function, arguments: "" },
      })),
    },
    { tool_calls: [{ index: 1, function: { arguments: '{"city":' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"city":"Oslo"}' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '"Rome"}' } }] },
  ],
  "tool_calls",
);
const afterTheCalls = [
  question,
  { role: "assistant", tool_calls: OSLO_AND_ROME },
  { role: "tool", tool_call_id: "call_1", content: "3 °C in Oslo" },
  { role: "tool", tool_call_id: "call_2", content: "3 °C in Rome" },
];

describe("Anthropic's SDK, answered by an OpenAI model,", () => {
  it.each([
    ["gpt-5.1", "low"],
    ["gpt-4o-mini", undefined],
  ])("maps the thinking of %s to the effort %s", async (model, effort) => {
    gateway.openai.answer(chatReply({ content: "Cold." }));
    await client.messages.create({
      ...ask,
      max_tokens: 4000,
      model,
      thinking: { type: "enabled", budget_tokens: 2000 },
    });
    expect(bodySeen(gateway.openai).reasoning_effort).toBe(effort);
  });

  it("creates messages (messages.create)", async () => {
    gateway.openai.answer(chatReply({ content: "Cold." }));
    const message = await client.messages.create({ ...ask, system: "Be brief." });
    expect(message.content).toMatchObject([{ type: "text", text: "Cold." }]);
    expect([message.stop_reason, message.model]).toEqual(["end_turn", "gpt-4o-mini"]);
    expect(message.usage).toMatchObject({ input_tokens: 1000, output_tokens: 200 });
    expect(message._request_id).toMatch(/^req_/);
    expect(bodySeen(gateway.openai)).toMatchObject({
      model: "gpt-4o-mini",
      messages: [{ role: "system", content: "Be brief." }, question],
    });
  });

  it("assembles streamed events (messages.stream)", async () => {
    gateway.openai.answer(
      chatStream([{ role: "assistant", content: "" }, { content: "Co" }, { content: "ld." }]),
    );
    const stream = client.messages.stream(ask);
    const pieces: string[] = [];
    stream.on("text", (piece) => pieces.push(piece));
    const message = await stream.finalMessage();
    expect(pieces).toEqual(["Co", "ld."]);
    expect(message.content).toMatchObject([{ type: "text", text: "Cold." }]);
    expect(message.usage).toMatchObject({ input_tokens: 1000, output_tokens: 200 });
  });

  it("streams parallel tool calls, and sends their results", async () => {
    gateway.openai.answer(streamedCalls);
    const called = await client.messages.stream({ ...ask, tools: [weather] }).finalMessage();
    expect(called.stop_reason).toBe("tool_use");
    expect(called.content).toMatchObject([
      { type: "text", text: "Let me look." },
      { type: "tool_use", id: "call_1", name: "weather", input: { city: "Oslo" } },
      { type: "tool_use", id: "call_2", name: "weather", input: { city: "Rome" } },
    ]);
    gateway.openai.answer(chatReply({ content: "Cold." }));
    const results = called.content.flatMap((block) =>
      block.type === "tool_use"
        ? [
            {
              type: "tool_result" as const,
              tool_use_id: block.id,
              content: `3 °C in ${(block.input as { city: string }).city}`,
            },
          ]
        : [],
    );
    const messages = [
      question,
      { role: "assistant" as const, content: called.content },
      { role: "user" as const, content: results },
    ];
    await client.messages.create({ ...ask, messages, tools: [weather] });
    expect(bodySeen(gateway.openai).messages).toMatchObject(afterTheCalls);
    expect(bodySeen(gateway.openai).tools).toMatchObject([
      { type: "function", function: { name: "weather", parameters: weather.input_schema } },
    ]);
  });

  it("runs its own tool loop", async () => {
    answerInTurn(
      gateway.openai,
      chatReply({ content: null, tool_calls: OSLO_AND_ROME }, "tool_calls"),
      chatReply({ content: "Cold." }),
    );
    const run = betaZodTool({
      name: "weather",
      description: "The weather of a city",
      inputSchema: z.object({ city: z.string() }),
      run: ({ city }) => `3 °C in ${city}`,
    });
    const message = await client.beta.messages.toolRunner({ ...ask, tools: [run] });
    expect(message.content).toMatchObject([{ type: "text", text: "Cold." }]);
    expect(bodySeen(gateway.openai).messages).toMatchObject(afterTheCalls);
  });

  it("parses structured output (messages.parse)", async () => {
    gateway.openai.answer(chatReply({ content: '{"city":"Oslo"}' }));
    const output_config = { format: zodOutputFormat(z.object({ city: z.string() })) };
    const message = await client.messages.parse({ ...ask, output_config });
    expect(message.parsed_output).toEqual({ city: "Oslo" });
    expect(bodySeen(gateway.openai).response_format).toMatchObject({
      type: "json_schema",
      json_schema: { schema: { required: ["city"] } },
    });
  });

  it("counts tokens (messages.countTokens)", async () => {
    const { input_tokens: tokens } = await client.messages.countTokens({
      model: ask.model,
      messages: [question],
    });
    expect(tokens).toBeGreaterThan(5);
  });

  it("throws typed errors for what the provider refused", async () => {
    const error = { message: "Unsupported value.", code: "unsupported_value", param: "temperature" };
    gateway.openai.answer(jsonReply({ error }, { status: 400 }));
    const thrown: unknown = await client.messages.create(ask).catch((reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(Anthropic.BadRequestError);
    expect((thrown as Error).message).toContain("Unsupported value.");
  });
});

describe("Errors in Anthropic's SDK", () => {
  const { app, inference } = startTestServer();
  let baseURL = "";
  let impatient: Anthropic;
  beforeAll(async () => {
    baseURL = `http://127.0.0.1:${await listening(app)}`;
    impatient = new Anthropic({ baseURL, apiKey: SERVER_KEY, maxRetries: 0 });
  });
  afterAll(() => app.close());
  beforeEach(() => {
    inference.runs.length = 0;
    inference.outcomes.length = 0;
  });

  const caught = async (from: Anthropic) => {
    const error: unknown = await from.messages.create(ask).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof Anthropic.APIError)) throw new Error("no APIError was thrown");
    return error;
  };

  it("include AuthenticationError", async () => {
    const error = await caught(new Anthropic({ baseURL, apiKey: "pk_live_wrong", maxRetries: 0 }));
    expect(error).toBeInstanceOf(Anthropic.AuthenticationError);
    expect([error.status, error.type]).toEqual([401, "authentication_error"]);
    expect(error.requestID).toMatch(/^req_/);
  });

  it("include NotFoundError for an unknown model", async () => {
    inference.outcomes.push(new SextantError("model_not_found", "There is no model x.", { param: "model" }));
    const error = await caught(impatient);
    expect(error).toBeInstanceOf(Anthropic.NotFoundError);
    expect(error.type).toBe("not_found_error");
    expect(error.message).toContain("There is no model x.");
  });

  it("include RateLimitError with the time to wait, retried by default", async () => {
    const limit = () => new SextantError("rate_limit_exceeded", "Enough.", { extra: { retry_after: 0.001 } });
    inference.outcomes.push(limit());
    const error = await caught(impatient);
    expect(error).toBeInstanceOf(Anthropic.RateLimitError);
    expect([error.type, error.headers?.get("retry-after-ms")]).toEqual(["rate_limit_error", "1"]);

    inference.outcomes.push(limit(), limit());
    const patient = new Anthropic({ baseURL, apiKey: SERVER_KEY });
    expect((await patient.messages.create(ask)).content).toMatchObject([{ text: "Hello!" }]);
    expect(inference.runs).toHaveLength(4);
  });

  it("include InternalServerError when every provider failed", async () => {
    inference.outcomes.push(new SextantError("upstream_error", "All failed.", { extra: { attempts: [] } }));
    const error = await caught(impatient);
    expect(error).toBeInstanceOf(Anthropic.InternalServerError);
    expect(error.status).toBe(502);
  });
});
