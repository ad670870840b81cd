import { beforeEach, describe, expect, it } from "vitest";
import { serverLimits } from "../../../support/server-limits.js";
import { CAPPED_KEY, errorOf, hello, KEY, post, startTestServer, WEIGHTED_KEY } from "../../server.js";

const { app, inference } = startTestServer({
  limits: serverLimits({
    maxBodyBytes: 1_000_000,
    autoCostWeight: 0.25,
    presets: [
      { name: "support", models: ["a", "b"], cost_weight: 0.6, max_tokens: 500 },
      { name: "Drafts", cost_weight: 0 },
      { name: "short", max_tokens: 100 },
      { name: "frugal", min_cost_weight: 0.5 },
    ],
  }),
});
beforeEach(() => {
  inference.runs.length = 0;
});

const { messages } = hello;
const APIS = [
  ["/v1/chat/completions", { messages }],
  ["/v1/completions", { prompt: "hello" }],
  ["/v1/responses", { input: "hello" }],
  ["/v1/messages", { messages, max_tokens: 1000 }],
] as const;

interface Asked {
  readonly body?: object;
  readonly headers?: Record<string, string>;
  readonly key?: string;
}

async function send(url: string, payload: object, { headers = {}, key = KEY }: Omit<Asked, "body"> = {}) {
  return post(app, url, { payload, headers: { ...headers, "x-api-key": key } });
}

/** What inference is asked for a chat with that model. */
async function chosen(model: string, { body = {}, ...rest }: Asked = {}) {
  const response = await send("/v1/chat/completions", { model, messages, ...body }, rest);
  expect(response.statusCode, response.body).toBe(200);
  const request = inference.runs.at(-1)?.request;
  if (request?.choice.type !== "routed") throw new Error("nothing was routed");
  return { ...request.choice, body: request.body };
}

const refusal = (model: string, rest: Omit<Asked, "body"> = {}, status = 400) =>
  errorOf(send("/v1/chat/completions", { model, messages }, rest), status);

describe("The cost weight of `auto`", () => {
  it("is that of the body, else of the name, the header, the key, the settings", async () => {
    const headers = { "x-sextant-cost-weight": "0.5" };
    const body = { router: { cost_weight: 0.1 } };
    const key = WEIGHTED_KEY;
    expect(await chosen("auto:0.3", { body, headers, key })).toMatchObject({ costWeight: 0.1 });
    expect(await chosen("auto:0.3", { headers, key })).toMatchObject({ costWeight: 0.3 });
    expect(await chosen("auto:support", { headers, key })).toMatchObject({
      name: "auto:support",
      costWeight: 0.6,
    });
    expect(await chosen("auto", { headers, key })).toMatchObject({ costWeight: 0.5 });
    expect(await chosen("auto:short", { headers, key })).toMatchObject({ costWeight: 0.5 });
    expect(await chosen("auto", { key })).toMatchObject({ costWeight: 0.7 });
    expect(await chosen("auto")).toMatchObject({ costWeight: 0.25 });
    expect(await chosen("auto:0", { key })).toMatchObject({ costWeight: 0 });
  });

  it.each(APIS)("can be chosen by the model's name on %s", async (url, body) => {
    const response = await send(url, { model: "auto:0.3", ...body });
    expect(response.statusCode, response.body).toBe(200);
    expect(inference.runs.at(-1)?.request.choice).toMatchObject({ type: "routed", costWeight: 0.3 });
  });

  it("is 0 on POST /v1/router, whatever the settings and the key say", async () => {
    await send("/v1/router", { messages }, { key: WEIGHTED_KEY });
    expect(inference.runs.at(-1)?.request.choice).toMatchObject({ costWeight: 0 });
  });

  it.each(["", "cheap", "-1", "NaN"])("is refused as header %j", async (value) => {
    const headers = { "x-sextant-cost-weight": value };
    const expected = { code: "invalid_request", param: "x-sextant-cost-weight" };
    expect(await refusal("auto", { headers })).toMatchObject(expected);
    expect((await refusal("auto:-0.5")).param).toBe("model");
  });
});

