import { createConnection } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RedisUnavailableError, SextantError, StorageError } from "../../../src/foundation/errors.js";
import { errorSchema } from "../../../src/gateway/api/error.js";
import type { ConsoleSessions } from "../../../src/gateway/features/console/console-sessions.js";
import type { Answer } from "../../../src/gateway/run/inference.js";
import { noStore } from "../../../src/gateway/traces/no-store.js";
import { wholeAnswer } from "../../fakes/inference.js";
import { FakeRouter } from "../../fakes/router.js";
import { serverLimits } from "../../support/server-limits.js";
import {
  ADMIN_KEY,
  ALL_READER_KEY,
  expectFieldError,
  get,
  hello,
  helloChat,
  KEY,
  listening,
  NOTHING_WAITS,
  noKeys,
  postChat,
  postRouter,
  startTestServer,
} from "../server.js";

const { app } = startTestServer();

type Response = Awaited<ReturnType<typeof app.inject>>;

/** The whole body, exactly, and the request id in both places. */
function expectError(
  response: Response,
  status: number,
  { extra, ...error }: { message: string; type: string; code: string; param: string | null; extra?: object },
) {
  expect(response.json()).toEqual({ error, ...extra, request_id: response.headers["x-request-id"] });
  expect(response.statusCode).toBe(status);
  expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
  errorSchema.parse(response.json());
}

const REFUSED = { type: "invalid_request_error", code: "invalid_request" };
const invalid = (message: string, param: string | null = null) => ({ ...REFUSED, message, param });

describe("400 invalid_request names the field, its value and the remedy:", () => {
  const inMessage = (changes: object) => ({ messages: [{ role: "user", content: "x", ...changes }] });
  const inPart = (part: object) => inMessage({ content: [part] });
  const tags = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]));
  const long = "v".repeat(513);
  const ROLES = "it must be one of system, developer, user, assistant, tool.";
  const MESSAGES = "it must be a list of messages.";
  const CONTENT = "it must be a string or a list of parts";
  const WEIGHT = "it must be a number of at least 0.";
  const TAG = "it must be a number, a boolean or a string of at most 512 characters.";

  it.each<[param: string, changes: object, fault: string]>([
    ["messages", { messages: undefined }, `is missing: ${MESSAGES}`],
    ["messages", { messages: "hi" }, `is a string: ${MESSAGES}`],
    ["messages", { messages: [] }, "is an empty list: it must hold at least one message."],
    ["messages", { messages: Array(9).fill(5) }, "is a list of 9: it must hold at most 8 messages."],
    ["messages[0]", { messages: ["hi"] }, "is a string: it must be an object with `role` and `content`."],
    ["messages[0].role", inMessage({ role: "robot" }), `is "robot": ${ROLES}`],
    ["messages[0].content", inMessage({ content: 12345 }), `is a number: ${CONTENT}.`],
    ["messages[0].content", inMessage({ content: null }), "(only an assistant's may be left out)."],
    ["messages[0].content", inMessage({ content: [] }), "is an empty list: it must hold at least one part."],
    ["messages[0].content[0].type", inPart({ type: "input_audio" }), "of text, image_url, file."],
    ["messages[0].content[0].text", inPart({ type: "text", text: 5 }), "is a number: it must be a string."],
    [
      "messages[0].content[0].image_url.url",
      inPart({ type: "image_url", image_url: {} }),
      "must be a string.",
    ],
    ["cost_weight", { cost_weight: -0.1 }, `is -0.1: ${WEIGHT}`],
    ["execute", { execute: "no" }, 'is "no": it must be true or false.'],
    ["models", { models: "large" }, 'is "large": it must be a list of at least two model ids.'],
    ["models", { models: Array(257).fill(5) }, "it must be a list of at most 256 model ids."],
    ["models[1]", { models: ["large", 5] }, "is 5: it must be a model id of 1 to 256 characters."],
    ["tools", { tools: {} }, "is an object: it must be a list of tools."],
    ["tools", { tools: Array(1025).fill(5) }, "is a list of 1025: it must be a list of at most 1024 tools."],
    ["metadata", { metadata: [] }, "is an empty list: it must be an object of tags."],
    ["metadata", { metadata: tags(17) }, "is an object: it must have at most 16 keys."],
    ["metadata.a", { metadata: { a: long } }, `is "${"v".repeat(40)}…": ${TAG}`],
    ["metadata.a", { metadata: { a: [1] } }, `is a list of 1: ${TAG}`],
    [`metadata.${"k".repeat(65)}`, { metadata: { ["k".repeat(65)]: 1 } }, "must have 1 to 64 characters."],
    ["cost_wieght", { cost_wieght: 1 }, "is not a field of this route. Did you mean `cost_weight`?"],
    ["model", { model: "large" }, "or use POST /v1/chat/completions for one model."],
  ])("%s in %j", async (param, changes, fault) => {
    const response = await postRouter(app, { ...hello, ...changes });
    expectFieldError(response.json().error, { param, fault });
    expectError(response, 400, invalid(expect.any(String), param));
  });

  const NOT_JSON = "is not valid JSON. Check quotes, commas, escapes, and that it was sent whole.";
  const POLLUTED = "has a key `__proto__` or `constructor.prototype`, which is never accepted. Remove it.";

  it.each<[body: unknown, fault: string]>([
    [[], "is an empty list. Send a JSON object."],
    ["  ", "is missing. Send a JSON object."],
    ["", "is missing. Send a JSON object."],
    ['{"messages": [oops', NOT_JSON],
    ['{"messages": [{"role": "user", "content": "x", "__proto__": {"a": 1}}]}', POLLUTED],
    ['{"\\u005f_proto__": {"a": 1}, "messages": []}', POLLUTED],
    ['{"constructor": {"prototype": {}}, "messages": []}', POLLUTED],
  ])("the body %j", async (body, fault) => {
    expectError(await postRouter(app, body), 400, invalid(`The body ${fault}`));
  });

  it("a URL that cannot be decoded", async () => {
    const response = await app.inject({ url: "/%E0%A4%A" });
    expectError(response, 400, invalid("The URL cannot be decoded. Correct its percent-encoding."));
  });

  it.each([
    { messages: [{ role: "user", content: { secret: "prompt" } }] },
    { messages: [{ role: "user", content: [{ type: "text", text: { secret: "prompt" } }] }] },
    { messages: [{ role: "user", content: ["secret prompt"] }] },
    '{"messages": [{"content": "secret prompt" oops}]}',
  ])("but never repeats message contents: %j", async (body) => {
    const response = await postRouter(app, body);
    expect([response.statusCode, response.body.includes("secret")]).toEqual([400, false]);
  });
});

