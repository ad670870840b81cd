/** Each field of the request, one test or more: that it reaches inference as it should, and what is refused. */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { serverLimits } from "../../../support/server-limits.js";
import { errorOf, expectFieldError, helloChat, postChat, startTestServer } from "../../server.js";

const { app, inference } = startTestServer({ limits: serverLimits({ maxBodyBytes: 1_000_000 }) });
beforeEach(() => {
  inference.runs.length = 0;
});

/** What inference is asked for this body. */
async function asked(body: object) {
  const response = await postChat(app, { ...helloChat, ...body });
  expect(response.statusCode, response.body).toBe(200);
  const run = inference.runs.at(-1);
  if (run === undefined) throw new Error("inference was not asked");
  return run.request;
}

async function refusal(body: object | string) {
  const before = inference.runs.length;
  const error = await errorOf(postChat(app, typeof body === "string" ? body : { ...helloChat, ...body }));
  expect(inference.runs.length).toBe(before);
  expect(error).toMatchObject({ type: "invalid_request_error", code: "invalid_request" });
  return error;
}

const user = helloChat.messages;
const inPart = (part: object) => ({ messages: [{ role: "user", content: [part] }] });
const inImage = (image_url: unknown) => inPart({ type: "image_url", image_url });

describe("POST /v1/chat/completions refuses", () => {
  const MODEL = "it must be a model id of 1 to 256 characters.";
  const STOP = "it must be a string or a list of at most 256 strings.";
  const PART = "messages[0].content[0]";
  const IMAGE = `${PART}.image_url`;
  const VIDEO = { type: "video_url", video_url: { url: "https://example.com/a.mp4" } };
  const FALLBACKS = "it must be a list of at most 16 model ids.";
  const tags = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, null]));
  const router = (value: unknown) => ({ model: "auto", router: value });

  it.each<[param: string, body: object, fault: string]>([
    ["model", { model: undefined }, `is missing: ${MODEL}`],
    ["model", { model: "" }, `is "": ${MODEL}`],
    [`${PART}.type`, inPart({ type: "hologram" }), "image_url, input_audio, video_url, file, refusal."],
    [`${PART}.input_audio`, inPart({ type: "input_audio", input_audio: "x" }), "with `data` and `format`."],
    [IMAGE, inImage(""), "it must be a URL or a data: URI."],
    [IMAGE, inImage(7), "it must be an object with a `url`, or an address."],
    [`${PART}.type`, { model: "auto", ...inPart(VIDEO) }, "cannot judge models by. Name a model."],
    ["stop", { stop: Array(257).fill("a") }, `is a list of 257: ${STOP}`],
    ["stop[0]", { stop: [5] }, `is a number: ${STOP}`],
    ["provider", { provider: 7 }, "an object of provider preferences such as `only` and `sort`."],
    ["provider.onyl", { provider: { onyl: ["a"] } }, "is not known here. Did you mean `only`?"],
    ["provider.only", { provider: { only: "openai" } }, "it must be a list of at most 128 ids of providers."],
    ["provider.sort", { provider: { sort: "cheap" } }, "price, throughput, latency, or an object with `by`."],
    ["provider.max_price.prompt", { provider: { max_price: { prompt: -1 } } }, "or such a number as a text."],
    ["provider.data_collection", { provider: { data_collection: "no" } }, "it must be one of allow, deny."],
    ["fallbacks", { fallbacks: Array(17).fill("b") }, `is a list of 17: ${FALLBACKS}`],
    ["fallbacks[1]", { fallbacks: ["b", "auto"] }, 'is "auto". Name models to fall back on.'],
    ["metadata", { metadata: tags }, "is an object: it must have at most 16 keys."],
    ["router", { router: { cost_weight: 1 } }, "chooses. Ask for that model, or remove it."],
    ["router.cost_weigth", router({ cost_weigth: 1 }), "is not known here. Did you mean `cost_weight`?"],
    ["router", router("cheap"), "`explain`, `sticky` or `conversation`."],
    ["fallbakcs", { fallbakcs: "x" }, "is not a field of this route. Did you mean `fallbacks`?"],
    ["temprature", { temprature: "x" }, "is not a field of this route. Did you mean `temperature`?"],
    ["models", { models: "x" }, '"auto"`.'],
    ["cost_weight", { cost_weight: "x" }, '"auto"`.'],
    ["execute", { execute: "x" }, "POST /v1/router decides without executing."],
  ])("%s in %j", async (param, body, fault) => {
    expectFieldError(await refusal(body), { param, fault });
  });
});

