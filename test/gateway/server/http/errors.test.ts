import { createConnection } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SextantError } from "../../../../src/foundation/errors.js";
import { errorSchema } from "../../../../src/gateway/api/error.js";
import type { Answer } from "../../../../src/gateway/inference/inference.js";
import { noStore } from "../../../../src/gateway/traces/no-store.js";
import { wholeAnswer } from "../../../fakes/inference.js";
import { FakeRouter } from "../../../fakes/router.js";
import { serverLimits } from "../../../support/server-limits.js";
import {
  ALL_READER_KEY,
  get,
  hello,
  helloChat,
  KEY,
  listening,
  postChat,
  postRouter,
  startTestServer,
} from "../server.js";

const { app } = startTestServer();
afterAll(() => app.close());

type Response = Awaited<ReturnType<typeof app.inject>>;

/** The whole body, exactly, and the request id in both places. */
function expectError(
  response: Response,
  status: number,
  {
    type,
    extra = {},
    ...error
  }: { message: string; type: string; code: string; param: string | null; extra?: object },
) {
  expect(response.json()).toEqual({
    error: { message: error.message, type, code: error.code, param: error.param },
    ...extra,
    request_id: response.headers["x-request-id"],
  });
  expect(response.statusCode).toBe(status);
  expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
  errorSchema.parse(response.json());
}

const invalid = (message: string, param: string | null) => ({
  message,
  type: "invalid_request_error",
  code: "invalid_request",
  param,
});