describe("400 errors of routing", () => {
  it.each([[[]], [["large"]], [["large", "large"]]])("are insufficient_models for %j", async (models) => {
    const count = new Set(models).size;
    const message =
      `\`models\` names ${count} model${count === 1 ? "" : "s"}, but a choice needs at least 2. ` +
      "Name more, or leave `models` out to choose among all live models with a profile.";
    const expected = { ...invalid(message, "models"), code: "insufficient_models", extra: { excluded: [] } };
    expectError(await postRouter(app, { ...hello, models }), 400, expected);
  });
});

describe("Authentication errors", () => {
  const send = (headers: Record<string, string>) => app.inject({ url: "/v1/router/profiles", headers });
  const refused = (code: string, message: string, type = "authentication_error") => ({
    ...invalid(message),
    code,
    type,
  });
  const UNKNOWN = "The API key is not known.";
  const DIFFERENT = "`x-api-key` and `Authorization` carry different credentials. Send only one of them.";
  const wrong = "pk_live_wrong";

  it("are missing_credentials, before the body is read", async () => {
    const expected = refused(
      "missing_credentials",
      "The request carries no API key. Send it in the header `x-api-key`, or as `Authorization: Bearer pk_live_…`.",
    );
    expectError(await send({}), 401, expected);
    expectError(await send({ authorization: "Basic dTpw" }), 401, expected);
    const post = await app.inject({ method: "POST", url: "/v1/router", payload: "not json" });
    expectError(post, 401, expected);
    expect(post.headers["www-authenticate"]).toBe("Bearer");
  });

  it.each<[headers: Record<string, string>, message: string]>([
    [{ "x-api-key": wrong }, UNKNOWN],
    [{ "x-api-key": KEY, authorization: "Bearer pk_live_other" }, DIFFERENT],
  ])("are invalid_api_key for %j", async (headers, message) => {
    expectError(await send(headers), 401, refused("invalid_api_key", message));
  });

  it.each([KEY, "unused"])(
    "do not come where `Authorization` has the same key, or a placeholder of an SDK: %s",
    async (token) => {
      expect((await send({ "x-api-key": KEY, authorization: `Bearer ${token}` })).statusCode).toBe(200);
    },
  );

  it.each([
    ["insufficient_scope", 403, "permission_error"],
    ["key_expired", 401, "authentication_error"],
    ["key_revoked", 401, "authentication_error"],
  ] as const)("are passed on from the authenticator: %s as %d", async (code, status, type) => {
    const authenticate = () => Promise.reject(new SextantError(code, "No."));
    const { app: refusing } = startTestServer({ authenticator: { authenticate } });
    expectError(await refusing.inject({ url: "/v1/router/profiles" }), status, refused(code, "No.", type));
  });
});

