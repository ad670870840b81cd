/** The real `openai` package against the server on loopback: what its users do works, and errors are its typed ones. */
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { SextantError } from "../../../src/foundation/errors.js";
import {
  chunk,
  fakeRouting,
  HELLO,
  LiveStream,
  streamedAnswer,
  USAGE,
  wholeAnswer,
} from "../../fakes/inference.js";
import { KEY, listening, startTestServer } from "../../gateway/server/server.js";
import { answeredRequests, vendorsTake } from "./at-vendors.js";
import { OSLO_AND_ROME, saying, streamedCalls } from "./tool-answers.js";

const { app, inference } = startTestServer();
const sent = answeredRequests(app);
let baseURL = "";
let client: OpenAI;
beforeAll(async () => {
  baseURL = `http://127.0.0.1:${await listening(app)}/v1`;
  client = new OpenAI({ baseURL, apiKey: KEY, maxRetries: 0 });
});
afterAll(() => app.close());
beforeEach(() => {
  inference.runs.length = 0;
  inference.outcomes.length = 0;
});

const messages = [{ role: "user" as const, content: "hello" }];
const ask = { model: "gpt-4o-mini", messages };

const functionCall = {
  id: "call_1",
  type: "function" as const,
  function: { name: "weather", arguments: '{"city":"Oslo"}' },
};
const weather: OpenAI.Chat.ChatCompletionTool = {
  type: "function",
  function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
};

