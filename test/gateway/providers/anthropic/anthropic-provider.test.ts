import { beforeEach, describe, expect, it } from "vitest";
import {
  type AnthropicOptions,
  anthropic,
} from "../../../../src/gateway/providers/anthropic/anthropic-provider.js";
import type { Provider, ProviderCall } from "../../../../src/gateway/providers/provider.js";
import { answerOf } from "../../../contracts/provider-dialects/answer.js";
import { eventReply, jsonReply, UpstreamServer } from "../../../fakes/upstream-server.js";
import { LIMITS } from "../limits.js";
import { messageEvents, streamBytes, wholeMessage } from "./answers.js";
import { HELLO, MODELS } from "./translate.js";

const SAID = { content: [{ type: "text", text: "Hello, you." }], stop_reason: "end_turn" };
const JSON_SAID = {
  content: [{ type: "tool_use", id: "a", name: "json_answer", input: { name: "Ada" } }],
  stop_reason: "tool_use",
};
const call: ProviderCall = {
  upstreamModel: MODELS.budgeted,
  api: "chat",
  body: { messages: [HELLO] },
  stream: false,
};

let server: UpstreamServer;
beforeEach(async () => {
  server = await UpstreamServer.start();
  server.answer(jsonReply(wholeMessage(SAID)));
  return () => server.close();
});

function open(options: Partial<AnthropicOptions> = {}): Provider {
  return anthropic({ id: "anthropic", baseUrl: server.origin, apiKey: "k", ...LIMITS, ...options });
}

const send = (options: Partial<AnthropicOptions> = {}, change: Partial<ProviderCall> = {}) =>
  open(options).send({ ...call, ...change }, new AbortController());

describe("The Anthropic provider", () => {
  it.each([
    ["/", "/v1/messages"],
    ["/v1/", "/v1/messages"],
    ["/proxy/anthropic?team=a", "/proxy/anthropic/v1/messages?team=a"],
  ])("posts for the base URL %o to %s", async (ending, path) => {
    await send({ baseUrl: `${server.origin}${ending}` });
    expect(server.lastRequest).toMatchObject({ method: "POST", path });
  });

  it("sends the beta features of a request", async () => {
    await send({}, { body: { ...call.body, anthropic_beta: ["files-api-2025-04-14"] } });
    expect(server.lastRequest.headers).toMatchObject({ "anthropic-beta": "files-api-2025-04-14" });
  });

  it("sends no key when it has none, and the configured API version", async () => {
    await send({ apiKey: undefined, apiVersion: "2030-01-01" });
    expect(server.lastRequest.headers).not.toHaveProperty("x-api-key");
    expect(server.lastRequest.headers).toMatchObject({ "anthropic-version": "2030-01-01" });
  });

  // platform.claude.com/docs/en/api/versioning (2026-11-28); pinned by a gateway, newer features fail: github.com/Portkey-AI/gateway/pull/1501
  // (2026-01-12), https://github.com/envoyproxy/ai-gateway/pull/1369 (2025-10-14)
  it("sends a client's own request with the version and the features that the client asks for", async () => {
    const headers = { "anthropic-version": "2026-10-21" };
    const native = {
      api: "messages",
      body: { max_tokens: 5, messages: [], anthropic_beta: ["a-2026-01-01", "b-2026-01-01"] },
      headers,
      replaceable: false,
    } as const;
    await send({ apiVersion: "2030-01-01" }, { native });
    expect(server.lastRequest.headers).toMatchObject({
      ...headers,
      "anthropic-beta": "a-2026-01-01,b-2026-01-01",
    });
    expect(server.lastRequest.body).not.toContain("beta");
    await send({}, { native: { ...native, headers: {} } });
    expect(server.lastRequest.headers).toMatchObject({ "anthropic-version": "2023-06-01" });
  });

  it.each([
    ["anthropic", true],
    ["relay", false],
  ])("sends Claude Code's attribution to %s: %s", async (id, isSent) => {
    const line = "x-anthropic-billing-header: cc_version=2.1.177.01c; cch=36ee5;";
    const text = (said: string) => ({ type: "text", text: said });
    for (const [system, rest] of [
      [[text(line), text("Be brief.")], [text("Be brief.")]],
      [`${line}\nBe brief.`, "Be brief."],
      [
        [text("Be brief."), text(line)],
        [text("Be brief."), text(line)],
      ],
    ]) {
      const native = {
        api: "messages",
        body: { system, messages: [] },
        headers: {},
        replaceable: false,
      } as const;
      await send({ id }, { native });
      expect(JSON.parse(server.lastRequest.body).system).toEqual(isSent ? system : rest);
    }
  });

  it("adds a creation date, which Anthropic's replies lack", async () => {
    await expect(send({ now: () => 1_763_600_000_999 })).resolves.toMatchObject({
      completion: { created: 1_763_600_000 },
    });
  });

  it.each([false, true])(
    "returns the answer tool's input as the answer's text, streamed: %s",
    async (stream) => {
      server.answer(
        stream ? eventReply(streamBytes(messageEvents(JSON_SAID))) : jsonReply(wholeMessage(JSON_SAID)),
      );
      const json_schema = { name: "person", schema: { type: "object" } };
      const response_format = { type: "json_schema", json_schema };
      const answer = await answerOf(await send({}, { body: { ...call.body, response_format }, stream }));
      expect(answer.choices).toEqual([{ content: '{"name":"Ada"}', finish: "stop", toolCalls: [] }]);
    },
  );
});