describe("A body of many values", () => {
  const { app } = startTestServer({
    limits: serverLimits({ maxBodyBytes: 10_000_000, maxMessages: 10_000 }),
  });
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, "v"]));
  const parts = (count: number) => Array.from({ length: count }, () => ({ type: "text", text: "x" }));

  it.each([
    ["tags", { ...helloChat, metadata: keys(125_001) }],
    ["members of a field that is forwarded", { ...helloChat, own: keys(125_001) }],
    ["parts of a message", { ...helloChat, messages: [{ role: "user", content: parts(50_000) }] }],
    ["stop texts", { ...helloChat, stop: Array(250_000).fill("x") }],
    ["empty lists", { ...helloChat, own: Array(250_000).fill([]) }],
  ])("is refused before anything looks at it: %s", async (_, body) => {
    const message = "The body has more than 250000 texts, lists and objects. Send fewer.";
    expectError(await postChat(app, body), 400, invalid(message));
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
  const nested = (levels: number, [open, close] = ["[", "]"]) =>
    `{"messages":[{"role":"user","content":"x"}],"execute":false,"own":${open?.repeat(levels)}${close?.repeat(levels)}}`;

  it.each([
    ["lists in a field that is forwarded", nested(5000)],
    ["objects", nested(5000, ['{"a":', "}"]).replace('"a":}', '"a":1}')],
    ["lists that are never closed", nested(5000, ["[", ""])],
    ["one level too many", nested(256)],
  ])("is refused before anything looks at it: %s", async (_, body) => {
    const message = "The body has lists and objects nested more than 256 levels deep. Send a flatter one.";
    expectError(await postRouter(app, body), 400, invalid(message));
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
    const message = "There is no route GET /v1/nope. GET /openapi.json lists all routes.";
    expectError(await app.inject({ url: "/v1/nope?x=1" }), 404, { ...invalid(message), code: "not_found" });
  });

  it.each([
    ["POST /chat/completions", "/v1/chat/completions? The base URL of OpenAI's clients ends with `/v1`."],
    ["POST /v1/v1/messages", "/v1/messages? The base URL of Anthropic's clients has no `/v1`: they add it."],
    ["POST //v1/chat/completions", "Did you mean /v1/chat/completions? The path has a slash too many."],
    ["POST /v1/chat/completions/", "Did you mean /v1/chat/completions? The path has a slash too many."],
    ["POST /v1//messages", "Did you mean /v1/messages?"],
    ["POST /v1/images/generations", "Sextant does not serve the making of images."],
    ["POST /v1/audio/transcriptions", "speech and transcription"],
    ["POST /v1/files", "the storage of files. Send a file in the request"],
    ["GET /v1/batches/batch_1", "does not serve batches. Send the requests one by one"],
    ["POST /v1/threads", "what a provider stores"],
    ["POST /v1beta/models/gemini-3-pro:generateContent?key=secret", "Use a client of OpenAI's or"],
    ["POST /api/chat", "Ollama's API. Use OpenAI's API"],
  ])("helps who sends %s", async (sent, help) => {
    const [method, url] = sent.split(" ") as ["GET", string];
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
    const message = "Nothing has so long a name as the one in the path. Check it.";
    const tooLong = await get(app, `/v1/traces/${"x".repeat(2000)}`, reader);
    expectError(tooLong, 404, { ...invalid(message), code: "not_found" });
  });

  it("answers method_not_allowed with Allow", async () => {
    const response = await app.inject({ method: "GET", url: "/v1/router" });
    const message = "/v1/router does not accept GET. Use POST.";
    expectError(response, 405, { ...invalid(message), code: "method_not_allowed" });
    expect(response.headers.allow).toBe("POST");
    const socket = { method: "GET", url: "/v1/responses", headers: { upgrade: "websocket" } } as const;
    expect((await app.inject(socket)).json().error.code).toBe("upgrade_required");
    const health = await app.inject({ method: "DELETE", url: "/healthz" });
    expect([health.statusCode, health.headers.allow]).toEqual([405, "GET, HEAD"]);
  });
});