describe("400 invalid_request names the field, its value and the remedy:", () => {
  const roles = "system, developer, user, assistant, tool";
  const message = (changes: object) => ({ ...hello, messages: [{ role: "user", content: "x", ...changes }] });
  const cases: readonly (readonly [string, unknown, string, string | null])[] = [
    ["no messages", { execute: false }, "`messages` is missing: it must be a list of messages.", "messages"],
    [
      "empty messages",
      { messages: [] },
      "`messages` is an empty list: it must hold at least one message.",
      "messages",
    ],
    [
      "messages as text",
      { messages: "hi" },
      "`messages` is a string: it must be a list of messages.",
      "messages",
    ],
    [
      "too many messages",
      { messages: Array(9).fill({ role: "user", content: "x" }) },
      "`messages` is a list of 9: it must hold at most 8 messages.",
      "messages",
    ],
    [
      "a message that is text",
      { messages: ["hi"] },
      "`messages[0]` is a string: it must be an object with `role` and `content`.",
      "messages[0]",
    ],
    [
      "an unknown role",
      message({ role: "robot" }),
      `\`messages[0].role\` is "robot": it must be one of ${roles}.`,
      "messages[0].role",
    ],
    [
      "no role",
      message({ role: undefined }),
      `\`messages[0].role\` is missing: it must be one of ${roles}.`,
      "messages[0].role",
    ],
    [
      "content as number",
      message({ content: 12345 }),
      "`messages[0].content` is a number: it must be a string or a list of parts.",
      "messages[0].content",
    ],
    [
      "no content from a user",
      message({ content: null }),
      "`messages[0].content` is null: it must be a string or a list of parts (only an assistant's may be left out).",
      "messages[0].content",
    ],
    [
      "no parts",
      message({ content: [] }),
      "`messages[0].content` is an empty list: it must hold at least one part.",
      "messages[0].content",
    ],
    [
      "an unknown part",
      message({ content: [{ type: "text", text: "a" }, { type: "input_audio" }] }),
      '`messages[0].content[1].type` is "input_audio": it must be one of text, image_url, file.',
      "messages[0].content[1].type",
    ],
    [
      "a text part without text",
      message({ content: [{ type: "text", text: 5 }] }),
      "`messages[0].content[0].text` is a number: it must be a string.",
      "messages[0].content[0].text",
    ],
    [
      "an image without url",
      message({ content: [{ type: "image_url", image_url: {} }] }),
      "`messages[0].content[0].image_url.url` is missing: it must be a string.",
      "messages[0].content[0].image_url.url",
    ],
    [
      "a negative cost_weight",
      { ...hello, cost_weight: -0.1 },
      "`cost_weight` is -0.1: it must be a number of at least 0.",
      "cost_weight",
    ],
    [
      "a cost_weight as text",
      { ...hello, cost_weight: "0.3" },
      '`cost_weight` is "0.3": it must be a number of at least 0.',
      "cost_weight",
    ],
    [
      "an infinite cost_weight",
      `{"messages":[{"role":"user","content":"x"}],"execute":false,"cost_weight":1e999}`,
      "`cost_weight` is Infinity: it must be a number of at least 0.",
      "cost_weight",
    ],
    [
      "execute as text",
      { ...hello, execute: "no" },
      '`execute` is "no": it must be true or false.',
      "execute",
    ],
    [
      "models as text",
      { ...hello, models: "large" },
      '`models` is "large": it must be a list of at least two model ids.',
      "models",
    ],
    [
      "a model that is no text",
      { ...hello, models: ["large", 5] },
      "`models[1]` is 5: it must be a model id of 1 to 256 characters.",
      "models[1]",
    ],
    [
      "a model of 257 characters",
      { ...hello, models: ["large", "m".repeat(257)] },
      `\`models[1]\` is "${"m".repeat(40)}…": it must be a model id of 1 to 256 characters.`,
      "models[1]",
    ],
    [
      "257 models, before any of them is looked at",
      { ...hello, models: new Array(257).fill(5) },
      "`models` is a list of 257: it must be a list of at most 256 model ids.",
      "models",
    ],
    [
      "1025 tools, before any of them is looked at",
      { ...hello, tools: new Array(1025).fill(5) },
      "`tools` is a list of 1025: it must be a list of at most 1024 tools.",
      "tools",
    ],
    [
      "max_tokens of 0",
      { ...hello, max_tokens: 0 },
      "`max_tokens` is 0: it must be a whole number of at least 1.",
      "max_tokens",
    ],
    [
      "half a token",
      { ...hello, max_tokens: 1.5 },
      "`max_tokens` is 1.5: it must be a whole number of at least 1.",
      "max_tokens",
    ],
    [
      "a temperature of 3",
      { ...hello, temperature: 3 },
      "`temperature` is 3: it must be a number from 0 to 2.",
      "temperature",
    ],
    ["stream as text", { ...hello, stream: "yes" }, '`stream` is "yes": it must be true or false.', "stream"],
    [
      "tools as an object",
      { ...hello, tools: {} },
      "`tools` is an object: it must be a list of tools.",
      "tools",
    ],
    [
      "metadata as a list",
      { ...hello, metadata: [] },
      "`metadata` is an empty list: it must be an object of tags.",
      "metadata",
    ],
    [
      "17 tags",
      { ...hello, metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 1])) },
      "`metadata` is an object: it must have at most 16 keys.",
      "metadata",
    ],
    [
      "a tag of 513 characters",
      { ...hello, metadata: { a: "v".repeat(513) } },
      `\`metadata.a\` is "${"v".repeat(40)}…": it must be a number, a boolean or a string of at most 512 characters.`,
      "metadata.a",
    ],
    [
      "a tag that is a list",
      { ...hello, metadata: { a: [1] } },
      "`metadata.a` is a list of 1: it must be a number, a boolean or a string of at most 512 characters.",
      "metadata.a",
    ],
    [
      "a misspelt field",
      { ...hello, cost_wieght: 1 },
      "`cost_wieght` is not a field of this route. Did you mean `cost_weight`?",
      "cost_wieght",
    ],
    [
      "one model",
      { ...hello, model: "large" },
      "`model` is not a field of this route. The router chooses it: name the candidates in `models`, or use POST /v1/chat/completions for one model.",
      "model",
    ],
    ["a list as body", [], "The body is an empty list. Send a JSON object.", null],
    ["null as body", "null", "The body is missing. Send a JSON object.", null],
    [
      "malformed JSON",
      '{"messages": [oops',
      "The body is not valid JSON. Check quotes, commas, escapes, and that it was sent whole.",
      null,
    ],
    [
      "JSON cut short",
      '{"messages": [',
      "The body is not valid JSON. Check quotes, commas, escapes, and that it was sent whole.",
      null,
    ],
    ["a blank body", "  ", "The body is missing. Send a JSON object.", null],
    ["no body", "", "The body is missing. Send a JSON object.", null],
    [
      "__proto__",
      '{"messages": [{"role": "user", "content": "x", "__proto__": {"a": 1}}]}',
      "The body has a key `__proto__` or `constructor.prototype`, which is never accepted. Remove it.",
      null,
    ],
    [
      "an escaped __proto__",
      '{"\\u005f_proto__": {"a": 1}, "messages": []}',
      "The body has a key `__proto__` or `constructor.prototype`, which is never accepted. Remove it.",
      null,
    ],
    [
      "constructor.prototype",
      '{"constructor": {"prototype": {}}, "messages": []}',
      "The body has a key `__proto__` or `constructor.prototype`, which is never accepted. Remove it.",
      null,
    ],
  ];
  it.each(cases)("%s", async (_name, body, text, param) => {
    expectError(await postRouter(app, body as object), 400, invalid(text, param));
  });

  it("a tag whose name has 65 characters", async () => {
    const response = await postRouter(app, { ...hello, metadata: { ["k".repeat(65)]: 1 } });
    expectError(
      response,
      400,
      invalid(
        `\`metadata.${"k".repeat(65)}\` is 1: its name must have 1 to 64 characters.`,
        `metadata.${"k".repeat(65)}`,
      ),
    );
  });

  it("it never repeats message contents", async () => {
    for (const content of [
      { secret: "prompt" },
      [{ type: "text", text: { secret: "prompt" } }],
      ["secret prompt"],
    ]) {
      const response = await postRouter(app, { messages: [{ role: "user", content }] });
      expect(response.statusCode).toBe(400);
      expect(response.body).not.toContain("secret");
    }
    const malformed = await postRouter(app, '{"messages": [{"content": "secret prompt" oops}]}');
    expect([malformed.statusCode, malformed.body.includes("secret")]).toEqual([400, false]);
  });

  it("a URL that cannot be decoded", async () => {
    expectError(
      await app.inject({ url: "/%E0%A4%A" }),
      400,
      invalid("The URL cannot be decoded. Correct its percent-encoding.", null),
    );
  });
});

