import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFolder, removeFolder, type ServerProcess, startServe } from "../e2e/server-process.js";
import { reply, UpstreamServer } from "../fakes/upstream-server.js";
import { KEY } from "../server/server.js";
import { effort, FUZZ_TIMEOUT_MS } from "./effort.js";
import { mutatedBytes, mutatedText } from "./hostile-values.js";

let folder: string;
let upstream: UpstreamServer;
let server: ServerProcess;

beforeAll(async () => {
  folder = newFolder();
  upstream = await UpstreamServer.start();
  server = await startServe(folder, {
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: `${upstream.origin}/v1`,
    ANTHROPIC_API_KEY: "sk-ant-test",
    ANTHROPIC_BASE_URL: upstream.origin,
    SEXTANT_RETRY_MAX_WAIT_MS: "1",
    SEXTANT_MAX_ATTEMPTS: "1",
    SEXTANT_CIRCUIT_FAILURES: "1000",
  });
});
afterAll(async () => {
  await server.stop();
  await upstream.close();
  removeFolder(folder);
});

const USAGE = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
const CALL = { id: "call_1", type: "function", function: { name: "f", arguments: '{"a": 1}' } };
const lines = (events: readonly object[]) =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const named = (events: readonly { readonly type: string }[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
const chunk = (choice: object, more: object = {}) => ({
  ...{ id: "c", object: "chat.completion.chunk", created: 1, model: "m" },
  ...{ choices: [{ index: 0, finish_reason: null, ...choice }], ...more },
});

const MESSAGE_USAGE = { input_tokens: 5, output_tokens: 2 };

/** Replies as the two dialects send them, whole and streamed. */
const REPLIES = [
  {
    model: "gpt-4o-mini",
    stream: false,
    text: JSON.stringify({
      ...{ id: "c", object: "chat.completion", created: 1, model: "m", usage: USAGE },
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Hi", tool_calls: [CALL] },
          finish_reason: "stop",
        },
      ],
    }),
  },
  {
    model: "gpt-4o-mini",
    stream: true,
    text: `${lines([
      chunk({ delta: { role: "assistant", content: "" } }),
      chunk({ delta: { content: "Hi" } }),
      chunk({ delta: { tool_calls: [{ index: 0, ...CALL }] } }),
      chunk({ delta: {}, finish_reason: "tool_calls" }),
      { ...chunk({}), choices: [], usage: USAGE },
    ])}data: [DONE]\n\n`,
  },
  {
    model: "claude-sonnet-4-6",
    stream: false,
    text: JSON.stringify({
      ...{ id: "msg", type: "message", role: "assistant", model: "m", stop_reason: "tool_use" },
      content: [
        { type: "text", text: "Hi" },
        { type: "tool_use", id: "toolu_1", name: "f", input: { a: 1 } },
      ],
      usage: MESSAGE_USAGE,
    }),
  },
  {
    model: "claude-sonnet-4-6",
    stream: true,
    text: named([
      {
        type: "message_start",
        ...{ message: { id: "msg", type: "message", role: "assistant", content: [], usage: MESSAGE_USAGE } },
      },
      { type: "content_block_start", ...{ index: 0, content_block: { type: "text", text: "" } } },
      { type: "content_block_delta", ...{ index: 0, delta: { type: "text_delta", text: "Hi" } } },
      { type: "content_block_stop", ...{ index: 0 } },
      { type: "message_delta", ...{ delta: { stop_reason: "end_turn" }, usage: MESSAGE_USAGE } },
      { type: "message_stop" },
    ]),
  },
] as const;

const ROUTES = ["/v1/chat/completions", "/v1/responses", "/v1/messages"] as const;

const bodyOf = (route: string, { model, stream }: (typeof REPLIES)[number]) => {
  const messages = [{ role: "user", content: "Hello" }];
  if (route === "/v1/responses") return { model, stream, input: "Hello" };
  return { model, stream, messages, max_tokens: 100 };
};

const cases = fc.constantFrom(...REPLIES).chain((given) =>
  fc.record({
    given: fc.constant(given),
    route: fc.constantFrom(...ROUTES),
    status: fc.constantFrom(200, 200, 200, 400, 429, 500),
    text: fc.oneof(mutatedText(given.text), mutatedBytes(Buffer.from(given.text))),
  }),
);

describe("The gateway", () => {
  it(
    "turns a provider's damaged replies into replies or errors of its own, never into an internal error",
    async () => {
      let answered = 0;
      await fc.assert(
        fc.asyncProperty(cases, async ({ given, route, status, text }) => {
          const type = given.stream ? "text/event-stream" : "application/json";
          upstream.answer(reply({ status, headers: { "content-type": type }, body: text }));
          const response = await fetch(server.address + route, {
            method: "POST",
            headers: { "x-api-key": KEY, "content-type": "application/json" },
            body: JSON.stringify(bodyOf(route, given)),
          });
          const received = await response.text();
          if (response.ok) answered++;
          expect(response.status, received.slice(0, 500)).not.toBe(500);
          expect(received).not.toContain('"internal_error"');
        }),
        effort(400),
      );
      expect(answered).toBeGreaterThan(0);
      expect((await fetch(`${server.address}/healthz`)).status).toBe(200);
    },
    FUZZ_TIMEOUT_MS,
  );
});
