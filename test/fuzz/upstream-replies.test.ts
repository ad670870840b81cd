import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { reply, type Script } from "../fakes/upstream-server.js";
import { FUZZ_TIMEOUT_MS, fuzz } from "./effort.js";
import { type FuzzedGateway, startFuzzedGateway } from "./gateway.js";
import { mutatedBytes, mutatedJson, mutatedText } from "./hostile-values.js";
import { REPLIES } from "./replies.js";
import { CLAUDE, GPT, LAB, REQUESTS } from "./requests.js";

let gateway: FuzzedGateway;
beforeAll(async () => {
  gateway = await startFuzzedGateway();
});
afterAll(() => gateway.stop());

const messages = [{ role: "user", content: "Hello" }];
const CHAT = { messages, max_tokens: 100 };

/** Requests, and the API of the provider that is asked for them. */
const ASKED = [
  { route: "/v1/chat/completions", body: { model: GPT, ...CHAT }, api: "/chat/completions" },
  { route: "/v1/messages", body: { model: GPT, ...CHAT }, api: "/chat/completions" },
  { route: "/v1/responses", body: { model: GPT, input: "Hello" }, api: "/chat/completions" },
  {
    route: "/v1/responses",
    body: { model: LAB, input: "Hello", tools: [{ type: "web_search" }] },
    api: "/responses",
  },
  { route: "/v1/chat/completions", body: { model: LAB, ...CHAT }, api: "/responses" },
  { route: "/v1/messages", body: { model: LAB, ...CHAT }, api: "/responses" },
  { route: "/v1/chat/completions", body: { model: CLAUDE, ...CHAT }, api: "/messages" },
  { route: "/v1/messages", body: { model: CLAUDE, ...CHAT }, api: "/messages" },
  { route: "/v1/responses", body: { model: CLAUDE, input: "Hello" }, api: "/messages" },
  { route: "/v1/completions", body: { model: GPT, prompt: "Once" }, api: "/chat/completions" },
  {
    route: "/v1/completions",
    body: { model: "gpt-3.5-turbo-instruct", prompt: "Once" },
    api: "/completions",
  },
  { route: "/v1/embeddings", body: { model: "text-embedding-3-small", input: "Hello" }, api: "/embeddings" },
] as const;

const cases = fc
  .record({ asked: fc.constantFrom(...ASKED), stream: fc.boolean() })
  .chain(({ asked, stream }) => {
    const right = REPLIES[asked.api][stream ? "stream" : "whole"];
    return fc.record({
      route: fc.constant(asked.route),
      stream: fc.constant(stream),
      body: fc.constant({ ...asked.body, ...(asked.api === "/embeddings" ? {} : { stream }) }),
      status: fc.constantFrom(200, 200, 200, 400, 429, 500),
      text: fc.oneof(mutatedText(right), mutatedBytes(Buffer.from(right))),
    });
  });

describe("The gateway", () => {
  it.each(ASKED)("passes on the reply of a provider: $route, $body.model", async ({ route, body, api }) => {
    const replies = REPLIES[api];
    gateway.upstream.answer(
      reply({ status: 200, headers: { "content-type": "application/json" }, body: replies.whole }),
    );
    const { status, text } = await gateway.post(route, body);
    expect(status, text).toBe(200);
    expect(gateway.upstream.lastRequest.path).toContain(api);
  });

  it(
    "turns a provider's damaged replies into replies or errors of its own, never into an internal error",
    async () => {
      let answered = 0;
      await fuzz(
        fc.asyncProperty(cases, async ({ route, body, stream, status, text }) => {
          const type = stream ? "text/event-stream" : "application/json";
          gateway.upstream.answer(reply({ status, headers: { "content-type": type }, body: text }));
          const received = await gateway.post(route, body);
          if (received.status === 200) answered++;
          expect(received.status, received.text.slice(0, 500)).not.toBe(500);
          expect(received.text).not.toContain('"internal_error"');
        }),
        { runs: 120 },
      );
      expect(answered).toBeGreaterThan(0);
      expect((await fetch(`${gateway.server.address}/healthz`)).status).toBe(200);
    },
    FUZZ_TIMEOUT_MS,
  );
});

/** Answers as the API that is asked does, whole or streamed. */
const answerRightly: Script = (exchange) => {
  const { path, body } = exchange.request;
  const [, replies] = Object.entries(REPLIES).find(([end]) => path.split("?", 1)[0]?.endsWith(end)) ?? [];
  const isStream = (JSON.parse(body) as { readonly stream?: unknown }).stream === true;
  const text = (isStream ? replies?.stream : replies?.whole) ?? "{}";
  const type = isStream ? "text/event-stream" : "application/json";
  return reply({ headers: { "content-type": type }, body: text })(exchange);
};

describe("A request that uses much of the API", () => {
  beforeEach(() => gateway.upstream.answer(answerRightly));

  it.each(REQUESTS)("is answered: $route, $body.model", async ({ route, body }) => {
    const { status, text } = await gateway.post(route, body);
    expect(status, text).toBe(200);
    expect(text).not.toContain('"error":{');
  });

  it(
    "is answered with damaged parts, or refused, never with an internal error",
    async () => {
      const cases = fc
        .constantFrom(...REQUESTS)
        .chain(({ route, body }) => fc.record({ route: fc.constant(route), body: mutatedJson(body) }));
      await fuzz(
        fc.asyncProperty(cases, async ({ route, body }) => {
          const { status, text } = await gateway.post(route, body);
          expect(status, text.slice(0, 500)).not.toBe(500);
          expect(text).not.toContain('"internal_error"');
          if (status >= 400)
            expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String) } });
        }),
        { runs: 120 },
      );
      expect((await fetch(`${gateway.server.address}/healthz`)).status).toBe(200);
    },
    FUZZ_TIMEOUT_MS,
  );
});