describe("400 errors of routing", () => {
  const error = { type: "invalid_request_error", param: "models" };

  it.each([[[]], [["large"]], [["large", "large"]]])("are insufficient_models for %j", async (models) => {
    const count = new Set(models).size;
    expectError(await postRouter(app, { ...hello, models }), 400, {
      ...error,
      code: "insufficient_models",
      extra: { excluded: [] },
      message:
        `\`models\` names ${count} model${count === 1 ? "" : "s"}, but a choice needs at least 2. ` +
        "Name more, or leave `models` out to choose among all live models with a profile.",
    });
  });

  it("are missing_profiles, with the missing and the available ones", async () => {
    expectError(await postRouter(app, { ...hello, models: ["large", "unheard-of"] }), 400, {
      ...error,
      code: "missing_profiles",
      message: "No profile for unheard-of.",
      extra: { missing_profiles: ["unheard-of"], available_profiles: ["large", "medium", "small"] },
    });
  });
});

describe("Authentication errors", () => {
  const send = (headers: Record<string, string>, url = "/v1/router/profiles") => app.inject({ url, headers });
  const error = { type: "authentication_error", param: null };

  it("are missing_credentials, before the body is read", async () => {
    const expected = {
      ...error,
      code: "missing_credentials",
      message:
        "The request carries no API key. Send it in the header `x-api-key`, or as `Authorization: Bearer pk_live_…`.",
    };
    expectError(await send({}), 401, expected);
    expectError(await send({ authorization: "Basic dTpw" }), 401, expected);
    const post = await app.inject({ method: "POST", url: "/v1/router", payload: "not json" });
    expectError(post, 401, expected);
    expect(post.headers["www-authenticate"]).toBe("Bearer");
  });

  it("are invalid_api_key for an unknown key", async () => {
    const expected = { ...error, code: "invalid_api_key", message: "The API key is not known." };
    expectError(await send({ "x-api-key": "pk_live_wrong" }), 401, expected);
    expectError(await send({ authorization: "Bearer pk_live_wrong" }), 401, expected);
  });

  it("are invalid_api_key when both headers are present and differ", async () => {
    expectError(await send({ "x-api-key": KEY, authorization: "Bearer pk_live_other" }), 401, {
      ...error,
      code: "invalid_api_key",
      message: "`x-api-key` and `Authorization` carry different credentials. Send one of them.",
    });
    expect((await send({ "x-api-key": KEY, authorization: `Bearer ${KEY}` })).statusCode).toBe(200);
    expectError(await send({ "x-api-key": KEY, authorization: "Bearer a.token.of-others" }), 401, {
      ...error,
      code: "invalid_api_key",
      message: "`x-api-key` and `Authorization` carry different credentials. Send one of them.",
    });
  });

  it("are those of `x-api-key` where an SDK sends a placeholder beside it", async () => {
    expect((await send({ "x-api-key": KEY, authorization: "Bearer unused" })).statusCode).toBe(200);
    expectError(await send({ "x-api-key": "pk_live_wrong", authorization: "Bearer unused" }), 401, {
      ...error,
      code: "invalid_api_key",
      message: "The API key is not known.",
    });
  });

  it("are passed on from the authenticator: 403 insufficient_scope, 401 key_expired and key_revoked", async () => {
    for (const [code, status, type] of [
      ["insufficient_scope", 403, "permission_error"],
      ["key_expired", 401, "authentication_error"],
      ["key_revoked", 401, "authentication_error"],
    ] as const) {
      const refusing = startTestServer({
        authenticator: {
          authenticate: async () => {
            throw new SextantError(code, "No.");
          },
        },
      });
      const response = await refusing.app.inject({ url: "/v1/router/profiles" });
      expectError(response, status, { type, code, message: "No.", param: null });
      await refusing.app.close();
    }
  });
});

