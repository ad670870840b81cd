/** Anthropic's SDK against the server on loopback. */
import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SextantError } from "../../../src/foundation/errors.js";
import { KEY } from "../../gateway/server.js";
import {
  AFTER_THE_CALLS,
  ASKED_IMAGE,
  brokenStream,
  IMAGE_BASE64,
  limit,
  noSuchModel,
  serverForClient,
} from "./at-vendors.js";
import { callingAnswer, OSLO_AND_ROME, saying } from "./tool-answers.js";

const server = serverForClient();
const { inference } = server;
const open = (changes: { apiKey?: string; maxRetries?: number } = {}) =>
  new Anthropic({ baseURL: server.origin, apiKey: KEY, maxRetries: 0, ...changes });

const question = { role: "user" as const, content: "What is the weather in Oslo and in Rome?" };
const ask = { model: "gpt-4o-mini", max_tokens: 100, messages: [question] };
const schema = z.object({ city: z.string() });

it("Anthropic's SDK holds a conversation: texts, images, streams, tools and structured output, which every vendor takes", async () => {
  const { messages: api, beta } = open();
  const message = await api.create({ ...ask, system: "Be brief." });
  expect(message.content).toMatchObject([{ type: "text", text: "Hello!" }]);
  expect([message.stop_reason, message.model]).toEqual(["end_turn", "gpt-4o-mini"]);
  expect(message.usage).toMatchObject({ input_tokens: 9, output_tokens: 3 });
  expect(message._request_id).toMatch(/^req_/);
  expect(server.messagesOf(0)).toMatchObject([{ role: "system", content: "Be brief." }, question]);

  const source = { type: "base64" as const, media_type: "image/png" as const, data: IMAGE_BASE64 };
  await api.create({ ...ask, messages: [{ role: "user", content: [{ type: "image", source }] }] });
  expect(server.messagesOf(1)).toEqual([{ role: "user", content: [ASKED_IMAGE] }]);

  inference.outcomes.push(callingAnswer(OSLO_AND_ROME));
  const run = betaZodTool({
    name: "weather",
    description: "The weather of a city",
    inputSchema: schema,
    run: ({ city }) => `3 °C in ${city}`,
  });
  await beta.messages.toolRunner({ ...ask, tools: [run], thread: false });
  expect(inference.runs.at(-1)?.request.body.messages).toMatchObject(AFTER_THE_CALLS);

  inference.outcomes.push(saying('{"city":"Oslo"}'));
  const parsed = await api.parse({ ...ask, output_config: { format: zodOutputFormat(schema) } });
  expect(parsed.parsed_output).toEqual({ city: "Oslo" });
  await server.vendorsTakeWhatWasSent();
});

it("Anthropic's SDK counts tokens, and lists models in its own form, page by page", async () => {
  const { messages, models } = open();
  const counted = await messages.countTokens({ model: ask.model, messages: [question] });
  expect(counted.input_tokens).toBeGreaterThan(5);
  const ids: string[] = [];
  for await (const { id, type } of models.list({ limit: 2 })) ids.push(`${type} ${id}`);
  expect(ids).toEqual(["model gpt-4o-mini", "model lab/own model", "model sextant"]);
  expect(await models.retrieve("gpt-4o-mini")).toMatchObject({
    display_name: "gpt-4o-mini",
    created_at: "2024-07-18T00:00:00.000Z",
    max_input_tokens: 128_000,
    max_tokens: 16_384,
  });
});

describe("Errors in Anthropic's SDK", () => {
  const caught = async (from: Anthropic) => {
    const error: unknown = await from.messages.create(ask).catch((reason: unknown) => reason);
    if (!(error instanceof Anthropic.APIError)) throw new Error("no APIError was thrown");
    return error;
  };

  it("are its classes, with type and request", async () => {
    const refused = await caught(open({ apiKey: "pk_live_wrong" }));
    expect(refused).toBeInstanceOf(Anthropic.AuthenticationError);
    expect([refused.status, refused.type]).toEqual([401, "authentication_error"]);
    expect(refused.requestID).toMatch(/^req_/);
    inference.outcomes.push(noSuchModel());
    const unknown = await caught(open());
    expect(unknown).toBeInstanceOf(Anthropic.NotFoundError);
    expect(unknown.message).toContain("There is no model x.");
    inference.outcomes.push(new SextantError("upstream_error", "All failed.", { extra: { attempts: [] } }));
    expect(await caught(open())).toBeInstanceOf(Anthropic.InternalServerError);
  });

  it("say how long to wait, and are retried then", async () => {
    inference.outcomes.push(limit());
    const error = await caught(open());
    expect(error).toBeInstanceOf(Anthropic.RateLimitError);
    expect([error.type, error.headers?.get("retry-after-ms")]).toEqual(["rate_limit_error", "1"]);
    inference.outcomes.push(limit());
    const patient = open({ maxRetries: 2 });
    expect((await patient.messages.create(ask)).content).toMatchObject([{ text: "Hello!" }]);
    expect(inference.runs).toHaveLength(3);
  });

  it("come in the middle of a stream", async () => {
    inference.outcomes.push(brokenStream());
    await expect(open().messages.stream(ask).finalMessage()).rejects.toThrow("It broke off.");
  });
});