describe("The request of POST /v1/chat/completions", () => {
  it("passes the `model` to inference: an id, `provider/id` or a deployment's name", async () => {
    for (const model of ["gpt-4o-mini", "openai/gpt-4o-mini", "support-bot"]) {
      expect((await asked({ model })).choice).toEqual({ type: "named", model, provider: undefined });
    }
  });

  it("requests a decision with `model: auto`", async () => {
    const request = await asked({ model: "auto" });
    expect(request).toMatchObject({
      kind: "chat",
      choice: { type: "routed", models: undefined, costWeight: 0.2 },
    });
    expect(request.body).toEqual({ messages: user });
  });

  const parts = [
    { type: "text", text: "what is this?" },
    { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
    { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
    { type: "file", file: { file_id: "file-1" } },
  ];
  it("passes `messages` unchanged, with every role and part of OpenAI's", async () => {
    const inFrench = [{ type: "text", text: "in French", cache_control: { type: "ephemeral" } }];
    const call = { id: "c1", type: "function", function: { name: "f", arguments: '{"a": 1.0}' } };
    const messages = [
      { role: "system", content: "be brief", name: "boss" },
      { role: "developer", content: inFrench },
      { role: "user", content: parts },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "42" },
      { role: "assistant", content: [{ type: "refusal", refusal: "no" }], reasoning_content: "hm" },
    ];
    expect((await asked({ messages })).body.messages).toEqual(messages);
  });

  it("passes images, audio and files to inference with `model: auto`", async () => {
    const messages = [{ role: "user", content: parts }];
    expect((await asked({ model: "auto", messages })).body.messages).toEqual(messages);
  });

  it.each(["gpt-4o-mini", "auto"])(
    "takes an image's address without its object, as Zed sends it to %s",
    async (model) => {
      const address = "data:image/png;base64,iVBORw0KGgo=";
      const request = await asked({ model, ...inPart({ type: "image_url", image_url: address }) });
      expect(request.body).toMatchObject(inPart({ type: "image_url", image_url: { url: address } }));
    },
  );

  it.each([
    [true, true],
    [false, false],
    [null, false],
    [undefined, false],
  ])("with `stream: %j` asks for a stream: %j, and does not pass the field on", async (stream, expected) => {
    const request = await asked({ stream });
    expect(request.stream).toBe(expected);
    expect(request.body).not.toHaveProperty("stream");
  });

  const numbers = [
    ["temperature", [0, 0.7, 2], [-0.1, 2.1, "1", Number.POSITIVE_INFINITY], "a number from 0 to 2"],
    ["top_p", [0, 0.5, 1], [-0.1, 1.1, "1"], "a number from 0 to 1"],
    ["presence_penalty", [-2, 0, 2], [-2.1, 2.1, "0"], "a number from -2 to 2"],
    ["frequency_penalty", [-2, 0, 2], [-2.1, 2.1, "0"], "a number from -2 to 2"],
    ["n", [1, 2, 128], [0, 129, 1.5, "1"], "a whole number from 1 to 128"],
    ["max_tokens", [1, 100_000], [0, -1, 1.5, "9"], "a whole number of at least 1"],
    ["max_completion_tokens", [1, 100_000], [0, 1.5, "9"], "a whole number of at least 1"],
  ] as const;

  it.each(numbers)(
    "passes `%s` of %j, refuses %j, and treats null as absent",
    async (field, accepted, refused, must) => {
      for (const value of accepted) expect((await asked({ [field]: value })).body[field]).toBe(value);
      expect(Object.keys((await asked({ [field]: null })).body)).toEqual(["messages"]);
      for (const value of refused) {
        const infinite = `{"model":"m","messages":${JSON.stringify(user)},"${field}":1e999}`;
        const isInfinite = value === Number.POSITIVE_INFINITY;
        const error = await refusal(isInfinite ? infinite : { [field]: value });
        const shown = isInfinite ? "1e999" : typeof value === "string" ? JSON.stringify(value) : value;
        expect(error).toMatchObject({
          message: `\`${field}\` is ${shown}: it must be ${must}.`,
          param: field,
        });
      }
    },
  );

  it("passes `stop` unchanged: a string or a list, whose length the vendor judges", async () => {
    for (const stop of ["\n", ["a", "b", "c", "d", "e"]])
      expect((await asked({ stop })).body.stop).toEqual(stop);
    expect((await asked({ stop: null })).body).not.toHaveProperty("stop");
  });

  it("passes `provider` to inference beside the model, as a limit of the candidates of `auto`", async () => {
    const request = await asked({ model: "openai/gpt-4o-mini", provider: "azure" });
    expect(request.choice).toEqual({ type: "named", model: "openai/gpt-4o-mini", provider: "azure" });
    expect(request.body).not.toHaveProperty("provider");
    expect((await asked({ provider: null })).choice).toMatchObject({ provider: undefined });
    const { choice } = await asked({ model: "auto", provider: "openai" });
    expect(choice).toMatchObject({ type: "routed", provider: "openai" });
  });

  it("passes preferences among providers to inference, with `sort` by its name", async () => {
    const provider = {
      only: ["openai", "azure/eu"],
      sort: { by: "latency", partition: "model" },
      zdr: true,
      max_price: { prompt: "0.5", completion: 2 },
    };
    const hosts = { ...provider, sort: "latency" };
    expect((await asked({ provider })).choice).toMatchObject({ type: "named", provider: undefined, hosts });
    expect((await asked({ provider, model: "auto" })).choice).toMatchObject({ type: "routed", hosts });
  });

  it("passes `fallbacks` to inference in order, and `metadata` to the trace, not to the provider", async () => {
    const metadata = { team: "search", attempt: 2, live: true };
    const request = await asked({ fallbacks: ["b", "anthropic/a"], metadata });
    expect(request).toMatchObject({ fallbacks: ["b", "anthropic/a"], metadata });
    expect(Object.keys(request.body)).toEqual(["messages"]);
    for (const fallbacks of [undefined, null, []]) expect((await asked({ fallbacks })).fallbacks).toEqual([]);
    for (const none of [undefined, null]) expect((await asked({ metadata: none })).metadata).toEqual({});
  });

  it("passes `router`, which controls the choice of `model: auto`", async () => {
    const router = { models: ["a", "b"], cost_weight: 0.4 };
    const request = await asked({ model: "auto", router });
    expect(request.choice).toEqual({ type: "routed", name: "auto", models: ["a", "b"], costWeight: 0.4 });
    expect(request.body).not.toHaveProperty("router");
    expect((await asked({ model: "auto", router: {} })).choice).toMatchObject({ costWeight: 0.2 });
    expect((await asked({ router: null })).choice).toMatchObject({ type: "named" });
  });

  it.each(
    [
      "audio function_call functions logit_bias logprobs modalities moderation parallel_tool_calls prediction",
      "prompt_cache_key prompt_cache_retention reasoning_effort response_format safety_identifier seed",
      "service_tier store stream_options tool_choice top_logprobs user verbosity web_search_options",
    ].flatMap((names) => names.split(" ")),
  )("passes `%s` of OpenAI's to inference unchanged, including null", async (field) => {
    for (const value of [null, [{ a: 1 }]])
      expect((await asked({ [field]: value })).body).toEqual({ messages: user, [field]: value });
  });

  it("passes any JSON of an unknown field with the same values in the same order", async () => {
    const value = fc.jsonValue().filter((json) => !/"(__proto__|constructor)"/.test(JSON.stringify(json)));
    await fc.assert(
      fc.asyncProperty(value, async (extra) => {
        const { body } = await asked({ x_extra: extra });
        expect(JSON.stringify(body.x_extra)).toBe(JSON.stringify(extra));
      }),
      { numRuns: 20 },
    );
  });

  it("passes fields of other servers, with the names of built-in members too", async () => {
    const others = { top_k: 40, guided_json: { a: [1] }, constructor: 1, toString: 2, hasOwnProperty: 3 };
    expect((await asked(others)).body).toEqual({ messages: user, ...others });
  });
});
