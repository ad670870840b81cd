import { beforeEach, describe, expect, it } from "vitest";
import { anthropic } from "../../../../src/gateway/providers/anthropic/anthropic-provider.js";
import { messagesHost } from "../../../../src/gateway/providers/anthropic/messages-host.js";
import type { Provider, ProviderCall } from "../../../../src/gateway/providers/provider.js";
import { answerOf } from "../../../contracts/provider-dialects/answer.js";
import { eventReply, jsonReply, UpstreamServer } from "../../../fakes/upstream-server.js";
import { LIMITS } from "../limits.js";
import { messageEvents, streamBytes, wholeMessage } from "./answers.js";

const ANSWER = {
  content: [
    { type: "thinking", thinking: "Weather.", signature: "Er:1" },
    { type: "text", text: "Looking." },
    { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Oslo" } },
  ],
  stop_reason: "tool_use",
  usage: { input_tokens: 3, cache_read_input_tokens: 97, output_tokens: 20 },
};
const CACHED = { type: "text", text: "A long text.", cache_control: { type: "ephemeral" } };

const schema = { type: "object", properties: {}, additionalProperties: false };
const call: ProviderCall = {
  upstreamModel: "claude-opus-4-5@20251101",
  api: "chat",
  body: {
    messages: [
      { role: "system", content: [CACHED] },
      { role: "user", content: "Weather in Oslo?" },
    ],
    max_tokens: 8000,
    reasoning_effort: "low",
    user: "u-1",
    service_tier: "auto",
    tools: [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }],
    response_format: { type: "json_schema", json_schema: { name: "w", schema } },
  },
  stream: false,
};

let server: UpstreamServer;
beforeEach(async () => {
  server = await UpstreamServer.start();
  server.answer(jsonReply(wholeMessage(ANSWER)));
  return () => server.close();
});

const VERTEX_PATH = "/v1/projects/p/locations/global/publishers/anthropic/models";

const open = (path: string, like?: string): Provider => {
  const baseUrl = `${server.origin}${path}`;
  return anthropic({
    ...LIMITS,
    id: "cloud",
    baseUrl,
    apiKey: undefined,
    host: messagesHost({ like, baseUrl }),
  });
};
const options = () => ({ signal: new AbortController().signal });
const sentBody = () => JSON.parse(server.lastRequest.body);

const toolCalls = [{ id: "toolu_1", name: "weather", arguments: '{"city":"Oslo"}' }];
const EXPECTED = {
  choices: [{ content: "Looking.", finish: "tool_calls", toolCalls }],
  usage: { promptTokens: 100, cacheReadTokens: 97, completionTokens: 20 },
};

describe("Claude on Vertex AI", () => {
  it("is named in the path, with the version in the body and no header for it", async () => {
    expect(await answerOf(await open(VERTEX_PATH).send(call, options()))).toMatchObject(EXPECTED);
    expect(server.lastRequest.path).toBe(`${VERTEX_PATH}/claude-opus-4-5@20251101:rawPredict`);
    expect(server.lastRequest.headers).not.toHaveProperty("anthropic-version");
    expect(sentBody()).toMatchObject({
      anthropic_version: "vertex-2023-10-16",
      system: [CACHED],
      metadata: { user_id: "u-1" },
      output_config: { format: { type: "json_schema" } },
    });
    expect(sentBody()).not.toHaveProperty("model");
    expect(sentBody()).not.toHaveProperty("service_tier");
  });

  it("is streamed below another path, with the same answer", async () => {
    server.answer(eventReply(streamBytes(messageEvents(ANSWER))));
    const reply = await open(VERTEX_PATH).send({ ...call, stream: true }, options());
    expect(await answerOf(reply)).toMatchObject(EXPECTED);
    expect(server.lastRequest.path).toBe(`${VERTEX_PATH}/claude-opus-4-5@20251101:streamRawPredict`);
    expect(sentBody()).toMatchObject({ stream: true });
  });

  it("gets a client's own request as it came, but for what Vertex names elsewhere", async () => {
    const native = {
      api: "messages",
      body: { max_tokens: 5, messages: [], service_tier: "auto", top_k: 3 },
      headers: { "anthropic-beta": "context-1m-2025-08-07", "anthropic-version": "2026-10-21" },
      replaceable: false,
    } as const;
    await open(VERTEX_PATH).send({ ...call, native }, options());
    expect(sentBody()).toEqual({
      max_tokens: 5,
      messages: [],
      top_k: 3,
      stream: false,
      anthropic_version: "vertex-2023-10-16",
    });
    expect(server.lastRequest.headers).toMatchObject({ "anthropic-beta": "context-1m-2025-08-07" });
    expect(server.lastRequest.headers).not.toHaveProperty("anthropic-version");
    server.answer(jsonReply({ input_tokens: 12 }));
    expect(await open(VERTEX_PATH).countTokens?.({ upstreamModel: "m", native }, options())).toBe(12);
    expect(server.lastRequest.path).toBe(`${VERTEX_PATH}/count-tokens:rawPredict`);
    expect(sentBody()).toMatchObject({ model: "m", anthropic_version: "vertex-2023-10-16" });
  });
});

describe("Claude on Bedrock", () => {
  const bedrock = () => open("/anthropic", "bedrock-anthropic");

  it.each([false, true])(
    "is asked at Anthropic's path, without what Bedrock refuses, streamed: %o",
    async (stream) => {
      if (stream) server.answer(eventReply(streamBytes(messageEvents(ANSWER))));
      const reply = await bedrock().send(
        { ...call, upstreamModel: "us.anthropic.claude-opus-5", stream },
        options(),
      );
      expect(await answerOf(reply)).toMatchObject(EXPECTED);
      expect(server.lastRequest).toMatchObject({
        path: "/anthropic/v1/messages",
        headers: { "anthropic-version": "2023-06-01" },
      });
      expect(sentBody()).toMatchObject({ model: "us.anthropic.claude-opus-5", system: [CACHED], stream });
      for (const name of ["metadata", "service_tier", "anthropic_version"])
        expect(sentBody()).not.toHaveProperty(name);
      expect(sentBody().output_config ?? {}).not.toHaveProperty("format");
      expect(sentBody().tools.map(({ name }: { name: string }) => name)).toEqual(["weather", "json_answer"]);
    },
  );

  it("has no route that counts tokens, which Anthropic's own API has", async () => {
    expect(bedrock().countTokens).toBeUndefined();
    server.answer(jsonReply({ input_tokens: 12 }));
    const native = { api: "messages", body: { messages: [] }, headers: {}, replaceable: false } as const;
    expect(await open("/v1").countTokens?.({ upstreamModel: "m", native }, options())).toBe(12);
    expect(server.lastRequest.path).toBe("/v1/messages/count_tokens");
  });

  it("is known by its address too", () => {
    const at = (host: string) => messagesHost({ baseUrl: `https://${host}/anthropic` });
    expect(at("bedrock-runtime.eu-west-1.amazonaws.com")).toBe(
      messagesHost({ like: "bedrock-anthropic", baseUrl: "" }),
    );
    expect(at("ours.services.ai.azure.com")).toBe(at("api.anthropic.com"));
  });
});