describe("A body of many values", () => {
  const { app } = startTestServer({
    limits: serverLimits({ maxBodyBytes: 1_000_000, maxBodyValues: 1000, maxMessages: 10_000 }),
  });
  afterAll(() => app.close());
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, "v"]));
  const parts = (count: number) => Array.from({ length: count }, () => ({ type: "text", text: "x" }));

  it.each([
    ["tags", { ...helloChat, metadata: keys(600) }],
    ["unknown fields", { ...helloChat, ...keys(600) }],
    ["members of a field that is forwarded", { ...helloChat, own: keys(600) }],
    ["parts of a message", { ...helloChat, messages: [{ role: "user", content: parts(300) }] }],
    ["messages", { ...helloChat, messages: Array(300).fill({ role: "user", content: "x" }) }],
    ["stop texts", { ...helloChat, stop: Array(1000).fill("x") }],
    ["empty lists", { ...helloChat, own: Array(1000).fill([]) }],
  ])("is refused before anything looks at it: %s", async (_, body) => {
    expectError(await postChat(app, body), 400, {
      type: "invalid_request_error",
      code: "invalid_request",
      param: null,
      message: "The body has more than 1000 texts, lists and objects (SEXTANT_MAX_BODY_VALUES). Send fewer.",
    });
  });

  it("may have any number of numbers, and of quotes within texts", async () => {
    const content = '"[{'.repeat(2000);
    const body = { ...helloChat, messages: [{ role: "user", content }], own: Array(5000).fill(1) };
    expect((await postChat(app, body)).statusCode).toBe(200);
  });

  it("has mistyped fields named among the first hundred unknown ones", async () => {
    const early = await postChat(app, { ...keys(50), ...helloChat, temprature: 1 });
    expect(early.json().error.message).toContain("Did you mean `temperature`?");
    expect((await postChat(app, { ...keys(120), ...helloChat, temprature: 1 })).statusCode).toBe(200);
  });
});

