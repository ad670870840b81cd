/** Each field and header of the whole answer of `POST /v1/chat/completions`, and what inference is told of the asker. */
import { describe, expect, it } from "vitest";
import { chatCompletionSchema } from "../../../../src/gateway/api/completion.js";
import { fakeRouting, USAGE, wholeAnswer } from "../../../fakes/inference.js";
import { BOUND_KEY, helloChat, NOW_MS, postChat, startTestServer } from "../../server.js";

const { app, inference } = startTestServer();

async function answered(changes: Parameters<typeof wholeAnswer>[0] = {}, body: object = {}) {
  inference.outcomes.push(wholeAnswer(changes));
  const response = await postChat(app, { ...helloChat, ...body });
  expect(response.statusCode, response.body).toBe(200);
  expect(chatCompletionSchema.parse(response.json())).toEqual(response.json());
  return { response, body: response.json() };
}

describe("The answer of POST /v1/chat/completions", () => {
  it("has exactly this body", async () => {
    const { response, body } = await answered();
    const requestId = String(response.headers["x-request-id"]);
    expect(body).toEqual({
      id: `chatcmpl-${requestId.slice(4)}`,
      object: "chat.completion",
      created: Math.floor(NOW_MS / 1000),
      model: "gpt-4o-mini",
      provider: "openai",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Hello!", refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      system_fingerprint: "fp_1",
      usage: USAGE,
      request_id: requestId,
    });
    expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(Object.keys(response.headers).filter((name) => name.startsWith("x-routing"))).toEqual([]);
  });

  it("has the provider's `choices`: several, tool calls, log probabilities, unknown members", async () => {
    const call = { id: "c", type: "function", function: { name: "f", arguments: '{"a":1.0}' } };
    const choices = [
      {
        index: 0,
        message: { role: "assistant", content: null, tool_calls: [call], reasoning_content: "hm" },
        logprobs: { content: [{ token: "a", logprob: -0.5, bytes: [97], top_logprobs: [] }] },
        finish_reason: "tool_calls",
        content_filter_results: {},
      },
      { index: 1, message: { role: "assistant", content: "" }, finish_reason: "length" },
    ];
    expect((await answered({ completion: { choices } })).body.choices).toEqual(choices);
  });

  it("has other members of the provider's answer, except those that the gateway sets", async () => {
    const others = { service_tier: "default", citations: ["https://example.com"] };
    const theirs = { provider: "theirs", request_id: "theirs", routing: "theirs" };
    const { body } = await answered({ completion: { ...wholeAnswer().completion, ...others, ...theirs } });
    expect(body).toMatchObject({ ...others, provider: "openai" });
    expect(body.request_id).toMatch(/^req_/);
    expect(body).not.toHaveProperty("routing");
  });

  it("has `routing` with `attempts`, and headers that name model and provider, for `model: auto`", async () => {
    const routing = await fakeRouting();
    const attempts = [
      { provider: "openai", model: "large", status: 500, code: "server_error", message: null, latency_ms: 3 },
      { provider: "anthropic", model: "medium", status: 200, code: "ok", message: null, latency_ms: 9 },
    ];
    const { response, body } = await answered(
      { routing, attempts, model: "medium", provider: "anthropic" },
      { model: "auto" },
    );
    expect(body.routing).toEqual({ ...routing, attempts });
    expect(body.model).toBe("medium");
    expect(response.headers).toMatchObject({
      "x-routing-model": "medium",
      "x-routing-provider": "anthropic",
    });
  });

  it("names what was left out in a header of limited length, also where a name was cut in a character", async () => {
    const one = { provider: "lab", model: "large", status: 200, code: "ok", message: null, latency_ms: 3 };
    const types = Array.from({ length: 20 }, (_, at) => `type${at}`);
    const leftOut = async (left_out: readonly string[]) =>
      (await answered({ attempts: [{ ...one, left_out }] })).response.headers["x-left-out"];
    expect(await leftOut(types)).toBe(types.slice(0, 16).join(", "));
    expect(await leftOut(["a\ud83d"])).toBe("a%EF%BF%BD");
  });

  it("has percent-encoded headers for a model whose name is not ASCII", async () => {
    const { response } = await answered({ routing: await fakeRouting(), model: "modèle" });
    expect(response.headers["x-routing-model"]).toBe("mod%C3%A8le");
  });

  it("has `x-ratelimit-…` headers from the limits", async () => {
    const limitHeaders = { "x-ratelimit-limit-requests": "60" };
    expect((await answered({ limitHeaders })).response.headers).toMatchObject(limitHeaders);
  });
});

describe("The context of an inference request", () => {
  const asked = async (headers: Record<string, string>) => {
    const response = await postChat(app, helloChat, headers);
    return { response, context: inference.runs.at(-1)?.context };
  };

  it("has the request id, principal and the time of arrival on both clocks", async () => {
    const { response, context } = await asked({});
    expect(context).toMatchObject({
      requestId: response.headers["x-request-id"],
      principal: { id: "key_1" },
      source: "default",
      arrivedMs: 5_000,
      createdAtMs: NOW_MS,
    });
  });

  it("has the source of the header, unless the key is bound to one", async () => {
    expect((await asked({ "x-source": "mobile" })).context?.source).toBe("mobile");
    const bound = await asked({ "x-source": "mobile", "x-api-key": BOUND_KEY });
    expect(bound.context?.source).toBe("billing");
  });

  it("is not created for an invalid source", async () => {
    const { response } = await asked({ "x-source": "a,b" });
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({ code: "invalid_request", param: "x-source" });
  });
});