describe("Checks of the body", () => {
  it("answer request_too_large", async () => {
    const message =
      "The body is larger than 4096 bytes. Send a smaller one, or raise SEXTANT_MAX_BODY_BYTES.";
    const response = await postRouter(app, { messages: [{ role: "user", content: "x".repeat(5000) }] });
    expectError(response, 413, { ...invalid(message), code: "request_too_large" });
  });

  it.each([
    ["text/plain", "JSON with"],
    ["application/jsonx", "JSON with"],
    ["application/json; Charset=utf-16", "JSON in UTF-8, with"],
    ['application/json; Charset="utf-32"', "JSON in UTF-8, with"],
  ])("answer unsupported_media_type for %s", async (type, what) => {
    const message = `The content type is ${JSON.stringify(type)}. Send ${what} \`content-type: application/json\`.`;
    const response = await postRouter(app, hello, { "content-type": type });
    expectError(response, 415, { ...invalid(message), code: "unsupported_media_type" });
  });

  it.each(["utf-8", "UTF-8", '"utf-8"', "us-ascii"])("accept the charset %s", async (charset) => {
    const response = await postRouter(app, hello, { "content-type": `application/json; charset=${charset}` });
    expect(response.statusCode).toBe(200);
  });
});

/** A server that may run two requests, and runs two already, until `finish`. */
async function busyServer() {
  const { app, inference } = startTestServer({ limits: serverLimits({ maxRequestsInFlight: 2 }) });
  const ends: (() => void)[] = [];
  const wait = () => new Promise<Answer>((resolve) => ends.push(() => resolve(wholeAnswer())));
  inference.outcomes.push(wait, wait);
  const running = [postChat(app, helloChat), postChat(app, helloChat)];
  while (ends.length < 2) await new Promise((resolve) => setImmediate(resolve));
  const finish = () => {
    for (const end of ends) end();
    return Promise.all(running);
  };
  return { app, finish };
}

describe("503 errors", () => {
  const unavailable = (code: string, message: string) => ({ ...invalid(message), type: "api_error", code });

  it("are overloaded beyond the limit of concurrent requests, with retry_after, until one has ended", async () => {
    const { app: busy, finish } = await busyServer();
    const refused = await postChat(busy, helloChat);
    const message =
      "2 requests are being answered, which is the limit. Send the request again in a moment, or raise " +
      "SEXTANT_MAX_REQUESTS_IN_FLIGHT.";
    expectError(refused, 503, { ...unavailable("overloaded", message), extra: { retry_after: 1 } });
    expect(refused.headers["retry-after"]).toBe("1");
    expect((await get(busy, "/healthz")).statusCode).toBe(200);
    for (const response of await finish()) expect(response.statusCode).toBe(200);
    expect((await postChat(busy, helloChat)).statusCode).toBe(200);
  });

  it("do not come for decisions and lists while providers hang with as many requests as may run", async () => {
    const { app: busy, finish } = await busyServer();
    for (let time = 0; time < 3; time++) expect((await postRouter(busy, hello)).statusCode).toBe(200);
    expect((await get(busy, "/v1/models")).statusCode).toBe(200);
    expect((await postRouter(busy, { ...hello, execute: true })).statusCode).toBe(503);
    await finish();
  });
});