describe("A body that is nested deeply", () => {
  const { app } = startTestServer({ limits: serverLimits({ maxBodyBytes: 1_000_000 }) });
  afterAll(() => app.close());
  const nested = (levels: number, [open, close] = ["[", "]"]) =>
    `{"messages":[{"role":"user","content":"x"}],"execute":false,"own":${open?.repeat(levels)}${close?.repeat(levels)}}`;

  it.each([
    ["lists in a field that is forwarded", nested(5000)],
    ["objects", nested(5000, ['{"a":', "}"]).replace('"a":}', '"a":1}')],
    ["lists that are never closed", nested(5000, ["[", ""])],
    ["one level too many", nested(256)],
  ])("is refused before anything looks at it: %s", async (_, body) => {
    expectError(await postRouter(app, body), 400, {
      type: "invalid_request_error",
      code: "invalid_request",
      param: null,
      message: "The body has lists and objects nested more than 256 levels deep. Send a flatter one.",
    });
  });

  it("is accepted up to 256 levels, and brackets in texts are none", async () => {
    expect((await postRouter(app, nested(255))).statusCode).toBe(200);
    const content = `${'\\"['.repeat(1000)}\\\\`;
    const body = { ...hello, messages: [{ role: "user", content }] };
    expect((await postRouter(app, body)).statusCode).toBe(200);
  });
});

describe("Routing of paths and methods", () => {
  it("answers not_found for a path that does not exist", async () => {
    expectError(await app.inject({ url: "/v1/nope?x=1" }), 404, {
      type: "invalid_request_error",
      code: "not_found",
      param: null,
      message: "There is no route GET /v1/nope. GET /openapi.json lists all routes.",
    });
  });

  it.each([
    [
      "POST",
      "/chat/completions",
      "POST /chat/completions. Did you mean /v1/chat/completions? The base URL of OpenAI's clients ends with `/v1`.",
    ],
    ["GET", "/models", "Did you mean /v1/models?"],
    [
      "POST",
      "/v1/v1/messages",
      "Did you mean /v1/messages? The base URL of Anthropic's clients has no `/v1`: they add it.",
    ],
    ["POST", "//v1/chat/completions", "Did you mean /v1/chat/completions? The path has a slash too many."],
    ["POST", "/v1/chat/completions/", "Did you mean /v1/chat/completions? The path has a slash too many."],
    ["POST", "/v1//messages", "Did you mean /v1/messages?"],
    ["POST", "/v1/images/generations", "Sextant does not serve the making of images."],
    ["POST", "/images/generations", "Sextant does not serve the making of images."],
    ["POST", "/v1/audio/transcriptions", "speech and transcription"],
    ["POST", "/v1/files", "the storage of files. Send a file in the request"],
    ["GET", "/v1/batches/batch_1", "does not serve batches. Send the requests one by one"],
    ["POST", "/v1/moderations", "does not serve moderation"],
    ["POST", "/v1/threads", "what a provider stores"],
    [
      "POST",
      "/v1beta/models/gemini-3-pro:generateContent?key=secret",
      "does not serve Gemini's API. Use a client of OpenAI's or Anthropic's API",
    ],
    ["POST", "/v1beta/models/gemini-3-pro:streamGenerateContent", "Gemini's API"],
    ["POST", "/api/chat", "Ollama's API. Use OpenAI's API"],
  ] as const)("helps who sends %s %s", async (method, url, help) => {
    const response = await app.inject({ method, url });
    expect([response.statusCode, response.json().error.code]).toEqual([404, "not_found"]);
    expect(response.json().error.message).toContain(help);
    expect(response.json().error.message).not.toContain("secret");
  });

  it("answers in Anthropic's form below its API, and to its clients", async () => {
    for (const [url, headers] of [
      ["/v1/messages/batches", {}],
      ["/v1/v1/messages", { "anthropic-version": "2023-06-01" }],
    ] as const) {
      const response = await app.inject({ method: "POST", url, headers });
      expect(response.statusCode).toBe(404);
      expect(response.json()).toMatchObject({ type: "error", error: { type: "not_found_error" } });
      expect(response.headers["request-id"]).toBe(response.headers["x-request-id"]);
    }
  });

  it("answers trace_not_found for a name of 200 characters, not_found for one of 2000", async () => {
    const { app } = startTestServer({ traces: { ...noStore, ask: async () => undefined as never } });
    const reader = { "x-api-key": ALL_READER_KEY };
    const long = await get(app, `/v1/traces/${"x".repeat(200)}`, reader);
    expect([long.statusCode, long.json().error.code]).toEqual([404, "trace_not_found"]);
    expectError(await get(app, `/v1/traces/${"x".repeat(2000)}`, reader), 404, {
      type: "invalid_request_error",
      code: "not_found",
      param: null,
      message: "Nothing has so long a name as the one in the path. Check it.",
    });
  });

  it("answers method_not_allowed with Allow", async () => {
    const response = await app.inject({ method: "GET", url: "/v1/router" });
    expectError(response, 405, {
      type: "invalid_request_error",
      code: "method_not_allowed",
      param: null,
      message: "/v1/router does not accept GET. Use POST.",
    });
    expect(response.headers.allow).toBe("POST");
    const health = await app.inject({ method: "DELETE", url: "/healthz" });
    expect([health.statusCode, health.headers.allow]).toEqual([405, "GET, HEAD"]);
  });
});

