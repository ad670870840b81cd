/** Each field of the request, one test or more: that it reaches inference as it should, and what is refused. */
import fc from "fast-check";
import type OpenAI from "openai";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { errorSchema } from "../../../../src/gateway/api/error.js";
import { serverLimits } from "../../../support/server-limits.js";
import { helloChat, postChat, startTestServer } from "../server.js";

const { app, inference } = startTestServer({ limits: serverLimits({ maxBodyBytes: 1_000_000 }) });
afterAll(() => app.close());
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
  const response = await postChat(app, typeof body === "string" ? body : { ...helloChat, ...body });
  expect(response.statusCode, response.body).toBe(400);
  expect(inference.runs.length).toBe(before);
  const { error } = errorSchema.parse(response.json());
  expect(error).toMatchObject({ type: "invalid_request_error", code: "invalid_request" });
  return error;
}

const user = helloChat.messages;

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

  it.each([
    [{ model: undefined }, "`model` is missing: it must be a model id of 1 to 256 characters."],
    [{ model: "" }, '`model` is "": it must be a model id of 1 to 256 characters.'],
    [{ model: 4 }, "`model` is 4: it must be a model id of 1 to 256 characters."],
  ])("refuses `model` %j", async (body, message) => {
    expect(await refusal(body)).toMatchObject({ message, param: "model" });
  });

  it("passes `messages` unchanged, with every role and part of OpenAI's", async () => {
    const messages = [
      { role: "system", content: "be brief", name: "boss" },
      {
        role: "developer",
        content: [{ type: "text", text: "in French", cache_control: { type: "ephemeral" } }],
      },
      {
        role: "user",
        content: [
          { type: "text", text: "what is this?" },
          { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
          { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
          { type: "file", file: { file_id: "file-1" } },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: '{"a": 1.0}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "42" },
      { role: "assistant", content: [{ type: "refusal", refusal: "no" }], reasoning_content: "hm" },
    ];
    expect((await asked({ messages })).body.messages).toEqual(messages);
  });

  it.each(["gpt-4o-mini", "auto"])(
    "takes an image's address without its object, as Zed sends it to %s",
    async (model) => {
      const address = "data:image/png;base64,iVBORw0KGgo=";
      const picture = (image: unknown) => [
        {
          role: "user",
          content: [
            { type: "text", text: "?" },
            { type: "image_url", image_url: image },
          ],
        },
      ];
      expect((await asked({ model, messages: picture(address) })).body.messages).toEqual(
        picture({ url: address }),
      );
    },
  );

  it.each([
    ["", "is a string: it must be a URL or a data: URI."],
    [7, "is a number: it must be an object with a `url`, or an address."],
  ])("refuses an `image_url` of %j", async (image, fault) => {
    const messages = [{ role: "user", content: [{ type: "image_url", image_url: image }] }];
    const param = "messages[0].content[0].image_url";
    expect(await refusal({ messages })).toMatchObject({ message: `\`${param}\` ${fault}`, param });
  });

  it.each([
    [{ messages: undefined }, "`messages` is missing: it must be a list of messages.", "messages"],
    [{ messages: [] }, "`messages` is an empty list: it must hold at least one message.", "messages"],
    [
      { messages: [{ role: "robot", content: "x" }] },
      '`messages[0].role` is "robot": it must be one of system, developer, user, assistant, tool.',
      "messages[0].role",
    ],
    [
      { messages: [{ role: "user", content: [{ type: "hologram" }] }] },
      '`messages[0].content[0].type` is "hologram": it must be one of text, image_url, input_audio, video_url, file, refusal.',
      "messages[0].content[0].type",
    ],
    [
      { messages: [{ role: "user", content: [{ type: "input_audio", input_audio: "x" }] }] },
      "`messages[0].content[0].input_audio` is a string: it must be an object with `data` and `format`.",
      "messages[0].content[0].input_audio",
    ],
  ])("refuses `messages` %j", async (body, message, param) => {
    expect(await refusal(body)).toMatchObject({ message, param });
  });

  const besideText = (part: object) => [{ role: "user", content: [{ type: "text", text: "?" }, part] }];

  it.each([
    { type: "input_audio", input_audio: { data: "", format: "wav" } },
    { type: "file", file: { file_id: "file-1" } },
  ])("passes $type parts to inference with `model: auto`", async (part) => {
    const request = await asked({ model: "auto", messages: besideText(part) });
    expect(request.body.messages).toEqual(besideText(part));
  });

  it("refuses videos with `model: auto`, of which it is not known who takes them", async () => {
    const part = { type: "video_url", video_url: { url: "https://example.com/a.mp4" } };
    expect(await refusal({ model: "auto", messages: besideText(part) })).toMatchObject({
      message:
        '`messages[0].content[1].type` is "video_url", which `model: "auto"` cannot judge models by. Name a model.',
      param: "messages[0].content[1].type",
    });
  });

  it("requests a stream with `stream: true`, not with false and null, and does not pass the field on", async () => {
    for (const [stream, expected] of [
      [true, true],
      [false, false],
      [null, false],
      [undefined, false],
    ]) {
      const request = await asked({ stream });
      expect(request.stream).toBe(expected);
      expect(request.body).not.toHaveProperty("stream");
    }
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

  it.each(numbers)("passes `%s` to inference, and treats null as absent", async (field, accepted) => {
    for (const value of accepted) expect((await asked({ [field]: value })).body[field]).toBe(value);
    expect(Object.keys((await asked({ [field]: null })).body)).toEqual(["messages"]);
    expect(Object.keys((await asked({})).body)).toEqual(["messages"]);
  });

  it.each(numbers)(
    "refuses `%s` out of range, naming field, value and remedy",
    async (field, _, refused, must) => {
      for (const value of refused) {
        const infinite = `{"model":"m","messages":${JSON.stringify(user)},"${field}":1e999}`;
        const error = await refusal(value === Number.POSITIVE_INFINITY ? infinite : { [field]: value });
        const shown = typeof value === "string" ? JSON.stringify(value) : value;
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
    const must = "it must be a string or a list of at most 256 strings.";
    expect((await refusal({ stop: Array(257).fill("a") })).message).toBe(
      `\`stop\` is a list of 257: ${must}`,
    );
    expect((await refusal({ stop: 5 })).message).toBe(`\`stop\` is a number: ${must}`);
    expect((await refusal({ stop: [5] })).message).toBe(`\`stop[0]\` is a number: ${must}`);
  });

  it("passes `provider` to inference beside the model, not to the provider", async () => {
    const request = await asked({ model: "openai/gpt-4o-mini", provider: "azure" });
    expect(request.choice).toEqual({ type: "named", model: "openai/gpt-4o-mini", provider: "azure" });
    expect(request.body).not.toHaveProperty("provider");
    expect((await asked({ provider: null })).choice).toMatchObject({ provider: undefined });
  });

  it("passes preferences among providers to inference, with `sort` by its name", async () => {
    const provider = {
      ...{ only: ["openai", "azure/eu"], sort: { by: "latency", partition: "model" }, zdr: true },
      max_price: { prompt: "0.5", completion: 2 },
    };
    const hosts = { ...provider, sort: "latency" };
    expect((await asked({ provider })).choice).toMatchObject({ type: "named", provider: undefined, hosts });
    expect((await asked({ provider, model: "auto" })).choice).toMatchObject({ type: "routed", hosts });
  });

  it.each([
    [{ onyl: ["a"] }, "`provider.onyl` is not known here. Did you mean `only`?", "provider.onyl"],
    [
      { only: "openai" },
      '`provider.only` is "openai": it must be a list of at most 128 ids of providers.',
      "provider.only",
    ],
    [
      { sort: "cheap" },
      '`provider.sort` is "cheap": it must be one of price, throughput, latency, or an object with `by`.',
      "provider.sort",
    ],
    [
      { max_price: { prompt: -1 } },
      "`provider.max_price.prompt` is -1: it must be a number of US dollars of at least 0, or such a number as a text.",
      "provider.max_price.prompt",
    ],
    [
      { data_collection: "no" },
      '`provider.data_collection` is "no": it must be one of allow, deny.',
      "provider.data_collection",
    ],
  ])("refuses `provider` %j", async (provider, message, param) => {
    expect(await refusal({ provider })).toMatchObject({ message, param });
  });

  it("refuses a `provider` that is not an id, and limits the candidates of `model: auto` to it", async () => {
    expect((await refusal({ provider: 7 })).message).toBe(
      "`provider` is 7: it must be a provider id, or an object of provider preferences such as `only` and `sort`.",
    );
    const { choice } = await asked({ model: "auto", provider: "openai" });
    expect(choice).toMatchObject({ type: "routed", provider: "openai" });
  });

  it("passes `fallbacks` to inference in order, not to the provider", async () => {
    const request = await asked({ fallbacks: ["b", "anthropic/a"] });
    expect(request.fallbacks).toEqual(["b", "anthropic/a"]);
    expect(request.body).not.toHaveProperty("fallbacks");
    for (const fallbacks of [undefined, null, []]) expect((await asked({ fallbacks })).fallbacks).toEqual([]);
  });

  it("refuses `fallbacks` that are not a list of ids, more than 16, and auto", async () => {
    const must = "it must be a list of at most 16 model ids.";
    expect((await refusal({ fallbacks: "b" })).message).toBe(`\`fallbacks\` is "b": ${must}`);
    expect((await refusal({ fallbacks: Array(17).fill("b") })).message).toBe(
      `\`fallbacks\` is a list of 17: ${must}`,
    );
    expect((await refusal({ fallbacks: ["b", 1] })).param).toBe("fallbacks[1]");
    expect((await refusal({ fallbacks: ["b", "auto"] })).message).toBe(
      '`fallbacks[1]` is "auto". Name models to fall back on.',
    );
  });

  it("passes `metadata` to the trace, not to the provider", async () => {
    const metadata = { team: "search", attempt: 2, live: true };
    const request = await asked({ metadata });
    expect(request.metadata).toEqual(metadata);
    expect(request.body).not.toHaveProperty("metadata");
    for (const none of [undefined, null]) expect((await asked({ metadata: none })).metadata).toEqual({});
  });

  it("refuses invalid `metadata`", async () => {
    expect((await refusal({ metadata: { a: { b: 1 } } })).message).toBe(
      "`metadata.a` is an object: it must be a number, a boolean or a string of at most 512 characters.",
    );
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 1]));
    expect((await refusal({ metadata: many })).message).toBe(
      "`metadata` is an object: it must have at most 16 keys.",
    );
  });

  it("counts the keys of `metadata` before it validates them", async () => {
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, null]));
    expect((await refusal({ metadata: many })).message).toBe(
      "`metadata` is an object: it must have at most 16 keys.",
    );
  });

  it("passes `router`, which controls the choice of `model: auto`", async () => {
    const router = { models: ["a", "b"], cost_weight: 0.4 };
    const request = await asked({ model: "auto", router });
    expect(request.choice).toEqual({ type: "routed", models: ["a", "b"], costWeight: 0.4 });
    expect(request.body).not.toHaveProperty("router");
    expect((await asked({ model: "auto", router: {} })).choice).toMatchObject({ costWeight: 0.2 });
    expect((await asked({ router: null })).choice).toMatchObject({ type: "named" });
  });

  it.each([
    [
      { router: { cost_weight: 1 } },
      '`router` only says how `model: "auto"` chooses. Ask for that model, or remove it.',
      "router",
    ],
    [
      { model: "auto", router: { cost_weigth: 1 } },
      "`router.cost_weigth` is not known here. Did you mean `cost_weight`?",
      "router.cost_weigth",
    ],
    [
      { model: "auto", router: { strategy: "x" } },
      "`router.strategy` is not known here. Known are `models`, `cost_weight`, `max_latency_ms`, `latency_weight`, `explain`, `sticky`, `conversation`.",
      "router.strategy",
    ],
    [
      { model: "auto", router: { cost_weight: -1 } },
      "`router.cost_weight` is -1: it must be a number of at least 0.",
      "router.cost_weight",
    ],
    [
      { model: "auto", router: "cheap" },
      '`router` is "cheap": it must be an object with `models`, `cost_weight`, `explain`, `sticky` or `conversation`.',
      "router",
    ],
    [
      { model: "auto", router: { models: "a" } },
      '`router.models` is "a": it must be a list of at least two model ids.',
      "router.models",
    ],
  ])("refuses `router` %j", async (body, message, param) => {
    expect(await refusal(body)).toMatchObject({ message, param });
  });

  it("passes `tools` to inference unchanged", async () => {
    const tools = [
      { type: "function", function: { name: "f", parameters: { type: "object" }, strict: true } },
    ];
    expect((await asked({ tools })).body.tools).toEqual(tools);
    expect((await refusal({ tools: {} })).message).toBe("`tools` is an object: it must be a list of tools.");
  });

  it("passes every other field of OpenAI's to inference unchanged, including null", async () => {
    const others = {
      audio: null,
      function_call: "auto",
      functions: [],
      logit_bias: { "50256": -100 },
      logprobs: true,
      modalities: ["text"],
      moderation: { model: "omni-moderation-latest" },
      parallel_tool_calls: false,
      prediction: { type: "content", content: "x" },
      prompt_cache_key: "k",
      prompt_cache_options: {},
      prompt_cache_retention: "24h",
      reasoning_effort: "low",
      response_format: { type: "json_schema", json_schema: { name: "x", schema: {} } },
      safety_identifier: "s",
      seed: 7,
      service_tier: "auto",
      store: false,
      stream_options: { include_usage: false },
      tool_choice: { type: "function", function: { name: "f" } },
      top_logprobs: 3,
      user: "u",
      verbosity: "low",
      web_search_options: {},
    } satisfies Record<OtherField, unknown>;
    const { body } = await asked(others);
    expect(body).toEqual({ ...others, messages: user });
  });

  it("passes fields of other OpenAI-compatible servers", async () => {
    const others = {
      top_k: 40,
      min_p: 0.1,
      min_tokens: 3,
      repetition_penalty: 1.1,
      guided_json: { a: [1] },
      think: true,
    };
    expect((await asked(others)).body).toEqual({ ...others, messages: user });
  });

  it("passes any JSON of an unknown field with the same values in the same order", async () => {
    const value = fc.jsonValue().filter((json) => !/"(__proto__|constructor)"/.test(JSON.stringify(json)));
    await fc.assert(
      fc.asyncProperty(value, async (extra) => {
        const { body } = await asked({ x_extra: extra });
        expect(JSON.stringify(body.x_extra)).toBe(JSON.stringify(extra));
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ["fallback", "Did you mean `fallbacks`?"],
    ["fallbakcs", "Did you mean `fallbacks`?"],
    ["providr", "Did you mean `provider`?"],
    ["metdata", "Did you mean `metadata`?"],
    ["routr", "Did you mean `router`?"],
    ["temprature", "Did you mean `temperature`?"],
    ["models", 'Put the candidates into `router.models`, with `model: "auto"`.'],
    ["cost_weight", 'Put it into `router.cost_weight`, with `model: "auto"`.'],
    ["execute", "POST /v1/router decides without executing."],
  ])("refuses a field that resembles one of the gateway's: %s", async (field, remedy) => {
    expect(await refusal({ [field]: "x" })).toMatchObject({
      message: `\`${field}\` is not a field of this route. ${remedy}`,
      param: field,
    });
  });

  it("passes a body whose unknown fields have the names of built-in members", async () => {
    const { body } = await asked({ constructor: 1, toString: 2, hasOwnProperty: 3 });
    expect(body).toEqual({ messages: user, constructor: 1, toString: 2, hasOwnProperty: 3 });
  });

  it("refuses prototype pollution anywhere", async () => {
    for (const body of [
      `{"model":"m","messages":${JSON.stringify(user)},"response_format":{"__proto__":{"a":1}}}`,
      `{"model":"m","messages":${JSON.stringify(user)},"constructor":{"prototype":{}}}`,
    ]) {
      expect((await refusal(body)).message).toBe(
        "The body has a key `__proto__` or `constructor.prototype`, which is never accepted. Remove it.",
      );
    }
  });
});

type CheckedField =
  | "messages"
  | "model"
  | "stream"
  | "max_tokens"
  | "max_completion_tokens"
  | "temperature"
  | "top_p"
  | "stop"
  | "presence_penalty"
  | "frequency_penalty"
  | "n"
  | "tools"
  | "metadata";
/** Every field that OpenAI's own types know and this API does not look at. */
type OtherField = Exclude<keyof OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, CheckedField>;