describe("The least cost weight of a key or preset", () => {
  it.each<[param: string, model: string, asked: Asked, url?: string]>([
    ["router.cost_weight", "auto", { body: { router: { cost_weight: 0.1 } } }],
    ["model", "auto:0.1", {}],
    ["x-sextant-cost-weight", "auto", { headers: { "x-sextant-cost-weight": "0.1" } }],
    ["router.cost_weight", "auto:frugal", { key: KEY, body: { router: { cost_weight: 0.4 } } }],
    ["cost_weight", "", { body: { cost_weight: 0.1 } }, "/v1/router"],
  ])("refuses %s of %j below it", async (param, model, { body, ...rest }, url = "/v1/chat/completions") => {
    const payload = { ...(model === "" ? {} : { model }), messages, ...body };
    const error = await errorOf(send(url, payload, { key: CAPPED_KEY, ...rest }), 403);
    expect([error.code, error.param]).toEqual(["not_allowed", param]);
    expect(error.message).toMatch(/asks for a cost weight of 0\.[14], below `min_cost_weight` .*, 0\.[35]\./);
  });

  it("lets a higher one pass, and one that nobody stated", async () => {
    expect(await chosen("auto:0.4", { key: CAPPED_KEY })).toMatchObject({ costWeight: 0.4 });
    expect(await chosen("auto", { key: CAPPED_KEY })).toMatchObject({ costWeight: 0.1 });
  });
});

describe("A preset", () => {
  it("names candidates, weight and the most tokens of an answer", async () => {
    const named = {
      models: ["a", "b"],
      costWeight: 0.6,
      preset: "support",
      body: { max_completion_tokens: 500 },
    };
    expect(await chosen("auto:support")).toMatchObject(named);
  });

  it("gives way to the body, but for a lower limit of tokens", async () => {
    const router = { models: ["c", "d"], cost_weight: 0.9 };
    const own = await chosen("auto:support", { body: { router, max_tokens: 4000 } });
    expect(own).toMatchObject({ models: ["c", "d"], costWeight: 0.9, body: { max_tokens: 500 } });
    const fewer = await chosen("auto:support", { body: { max_completion_tokens: 20 } });
    expect(fewer.body).toMatchObject({ max_completion_tokens: 20 });
  });

  it.each(APIS)("is found by its name in any case on %s", async (url, body) => {
    const response = await send(url, { model: "AUTO:drafts", ...body });
    expect(response.statusCode, response.body).toBe(200);
    expect(inference.runs.at(-1)?.request.choice).toMatchObject({ type: "routed", costWeight: 0 });
  });

  it("that does not exist is refused with those that do", async () => {
    expect(await refusal("auto:suport", {}, 404)).toMatchObject({
      code: "model_not_found",
      message: expect.stringContaining("`auto:support`, `auto:Drafts`, `auto:short`"),
    });
  });
});

describe("Other names of `auto`", () => {
  it.each(["AUTO", "Auto", "sextant/auto"])("%s is the same", async (model) => {
    expect(await chosen(model)).toMatchObject({ models: undefined, costWeight: 0.25, provider: undefined });
  });

  it("of a provider choose among what it serves", async () => {
    expect(await chosen("openai/auto")).toMatchObject({ provider: "openai", costWeight: 0.25 });
    expect(await chosen("auto[1m]")).toMatchObject({ costWeight: 0.25 });
    expect(await chosen("sextant/auto:0.3")).toMatchObject({ provider: undefined, costWeight: 0.3 });
  });

  it("openrouter/auto is OpenRouter's own model", async () => {
    await send("/v1/chat/completions", { model: "openrouter/auto", messages });
    expect(inference.runs.at(-1)?.request.choice).toMatchObject({ type: "named", model: "openrouter/auto" });
  });

  it("a provider that contradicts the name is refused", async () => {
    const body = { model: "openai/auto", provider: "anthropic", messages };
    expect((await errorOf(send("/v1/chat/completions", body))).param).toBe("provider");
  });
});