describe("Checks of the body", () => {
  it("answer request_too_large", async () => {
    expectError(
      await postRouter(app, { ...hello, messages: [{ role: "user", content: "x".repeat(5000) }] }),
      413,
      {
        type: "invalid_request_error",
        code: "request_too_large",
        param: null,
        message: "The body is larger than 4096 bytes. Send a smaller one, or raise SEXTANT_MAX_BODY_BYTES.",
      },
    );
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonx"])(
    "answer unsupported_media_type for %s",
    async (type) => {
      expectError(await postRouter(app, hello, { "content-type": type }), 415, {
        type: "invalid_request_error",
        code: "unsupported_media_type",
        param: null,
        message: `The content type is "${type}". Send JSON with \`content-type: application/json\`.`,
      });
    },
  );

  it.each(["utf-8", "UTF-8", '"utf-8"', "us-ascii"])("accept the charset %s", async (charset) => {
    const response = await postRouter(app, hello, { "content-type": `application/json; charset=${charset}` });
    expect(response.statusCode).toBe(200);
  });

  it.each(["utf-16", "UTF-16LE", "iso-8859-1", '"utf-32"'])("refuse the charset %s", async (charset) => {
    const type = `application/json; Charset=${charset}`;
    expectError(await postRouter(app, hello, { "content-type": type }), 415, {
      type: "invalid_request_error",
      code: "unsupported_media_type",
      param: null,
      message: `The content type is ${JSON.stringify(type)}. Send JSON in UTF-8, with \`content-type: application/json\`.`,
    });
  });
});

describe("503 errors", () => {
  it("are overloaded beyond the limit of concurrent requests, with retry_after, until one has ended", async () => {
    const busy = startTestServer({ limits: serverLimits({ maxRequestsInFlight: 2 }) });
    const finish: (() => void)[] = [];
    const wait = () => new Promise<Answer>((resolve) => finish.push(() => resolve(wholeAnswer())));
    busy.inference.outcomes.push(wait, wait);
    const running = [postChat(busy.app, helloChat), postChat(busy.app, helloChat)];
    while (finish.length < 2) await new Promise((resolve) => setImmediate(resolve));
    const refused = await postChat(busy.app, helloChat);
    expectError(refused, 503, {
      type: "api_error",
      code: "overloaded",
      param: null,
      message:
        "2 requests are being answered, which is the limit. Send the request again in a moment, or raise " +
        "SEXTANT_MAX_REQUESTS_IN_FLIGHT.",
      extra: { retry_after: 1 },
    });
    expect(refused.headers["retry-after"]).toBe("1");
    expect((await get(busy.app, "/healthz")).statusCode).toBe(200);
    for (const end of finish) end();
    for (const response of await Promise.all(running)) expect(response.statusCode).toBe(200);
    busy.inference.outcomes.push(async () => wholeAnswer());
    expect((await postChat(busy.app, helloChat)).statusCode).toBe(200);
    await busy.app.close();
  });

  it("do not come for decisions and lists while providers hang with as many requests as may run", async () => {
    const busy = startTestServer({ limits: serverLimits({ maxRequestsInFlight: 2 }) });
    const finish: (() => void)[] = [];
    const hang = () => new Promise<Answer>((resolve) => finish.push(() => resolve(wholeAnswer())));
    busy.inference.outcomes.push(hang, hang);
    const running = [postChat(busy.app, helloChat), postChat(busy.app, helloChat)];
    while (finish.length < 2) await new Promise((resolve) => setImmediate(resolve));
    for (let time = 0; time < 3; time++)
      expect((await postRouter(busy.app, { ...hello, execute: false })).statusCode).toBe(200);
    expect((await get(busy.app, "/v1/models")).statusCode).toBe(200);
    expect((await postRouter(busy.app, { ...hello, execute: true })).statusCode).toBe(503);
    for (const end of finish) end();
    await Promise.all(running);
    await busy.app.close();
  });

  it("are no_profiles_available when none are loaded", async () => {
    const empty = startTestServer({ router: new FakeRouter([]) });
    expectError(await postRouter(empty.app, hello), 503, {
      type: "api_error",
      code: "no_profiles_available",
      param: null,
      message: "No profiles are loaded.",
    });
    await empty.app.close();
  });

  it("are overloaded, with retry_after, for a request on an open connection during shutdown", async () => {
    let finishFirst = () => {};
    const router = new FakeRouter();
    const decide = router.route.bind(router);
    const started = new Promise<void>((begun) => {
      router.route = async (request) => {
        begun();
        await new Promise<void>((resolve) => {
          finishFirst = resolve;
        });
        return decide(request);
      };
    });
    const stopping = startTestServer({ router });
    await stopping.app.listen({ port: 0, host: "127.0.0.1" });
    const address = stopping.app.server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const body = JSON.stringify(hello);
    const request = `POST /v1/router HTTP/1.1\r\nhost: x\r\nx-api-key: ${KEY}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const first = exchange(port);
    first.socket.write(request);
    const second = exchange(port);
    second.socket.write(request.slice(0, 40));
    await started;
    await second.connected;
    const closed = stopping.app.close();
    await new Promise((resolve) => setImmediate(resolve));
    second.socket.write(request.slice(40));
    const answer = await second.received;
    finishFirst();
    expect(await first.received).toMatch(/^HTTP\/1\.1 200 /);
    await closed;
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/\r\nretry-after: 1\r\n/);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({
      error: { code: "overloaded", type: "api_error", param: null },
      retry_after: 1,
    });
  });
});

describe("A message that is not HTTP", () => {
  it("is answered in the same error format, and the connection is closed", async () => {
    const raw = startTestServer();
    await raw.app.listen({ port: 0, host: "127.0.0.1" });
    const address = raw.app.server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    for (const [sent, message] of [
      ["hello\r\n\r\n", "The request is not valid HTTP. Check its request line and headers."],
      [
        `GET / HTTP/1.1\r\nx: ${"y".repeat(20_000)}\r\n\r\n`,
        "The request's headers are larger than 16 KiB. Send fewer or shorter ones.",
      ],
    ] as const) {
      const { socket, received } = exchange(port);
      socket.write(sent);
      const answer = await received;
      const body = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(body.error).toEqual({
        message,
        type: "invalid_request_error",
        code: "invalid_request",
        param: null,
      });
      expect(answer).toContain(`x-request-id: ${body.request_id}`);
    }
    await raw.app.close();
  });
});

describe("what HTTP does not allow, or this server does not do", () => {
  const server = startTestServer();
  let port = 0;
  beforeAll(async () => {
    port = await listening(server.app);
  });
  afterAll(() => server.app.close());

  it.each([
    [
      "HTTP/1.1 without Host",
      `GET /v1/models HTTP/1.1\r\nconnection: close\r\nx-api-key: ${KEY}\r\n\r\n`,
      400,
      "The request has no `Host` header, which HTTP/1.1 requires. Send one.",
    ],
    [
      "an expectation that is not 100-continue",
      `GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\nexpect: 200-ok\r\nx-api-key: ${KEY}\r\n\r\n`,
      417,
      'The header `Expect` is "200-ok". Only 100-continue is supported: send that, or leave it out.',
    ],
  ])("is answered in the format of all errors: %s", async (_, request, status, message) => {
    const received = await answerTo(port, request);
    expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const [head = "", body = ""] = received.split("\r\n\r\n");
    expect(JSON.parse(body)).toEqual({
      error: { message, type: "invalid_request_error", code: "invalid_request", param: null },
      request_id: /x-request-id: (\S+)/.exec(head)?.[1],
    });
  });

  it("answers HTTP/1.0 without Host, and Expect: 100-continue", async () => {
    const old = await answerTo(port, `GET /v1/models HTTP/1.0\r\nx-api-key: ${KEY}\r\n\r\n`);
    expect(old).toMatch(/^HTTP\/1.1 200 /);
    const body = JSON.stringify(hello);
    const continued = await answerTo(
      port,
      `POST /v1/router HTTP/1.1\r\nhost: x\r\nconnection: close\r\nexpect: 100-continue\r\nx-api-key: ${KEY}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    expect(continued).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /);
  });
});

