/** OpenAI's SDK through the whole gateway, answered by a model of Anthropic's: chat completions and Responses. */
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { jsonReply } from "../../fakes/upstream-server.js";
import {
  answerInTurn,
  bodySeen,
  type Gateway,
  KEY,
  messageReply,
  messageStream,
  startGateway,
} from "./gateway.js";

let gateway: Gateway;
let client: OpenAI;
beforeAll(async () => {
  gateway = await startGateway();
  client = new OpenAI({ baseURL: `${gateway.address}/v1`, apiKey: KEY, maxRetries: 0 });
});
afterAll(() => gateway?.stop());

const model = "claude-haiku-4-5";
const prompt = "What is the weather in Oslo and in Rome?";
const question = { role: "user" as const, content: prompt };
const ask = { model, messages: [question], max_tokens: 100 };
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const weather = {
  name: "weather",
  description: "The weather of a city",
  parameters: schema,
};

const use = (id: string, city: string) => ({ type: "tool_use", id, name: "weather", input: { city } });
const OSLO_AND_ROME = [use("toolu_1", "Oslo"), use("toolu_2", "Rome")];
const text = { type: "text", text: "Let me look." };
const cold = messageReply([{ type: "text", text: "Cold." }]);
const streamedUse = ({ input, ...start }: ReturnType<typeof use>) => ({
  start: { ...start, input: {} },
  deltas: [JSON.stringify(input).slice(0, 4), JSON.stringify(input).slice(4)].map((partial_json) => ({
    type: "input_json_delta",
    partial_json,
  })),
});
const streamedCalls = messageStream(
  [
    { start: { type: "text", text: "" }, deltas: [{ type: "text_delta", text: "Let me look." }] },
    ...OSLO_AND_ROME.map(streamedUse),
  ],
  "tool_use",
);
/** What Claude is to see after its calls. */
const afterTheCalls = [
  { role: "user" },
  { role: "assistant", content: [text, ...OSLO_AND_ROME] },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "toolu_1" },
      { type: "tool_result", tool_use_id: "toolu_2" },
    ],
  },
];
const cityOf = (given: string) => (JSON.parse(given) as { city: string }).city;