describe("The openai package", () => {
  it("creates chat completions", async () => {
    const completion = await client.chat.completions.create({ ...ask, temperature: 0.2 });
    expect(completion.choices[0]?.message.content).toBe("Hello!");
    expect(completion.choices[0]?.finish_reason).toBe("stop");
    expect(completion.usage).toEqual(USAGE);
    expect(completion._request_id).toMatch(/^req_/);
    expect(inference.runs[0]?.request.body).toEqual({ messages, temperature: 0.2 });
  });

  it("creates chat completions with unknown fields sent in the SDK's way", async () => {
    const ours = { fallbacks: ["claude-3-5-haiku-20241022"], router: { cost_weight: 0.3 } };
    const body = { model: "auto", messages, ...ours } as OpenAI.Chat.ChatCompletionCreateParamsNonStreaming;
    inference.outcomes.push(wholeAnswer({ routing: await fakeRouting() }));
    const { data, response } = await client.chat.completions.create(body).withResponse();
    expect(inference.runs[0]?.request).toMatchObject({
      choice: { type: "routed", costWeight: 0.3 },
      fallbacks: ours.fallbacks,
    });
    expect(data).toHaveProperty("routing.selected_model", "large");
    expect(response.headers.get("x-routing-provider")).toBe("openai");
  });

  it("creates responses with text, usage and id", async () => {
    const response = await client.responses.create({
      model: "gpt-4o-mini",
      input: "hello",
      instructions: "Be brief.",
    });
    expect([response.status, response.output_text]).toEqual(["completed", "Hello!"]);
    expect(response.usage).toMatchObject({
      input_tokens: USAGE.prompt_tokens,
      total_cost_usd: USAGE.total_cost_usd,
    });
    expect(response._request_id).toMatch(/^req_/);
    expect(inference.runs[0]?.request.body.messages).toEqual([
      { role: "system", content: "Be brief." },
      ...messages,
    ]);
  });

  it("runs a tool loop with responses.create", async () => {
    const message = { role: "assistant", content: null, tool_calls: [functionCall] };
    const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
    inference.outcomes.push(wholeAnswer({ completion: { choices } }));
    const tool = { type: "function" as const, ...weather.function, parameters: {}, strict: false };
    const first = await client.responses.create({ model: "gpt-4o-mini", input: "Weather?", tools: [tool] });
    const output = { type: "function_call_output" as const, call_id: functionCall.id, output: "rain" };
    const calls = first.output.filter((item) => item.type === "function_call");
    const input = [{ role: "user" as const, content: "Weather?" }, ...calls, output];
    const second = await client.responses.create({ model: "gpt-4o-mini", input, tools: [tool] });
    expect(second.output_text).toBe("Hello!");
    expect(inference.runs[1]?.request.body.messages).toEqual([
      { role: "user", content: "Weather?" },
      message,
      { role: "tool", tool_call_id: functionCall.id, content: "rain" },
    ]);
  });

  it("streams responses with interleaved parallel calls", async () => {
    inference.outcomes.push(streamedCalls(OSLO_AND_ROME));
    const final = await client.responses.stream({ model: "gpt-4o-mini", input: "Weather?" }).finalResponse();
    expect(final.output).toMatchObject(
      OSLO_AND_ROME.map(({ id, function: called }) => ({ type: "function_call", call_id: id, ...called })),
    );
  });

  it("parses responses with a schema", async () => {
    inference.outcomes.push(saying('{"city":"Oslo"}'));
    const format = zodTextFormat(z.object({ city: z.string() }), "place");
    const parsed = await client.responses.parse({ model: "gpt-4o-mini", input: "Where?", text: { format } });
    expect(parsed.output_parsed).toEqual({ city: "Oslo" });
    expect(inference.runs[0]?.request.body.response_format).toMatchObject({
      type: "json_schema",
      json_schema: { name: "place", strict: true },
    });
  });

  it("assembles streamed events (responses.stream)", async () => {
    const stream = client.responses.stream({ model: "gpt-4o-mini", input: "hello" });
    let text = "";
    for await (const event of stream) if (event.type === "response.output_text.delta") text += event.delta;
    expect(text).toBe("Hello!");
    expect((await stream.finalResponse()).output_text).toBe("Hello!");
  });

  it("throws the error that ends a stream of events", async () => {
    async function* batches() {
      yield HELLO[0] ?? [];
      throw new SextantError("upstream_error", "It broke off.");
    }
    inference.outcomes.push(streamedAnswer(batches()));
    const stream = await client.responses.create({ model: "gpt-4o-mini", input: "hello", stream: true });
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toThrow("It broke off.");
  });

  it("gets a choice in every chunk of a chat stream, as simple loops expect", async () => {
    for await (const part of await client.chat.completions.create({ ...ask, stream: true })) {
      expect(part.choices[0]?.delta).toBeDefined();
    }
  });

  it("streams as an async iterable, with usage at the end", async () => {
    const stream = await client.chat.completions.create({
      ...ask,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const part of stream) {
      text += part.choices[0]?.delta.content ?? "";
      usage = part.usage ?? usage;
    }
    expect([text, usage]).toEqual(["Hello!", USAGE]);
  });

  it("assembles chunks of several choices (chat.completions.stream)", async () => {
    inference.outcomes.push(
      streamedAnswer([
        [
          chunk({ role: "assistant", content: "a" }),
          chunk({ role: "assistant", content: "x" }, { index: 1 }),
        ],
        [chunk({ role: "assistant", content: "b" }), chunk({ content: "y" }, { index: 1 })],
        [chunk({}, { finish_reason: "stop" }), chunk({}, { index: 1, finish_reason: "length" })],
      ]),
    );
    const final = await client.chat.completions.stream({ ...ask, n: 2 }).finalChatCompletion();
    expect(
      final.choices.map(({ message, finish_reason }) => [message.role, message.content, finish_reason]),
    ).toEqual([
      ["assistant", "ab", "stop"],
      ["assistant", "xy", "length"],
    ]);
    expect(final.usage).toEqual(USAGE);
  });

  it("streams a routed answer, whose first event has the decision and no content", async () => {
    inference.outcomes.push(streamedAnswer(HELLO, { routing: await fakeRouting() }));
    const final = await client.chat.completions.stream({ ...ask, model: "auto" }).finalChatCompletion();
    expect(final.choices[0]?.message).toMatchObject({ role: "assistant", content: "Hello!" });
  });

  it("aborts the request when iteration stops early", async () => {
    let live: LiveStream | undefined;
    inference.outcomes.push(async (_request, { signal }) => {
      live = new LiveStream(signal);
      live.push([chunk({ role: "assistant", content: "first" })]);
      return streamedAnswer(live);
    });
    for await (const _ of await client.chat.completions.create({ ...ask, stream: true })) break;
    await live?.left;
    expect(inference.runs[0]?.context.signal.aborted).toBe(true);
  });

  it("gets tool calls, whole and streamed, and sends their results", async () => {
    const message = { role: "assistant", content: null, tool_calls: [functionCall] };
    inference.outcomes.push(
      wholeAnswer({ completion: { choices: [{ index: 0, message, finish_reason: "tool_calls" }] } }),
    );
    const called = await client.chat.completions.create({ ...ask, tools: [weather], tool_choice: "auto" });
    expect(called.choices[0]?.message.tool_calls).toEqual([functionCall]);
    expect(inference.runs[0]?.request.body).toMatchObject({ tools: [weather], tool_choice: "auto" });

    const result = { role: "tool" as const, tool_call_id: "call_1", content: "3 °C" };
    const said = called.choices[0]?.message;
    if (said === undefined) throw new Error("no answer");
    await client.chat.completions.create({ ...ask, messages: [...messages, said, result], tools: [weather] });
    expect(inference.runs[1]?.request.body.messages).toEqual([...messages, message, result]);

    const piece = (call: object, rest = {}) => [chunk({ tool_calls: [{ index: 0, ...call }], ...rest })];
    inference.outcomes.push(
      streamedAnswer([
        piece(
          { id: "call_1", type: "function", function: { name: "weather", arguments: "" } },
          { role: "assistant" },
        ),
        piece({ function: { arguments: '{"city":' } }),
        piece({ function: { arguments: '"Oslo"}' } }),
        [chunk({}, { finish_reason: "tool_calls" })],
      ]),
    );
    const streamed = await client.chat.completions.stream({ ...ask, tools: [weather] }).finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject(functionCall);
  });

  it("parses JSON with a schema (chat.completions.parse)", async () => {
    const message = { role: "assistant", content: '{"city":"Oslo","celsius":3}', refusal: null };
    inference.outcomes.push(
      wholeAnswer({ completion: { choices: [{ index: 0, message, finish_reason: "stop" }] } }),
    );
    const schema = z.object({ city: z.string(), celsius: z.number() });
    const format = zodResponseFormat(schema, "weather");
    const parsed = await client.chat.completions.parse({ ...ask, response_format: format });
    expect(parsed.choices[0]?.message.parsed).toEqual({ city: "Oslo", celsius: 3 });
    expect(inference.runs[0]?.request.body.response_format).toEqual(JSON.parse(JSON.stringify(format)));
  });

  it("creates text completions, whole and streamed", async () => {
    const old = { model: "gpt-4o-mini", prompt: "Say hello" };
    const completion = await client.completions.create(old);
    expect([completion.object, completion.choices[0]?.text]).toEqual(["text_completion", "Hello!"]);
    let text = "";
    for await (const part of await client.completions.create({ ...old, stream: true })) {
      text += part.choices[0]?.text ?? "";
    }
    expect(text).toBe("Hello!");
  });

  it("lists and retrieves models, including ids with slashes and spaces", async () => {
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    // One of the two has a profile, so that there is nothing for `auto` to choose between.
    expect(ids).toEqual(["gpt-4o-mini", "lab/own model", "sextant"]);
    expect(await client.models.retrieve("lab/own model")).toMatchObject({
      id: "lab/own model",
      owned_by: "lab",
    });
  });
});

describe("Errors in the openai package", () => {
  const caught = async (work: Promise<unknown>) => {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof OpenAI.APIError)) throw new Error("no APIError was thrown");
    return error;
  };

  it("include AuthenticationError", async () => {
    const stranger = new OpenAI({ baseURL, apiKey: "pk_live_wrong", maxRetries: 0 });
    const error = await caught(stranger.chat.completions.create(ask));
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: "invalid_api_key", type: "authentication_error" });
    expect(error.requestID).toMatch(/^req_/);
  });

  it("include BadRequestError with the field", async () => {
    const error = await caught(client.chat.completions.create({ ...ask, temperature: 3 }));
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ code: "invalid_request", param: "temperature" });
    expect(error.message).toBe("400 `temperature` is 3: it must be a number from 0 to 2.");
  });

  it("include NotFoundError for an unknown model", async () => {
    inference.outcomes.push(new SextantError("model_not_found", "There is no model x.", { param: "model" }));
    const error = await caught(client.chat.completions.create(ask));
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error.code).toBe("model_not_found");
  });

  it("include RateLimitError with the wait in its headers, retried by default", async () => {
    const limit = () => new SextantError("rate_limit_exceeded", "Enough.", { extra: { retry_after: 0.001 } });
    inference.outcomes.push(limit());
    const error = await caught(client.chat.completions.create(ask));
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect([error.headers?.get("retry-after"), error.headers?.get("retry-after-ms")]).toEqual(["1", "1"]);

    inference.outcomes.push(limit(), limit());
    const patient = new OpenAI({ baseURL, apiKey: KEY });
    expect((await patient.chat.completions.create(ask)).choices[0]?.message.content).toBe("Hello!");
    expect(inference.runs).toHaveLength(4);
  });

  it("are retried after the wait that an overloaded gateway reports", async () => {
    inference.outcomes.push(new SextantError("overloaded", "Too much.", { extra: { retry_after: 0.001 } }));
    const patient = new OpenAI({ baseURL, apiKey: KEY });
    const response = await patient.responses.create({ model: "gpt-4o-mini", input: "hello" });
    expect(response.output_text).toBe("Hello!");
    expect(inference.runs).toHaveLength(2);
  });

  it("include InternalServerError when every provider failed", async () => {
    inference.outcomes.push(new SextantError("upstream_error", "All failed.", { extra: { attempts: [] } }));
    const error = await caught(client.chat.completions.create({ ...ask, stream: true }));
    expect(error).toBeInstanceOf(OpenAI.InternalServerError);
    expect(error.status).toBe(502);
  });

  it("include APIError in the middle of a stream, after the content before it", async () => {
    async function* batches() {
      yield HELLO[1] ?? [];
      throw new SextantError("upstream_timeout", "The provider fell silent.");
    }
    inference.outcomes.push(streamedAnswer(batches()));
    const stream = await client.chat.completions.create({ ...ask, stream: true });
    let text = "";
    const error = await caught(
      (async () => {
        for await (const part of stream) text += part.choices[0]?.delta.content ?? "";
      })(),
    );
    expect(text).toBe("lo!");
    expect(error).toMatchObject({ code: "upstream_timeout", type: "api_error" });
    expect(error.message).toContain("The provider fell silent.");
  });
});

vendorsTake(sent);
