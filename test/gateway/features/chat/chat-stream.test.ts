/** The events of a streamed chat, one test or more for each promise of the contract. */
import { describe, expect, it } from "vitest";
import { SextantError } from "../../../../src/foundation/errors.js";
import type { ChatChunk } from "../../../../src/gateway/providers/chat.js";
import { chunk, fakeRouting, HELLO, streamedAnswer, USAGE } from "../../../fakes/inference.js";
import { eventsOf, helloChat, NOW_MS, postChat, startTestServer } from "../../server.js";

const { app, inference } = startTestServer();

type Changes = Parameters<typeof streamedAnswer>[1];

async function streamed(
  batches: readonly (readonly ChatChunk[])[] = HELLO,
  changes: Changes = {},
  body = {},
) {
  inference.outcomes.push(streamedAnswer(batches, changes));
  const response = await postChat(app, { ...helloChat, stream: true, ...body });
  expect(response.statusCode, response.body).toBe(200);
  const events = eventsOf(response.body);
  const done = events.pop();
  // biome-ignore lint/suspicious/noExplicitAny: the events are what is tested
  return { response, done, events: events as any[], requestId: String(response.headers["x-request-id"]) };
}

describe("The stream of POST /v1/chat/completions", () => {
  it("has exactly these events", async () => {
    const { response, requestId } = await streamed();
    const head =
      `{"id":"chatcmpl-${requestId.slice(4)}","object":"chat.completion.chunk",` +
      `"created":${Math.floor(NOW_MS / 1000)},"model":"gpt-4o-mini","provider":"openai","choices":`;
    const choice = (delta: string, finish = "null", more = "") =>
      `[{"index":0,"delta":${delta},"finish_reason":${finish}}]${more}}`;
    const expected = [
      head + choice('{"role":"assistant","content":""}'),
      head + choice('{"content":"Hel"}'),
      head + choice('{"content":"lo!"}'),
      head + choice("{}", '"stop"', `,"usage":${JSON.stringify(USAGE)},"request_id":"${requestId}"`),
      "[DONE]",
    ];
    expect(response.body).toBe(expected.map((data) => `data: ${data}\n\n`).join(""));
  });

  it("has the headers of an event stream that proxies neither cache nor buffer", async () => {
    const limitHeaders = { "x-ratelimit-limit-requests": "60" };
    const { response } = await streamed(HELLO, { limitHeaders });
    expect(response.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-accel-buffering": "no",
      "x-request-id": expect.stringMatching(/^req_/),
      ...limitHeaders,
    });
  });

  const finished = chunk({}, { finish_reason: "stop" });

  it("passes choices unchanged: tool calls, log probabilities, unknown members, finish reasons", async () => {
    const call = { index: 0, id: "c", type: "function", function: { name: "f", arguments: '{"a' } };
    const delta = { role: "assistant", tool_calls: [call], reasoning_content: 'quotes " and \u2028 lines\n' };
    const logprobs = {
      content: [{ token: "a", logprob: -0.1, bytes: null, top_logprobs: [] }],
      refusal: null,
    };
    const choices = [{ index: 0, delta, logprobs, finish_reason: "tool_calls", content_filter_results: {} }];
    expect((await streamed([[{ choices }]])).events[0].choices).toEqual(choices);
  });

  it("adds empty choices to chunks without any, the first with the role, and keeps the provider's members", async () => {
    const first = { choices: [], prompt_filter_results: [{ prompt_index: 0 }], system_fingerprint: "fp" };
    const { events } = await streamed([[first, first, chunk({ role: "assistant", content: "x" })]]);
    expect(events[0]).toMatchObject({ ...first, choices: [{ index: 0, finish_reason: null }] });
    const deltas = events.slice(0, 3).map(({ choices: [choice] }) => choice.delta);
    expect(deltas).toEqual([{ role: "assistant", content: "" }, {}, { content: "x" }]);
  });

  it("never contains the provider's usage, id and names", async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const own = { usage, provider: "theirs", request_id: "theirs" };
    const theirs = { ...chunk({ role: "assistant", content: "x" }), ...own };
    const { events } = await streamed([[theirs]]);
    expect(events[0]).not.toHaveProperty("usage");
    expect(events[0]).not.toHaveProperty("request_id");
    expect(events[0].provider).toBe("openai");
  });

  it("has a choice in every event, unless `stream_options.include_usage` requests an event without", async () => {
    for (const include_usage of [true, false]) {
      const { events } = await streamed(HELLO, {}, { stream_options: { include_usage } });
      const withoutChoice = events.filter(({ choices }) => choices.length === 0);
      expect(withoutChoice).toHaveLength(include_usage ? 1 : 0);
      expect(events.at(-1).usage).toEqual(USAGE);
      expect(inference.runs.at(-1)?.request.body.stream_options).toEqual({ include_usage });
    }
  });

  it("holds back the event with a finish reason of n > 1 choices until the next, so that the last one has the figures", async () => {
    const ends = [chunk({}, { index: 1, finish_reason: "length" }), chunk({ content: "z" }), finished];
    const { events } = await streamed([
      [chunk({ content: "a" }), chunk({ content: "b" }, { index: 1 }), ...ends],
    ]);
    const shown = events.map(({ choices, usage }) => [choices[0].finish_reason, usage !== undefined]);
    expect(shown.slice(-3)).toEqual([
      ["length", false],
      [null, false],
      ["stop", true],
    ]);
  });

  it("has `routing` with `attempts` and the role, without content, in the first event for `model: auto`, and headers that name who answers", async () => {
    const routing = await fakeRouting();
    const attempts = [
      { provider: "openai", model: "large", status: 200, code: "ok", message: null, latency_ms: 9 },
    ];
    const changes = { routing, attempts, model: "large" };
    const { response, events } = await streamed(HELLO, changes, { model: "auto" });
    expect(events[0].choices).toEqual([
      { index: 0, delta: { role: "assistant", content: "" }, finish_reason: null },
    ]);
    expect(events[0].routing).toEqual({ ...routing, attempts });
    expect(events.slice(1).filter(({ choices }) => choices[0]?.delta.role !== undefined)).toEqual([]);
    expect(events.filter((event) => "routing" in event)).toHaveLength(1);
    expect(response.headers).toMatchObject({ "x-routing-model": "large", "x-routing-provider": "openai" });
  });

  it("is complete for an answer without any chunk", async () => {
    const { events, done } = await streamed([]);
    expect([events.length, done]).toEqual([1, "[DONE]"]);
  });

  it("reports a failure after the first content as an event, and ends without [DONE]", async () => {
    async function* batches() {
      yield HELLO[0] ?? [];
      throw new SextantError("upstream_timeout", "The answer broke off.", { extra: { attempts: [] } });
    }
    inference.outcomes.push(streamedAnswer(batches()));
    const response = await postChat(app, { ...helloChat, stream: true });
    expect(response.statusCode).toBe(200);
    const events = eventsOf(response.body);
    expect(events).toHaveLength(3);
    expect(events[2]).toEqual({
      error: { message: "The answer broke off.", type: "api_error", code: "upstream_timeout", param: null },
      attempts: [],
      request_id: response.headers["x-request-id"],
    });
  });

  it("hides an internal error after the first content from the client and logs it without its message", async () => {
    const buggy = startTestServer();
    async function* batches() {
      yield HELLO[0] ?? [];
      throw new Error("secret prompt");
    }
    buggy.inference.outcomes.push(streamedAnswer(batches()));
    const response = await postChat(buggy.app, { ...helloChat, stream: true });
    expect(eventsOf(response.body).at(-1)).toMatchObject({ error: { code: "internal_error" } });
    expect(response.body + buggy.logLines.join()).not.toContain("secret");
    expect(buggy.logLines).toHaveLength(1);
  });
});