describe("OpenAI's SDK, chat completions answered by Claude,", () => {
  const tools = [{ type: "function" as const, function: weather }];
  const resultsOf = (calls: readonly OpenAI.Chat.ChatCompletionMessageToolCall[] = []) =>
    calls.flatMap((call) =>
      call.type === "function"
        ? [
            {
              role: "tool" as const,
              tool_call_id: call.id,
              content: `3 °C in ${cityOf(call.function.arguments)}`,
            },
          ]
        : [],
    );

  it("runs a loop of parallel tool calls", async () => {
    answerInTurn(gateway.anthropic, messageReply([text, ...OSLO_AND_ROME], "tool_use"), cold);
    const called = await client.chat.completions.create({ ...ask, tools });
    expect(called.choices[0]?.finish_reason).toBe("tool_calls");
    const message = called.choices[0]?.message;
    if (message === undefined) throw new Error("no answer");
    const messages = [question, message, ...resultsOf(message.tool_calls)];
    const told = await client.chat.completions.create({ ...ask, messages, tools });
    expect(told.choices[0]?.message.content).toBe("Cold.");
    expect(bodySeen(gateway.anthropic).messages).toMatchObject(afterTheCalls);
    expect(bodySeen(gateway.anthropic).tools).toMatchObject([{ name: "weather", input_schema: schema }]);
  });

  it("runs its own tool loop", async () => {
    answerInTurn(gateway.anthropic, messageReply([text, ...OSLO_AND_ROME], "tool_use"), cold);
    const runner = client.chat.completions.runTools({
      ...ask,
      tools: [
        {
          type: "function",
          function: {
            ...weather,
            parse: (given: string) => JSON.parse(given) as { city: string },
            function: ({ city }: { city: string }) => `3 °C in ${city}`,
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe("Cold.");
    expect(bodySeen(gateway.anthropic).messages).toMatchObject(afterTheCalls);
  });

  it("streams tool calls", async () => {
    gateway.anthropic.answer(streamedCalls);
    const stream = client.chat.completions.stream({ ...ask, tools });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: "Let me look.",
        tool_calls: [
          { id: "toolu_1", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
          { id: "toolu_2", function: { name: "weather", arguments: '{"city":"Rome"}' } },
        ],
      },
    });
    expect(final.usage).toMatchObject({ prompt_tokens: 1000, completion_tokens: 200 });
  });

  it("gets a choice in every chunk of a stream, as simple loops expect", async () => {
    gateway.anthropic.answer(streamedCalls);
    for await (const part of await client.chat.completions.create({ ...ask, tools, stream: true }))
      expect(part.choices[0]?.delta).toBeDefined();
  });

  it("parses structured output", async () => {
    gateway.anthropic.answer(messageReply([{ type: "text", text: '{"city":"Oslo"}' }]));
    const response_format = zodResponseFormat(z.object({ city: z.string() }), "place");
    const parsed = await client.chat.completions.parse({ ...ask, response_format });
    expect(parsed.choices[0]?.message.parsed).toEqual({ city: "Oslo" });
  });

  it("throws a typed error with Anthropic's message", async () => {
    const error = { type: "invalid_request_error", message: "max_tokens: too many" };
    gateway.anthropic.answer(jsonReply({ type: "error", error }, { status: 400 }));
    const thrown: unknown = await client.chat.completions.create(ask).catch((reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(OpenAI.BadRequestError);
    expect((thrown as InstanceType<typeof OpenAI.APIError>).code).toBe("upstream_rejected");
    expect((thrown as Error).message).toContain("max_tokens: too many");
  });
});

describe("OpenAI's SDK, Responses answered by Claude,", () => {
  const tools = [{ type: "function" as const, ...weather, strict: false }];
  const request = { model, input: prompt, tools, max_output_tokens: 100 };
  const outputsOf = (output: readonly OpenAI.Responses.ResponseOutputItem[]) =>
    output.flatMap((item) =>
      item.type === "function_call"
        ? [
            {
              type: "function_call_output" as const,
              call_id: item.call_id,
              output: `3 °C in ${cityOf(item.arguments)}`,
            },
          ]
        : [],
    );

  it.each([false, true])("runs a loop of parallel tool calls (streamed: %s)", async (streamed) => {
    answerInTurn(
      gateway.anthropic,
      streamed ? streamedCalls : messageReply([text, ...OSLO_AND_ROME], "tool_use"),
      cold,
    );
    const called = streamed
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
    expect(called.output.map(({ type }) => type)).toEqual(["message", "function_call", "function_call"]);
    const said = called.output as OpenAI.Responses.ResponseInputItem[];
    const input = [question, ...said, ...outputsOf(called.output)];
    const told = await client.responses.create({ ...request, input });
    expect(told.output_text).toBe("Cold.");
    expect(bodySeen(gateway.anthropic).messages).toMatchObject(afterTheCalls);
  });

  it("returns signed thinking to Claude with the tool results", async () => {
    const thinking = { type: "thinking", thinking: "Oslo it is.", signature: "Erc2ln" };
    answerInTurn(gateway.anthropic, messageReply([thinking, use("toolu_1", "Oslo")], "tool_use"), cold);
    const reasoning = { effort: "low" as const };
    const asked = { ...request, max_output_tokens: 5000, reasoning };
    const called = await client.responses.create(asked);
    expect(called.output.map(({ type }) => type)).toEqual(["reasoning", "function_call"]);
    const said = called.output as OpenAI.Responses.ResponseInputItem[];
    await client.responses.create({ ...asked, input: [question, ...said, ...outputsOf(called.output)] });
    expect(bodySeen(gateway.anthropic).messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [thinking, use("toolu_1", "Oslo")] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
    ]);
  });

  it("parses structured output", async () => {
    gateway.anthropic.answer(messageReply([{ type: "text", text: '{"city":"Oslo"}' }]));
    const format = zodTextFormat(z.object({ city: z.string() }), "place");
    const parsed = await client.responses.parse({ model, input: prompt, text: { format } });
    expect(parsed.output_parsed).toEqual({ city: "Oslo" });
  });
});