/** Everything received for that text, until the server closes the connection. */
function answerTo(port: number, request: string): Promise<string> {
  const { socket, received } = exchange(port);
  socket.write(request);
  return received;
}

/** A raw connection, and everything it receives until the server closes it. */
function exchange(port: number) {
  const socket = createConnection(port, "127.0.0.1");
  const received = new Promise<string>((resolve) => {
    const chunks: string[] = [];
    socket.on("data", (chunk) => chunks.push(String(chunk)));
    socket.once("close", () => resolve(chunks.join("")));
  });
  const connected = new Promise((resolve) => socket.once("connect", resolve));
  return { socket, connected, received };
}

describe("Errors of inference", () => {
  const attempts = [
    { provider: "openai", model: "gpt-4o-mini", status: 500, code: "server_error", latency_ms: 3 },
  ];
  const cases = [
    ["model_not_found", 404, "invalid_request_error", {}],
    ["provider_not_found", 404, "invalid_request_error", {}],
    ["context_length_exceeded", 400, "invalid_request_error", {}],
    ["insufficient_models", 400, "invalid_request_error", { excluded: [] }],
    ["no_provider_available", 503, "api_error", {}],
    ["rate_limit_exceeded", 429, "rate_limit_error", { retry_after: 12.5 }],
    ["budget_exceeded", 429, "rate_limit_error", { retry_after: 86400 }],
    ["upstream_error", 502, "api_error", { attempts }],
    ["upstream_timeout", 504, "api_error", { attempts }],
  ] as const;

  it.each(cases)(
    "are passed on with status and members, also for a stream: %s",
    async (code, status, type, extra) => {
      const { app: failing, inference } = startTestServer();
      for (const stream of [false, true]) {
        inference.outcomes.push(new SextantError(code, "So it is.", { param: "model", extra }));
        const response = await postChat(failing, { ...helloChat, stream });
        expectError(response, status, { type, code, message: "So it is.", param: "model", extra });
        const { retry_after: retryAfter } = response.json();
        expect(response.headers["retry-after"]).toBe(retryAfter && String(Math.ceil(retryAfter)));
      }
      await failing.close();
    },
  );
});

describe("500 internal_error", () => {
  it("hides its message from the client and from the log", async () => {
    const router = new FakeRouter();
    router.route = async () => {
      throw new Error("secret prompt in a bug");
    };
    const broken = startTestServer({ router });
    const response = await postRouter(broken.app, hello);
    expectError(response, 500, {
      type: "api_error",
      code: "internal_error",
      param: null,
      message:
        "Something went wrong inside the server. Try again; if it stays, report it with the request id.",
    });
    expect(broken.logLines).toHaveLength(1);
    expect(broken.logLines[0]).not.toContain("secret");
    expect(JSON.parse(broken.logLines[0] ?? "")).toMatchObject({
      request_id: response.headers["x-request-id"],
    });
    await broken.app.close();
  });
});