describe("What is not HTTP, or what this server does not do of it,", () => {
  const server = startTestServer();
  let port = 0;
  beforeAll(async () => {
    port = await listening(server.app);
  });
  afterAll(() => server.app.close());
  const asked = `GET /v1/models HTTP/1.1\r\nconnection: close\r\nx-api-key: ${KEY}\r\n`;

  it.each([
    ["is no request line", "hello\r\n\r\n", 400, "is not valid HTTP. Check its request line and headers."],
    ["has long headers", `GET / HTTP/1.1\r\nx: ${"y".repeat(20_000)}\r\n\r\n`, 400, "larger than 16 KiB."],
    ["has no host", `${asked}\r\n`, 400, "has no `Host` header, which HTTP/1.1 requires. Send one."],
    ["expects what is unknown", `${asked}host: x\r\nexpect: 200-ok\r\n\r\n`, 417, "Only 100-continue"],
  ])(
    "is answered in the format of all errors, and the connection is closed: it %s",
    async (_, request, status, words) => {
      const { head, body } = partsOf(await answerTo(port, request));
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(head).toContain("cache-control: no-store\r\n");
      expect(body).toEqual({
        error: invalid(expect.stringContaining(words)),
        request_id: /x-request-id: (\S+)/.exec(head)?.[1],
      });
    },
  );

  it("is neither HTTP/1.0 without Host, nor Expect: 100-continue", async () => {
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

function partsOf(answer: string) {
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  return { head: `${head}\r\n`, body: JSON.parse(body) };
}

/** A raw connection, and everything it receives until the server closes it. */
function exchange(port: number) {
  const socket = createConnection(port, "127.0.0.1");
  const received = new Promise<string>((resolve) => {
    const chunks: string[] = [];
    socket.on("data", (chunk) => chunks.push(String(chunk)));
    socket.once("close", () => resolve(chunks.join("")));
  });
  return { socket, received };
}

describe("Errors of inference", () => {
  const attempts = [
    { provider: "openai", model: "gpt-4o-mini", status: 500, code: "server_error", latency_ms: 3 },
  ];

  it.each([
    ["model_not_found", 404, "invalid_request_error", {}],
    ["insufficient_models", 400, "invalid_request_error", { excluded: [] }],
    ["rate_limit_exceeded", 429, "rate_limit_error", { retry_after: 12.5 }],
    ["upstream_error", 502, "api_error", { attempts }],
  ] as const)(
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
    },
  );
});

describe("503 storage_unavailable", () => {
  const full = "state.db cannot be written: the disk is full or has no inodes left (ENOSPC). Make room.";
  const fails = () => Promise.reject(new StorageError(full));
  const comparisons = { entries: () => [], results: fails, state: () => NOTHING_WAITS };
  const sessions = { begin: fails, resume: fails, end: fails } as unknown as ConsoleSessions;
  const { app: failing, logLines } = startTestServer({
    keys: { ...noKeys, create: fails },
    console: { pageFolder: ".", sessions },
    comparisons,
    events: { record: fails, list: () => Promise.reject(new RedisUnavailableError(full)) },
  });

  it.each([
    ["POST", "/admin/keys", { name: "app", scopes: ["inference"] }],
    ["POST", "/console/session", { key: ADMIN_KEY }],
    ["GET", "/admin/comparisons", {}],
    ["GET", "/admin/events", {}],
  ] as const)(
    "%s %s says what cannot be written and what to do, and is no bug",
    async (method, url, payload) => {
      const response = await failing.inject({
        method,
        url,
        payload,
        headers: { "x-api-key": ADMIN_KEY, host: "gateway.test" },
      });
      expectError(response, 503, {
        message: full,
        type: "api_error",
        code: "storage_unavailable",
        param: null,
      });
      expect(logLines.join()).not.toContain("bug");
    },
  );
});

describe("500 internal_error", () => {
  it("hides its message from the client and from the log", async () => {
    const router = new FakeRouter();
    router.route = () => Promise.reject(new Error("secret prompt in a bug"));
    const { app: broken, logLines } = startTestServer({ router });
    const response = await postRouter(broken, hello);
    const message =
      "Something went wrong inside the server. Try again; if it stays, report it with the request id.";
    expectError(response, 500, { ...invalid(message), type: "api_error", code: "internal_error" });
    expect(logLines).toHaveLength(1);
    expect(logLines[0]).not.toContain("secret");
    expect(JSON.parse(logLines[0] ?? "")).toMatchObject({ request_id: response.headers["x-request-id"] });
  });
});
