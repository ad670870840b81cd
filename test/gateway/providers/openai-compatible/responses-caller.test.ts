import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type JsonObject, sealed } from "../../../../src/gateway/providers/chat.js";
import { openAiCompatible } from "../../../../src/gateway/providers/openai-compatible/openai-compatible-provider.js";
import { quirksFor } from "../../../../src/gateway/providers/openai-compatible/quirks.js";
import type { Provider, ProviderCall } from "../../../../src/gateway/providers/provider.js";
import { jsonReply, type SeenRequest, UpstreamServer } from "../../../fakes/upstream-server.js";
import { responseReply } from "../../../fakes/vendors/weather.js";
import { LIMITS } from "../limits.js";

const NEVER = { signal: new AbortController().signal };
const tool = { type: "function", function: { name: "f", parameters: { type: "object" } } };
const asking = (fields: JsonObject, more: Partial<ProviderCall> = {}): ProviderCall => ({
  upstreamModel: "gpt-5.6-luna",
  api: "responses",
  chatToo: true,
  body: { messages: [{ role: "user", content: "hi" }], ...fields },
  stream: false,
  ...more,
});
const call = (more: Partial<ProviderCall> = {}) => asking({}, more);

const usage = { input_tokens: 9, output_tokens: 5, output_tokens_details: { reasoning_tokens: 2 } };
const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" };
const called = { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: "{}" };
const response = (output: readonly object[], more: JsonObject = {}) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  error: null,
  output,
  usage,
  ...more,
});
const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello!" }] };
const chat = {
  choices: [{ index: 0, message: { role: "assistant", content: "Hello!" }, finish_reason: "stop" }],
};

let server: UpstreamServer;
let provider: Provider;
beforeEach(async () => {
  server = await UpstreamServer.start();
  provider = openAiCompatible({
    id: "openai",
    baseUrl: `${server.origin}/v1`,
    apiKey: "k-123",
    quirks: quirksFor({ id: "openai", baseUrl: "" }),
    ...LIMITS,
  });
});
afterEach(async () => {
  await provider.close();
  await server.close();
});

const paths = () => server.requests.map(({ path }) => path);
const bodies = () => server.requests.map(({ body }) => JSON.parse(body));
const send = (one: ProviderCall) => provider.send(one, NEVER);

const NO_ROUTE = jsonReply({ detail: "Not Found" }, { status: 404 });

describe("OpenAI's models", () => {
  it("are called at /responses, with reasoning that comes back sealed", async () => {
    server.answer(jsonReply(response([reasoning, called], { service_tier: "flex" })));
    const answered = await send(asking({ tools: [tool] }));
    expect(paths()).toEqual(["/v1/responses"]);
    const said = {
      content: null,
      reasoning_details: [
        { type: "reasoning.encrypted", data: sealed("openai", { at: 0, content: "gAAA" }) },
      ],
      tool_calls: [{ id: "call_1", function: { name: "f", arguments: "{}" } }],
    };
    expect(answered).toMatchObject({
      completion: { service_tier: "flex", choices: [{ message: said, finish_reason: "tool_calls" }] },
      usage: { promptTokens: 9, completionTokens: 5, reasoningTokens: 2 },
    });
    expect(answered.kind === "completion" && answered.completion.native).toBeFalsy();
  });

  it("stream the same", async () => {
    server.answer(responseReply(response([reasoning, called]), { stream: true }));
    const answered = await send(asking({ tools: [tool] }, { stream: true }));
    if (answered.kind !== "stream") throw new Error("a whole answer came");
    const deltas: unknown[] = [];
    for await (const batch of answered.batches)
      for (const { chunk } of batch) deltas.push(...(chunk?.choices.map(({ delta }) => delta) ?? []));
    expect(deltas).toEqual([
      { role: "assistant", content: "" },
      { reasoning_details: [expect.objectContaining({ data: "sextant:openai:0:gAAA" })] },
      {
        tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "" } }],
      },
      { tool_calls: [{ index: 0, function: { arguments: "{}" } }] },
      {},
    ]);
  });

  it("go on to chat completions for what those alone have", async () => {
    server.answer(jsonReply(chat));
    for (const fields of [{ n: 2 }, { stop: "x" }, { seed: 7 }, { logprobs: true }, { max_tokens: 5 }])
      await send(asking(fields, { upstreamModel: "gpt-4.1" }));
    expect(new Set(paths())).toEqual(new Set(["/v1/chat/completions"]));
    expect(bodies()[0]).toMatchObject({ n: 2 });
  });

  it("stay on Responses where chat completions refuse their tools, and say so of a field that is lost", async () => {
    server.answer(jsonReply(response([called])));
    await send(asking({ tools: [tool], seed: 7 }));
    expect(paths()).toEqual(["/v1/responses"]);
    await expect(send(asking({ tools: [tool], n: 2 }))).rejects.toMatchObject({ upstreamParam: "n" });
    await send(asking({ n: 2, tools: [tool], reasoning_effort: "none" })).catch(() => {});
    expect(paths().at(-1)).toBe("/v1/chat/completions");
  });

  it("are not asked again for reasoning that they refused to give", async () => {
    const error = { message: "Encrypted content is not supported with this model.", param: "include" };
    const refusal = jsonReply({ error }, { status: 400 });
    const asksForReasoning = ({ body }: SeenRequest) => body.includes("encrypted_content");
    server.answer((exchange) =>
      (asksForReasoning(exchange.request) ? refusal : jsonReply(response([message])))(exchange),
    );
    for (let times = 0; times < 2; times++)
      await send(asking({ tools: [tool] }, { upstreamModel: "our-deployment" }));
    expect(server.requests.map(asksForReasoning)).toEqual([true, false, false]);
  });
});

describe("A server that poses as OpenAI, without Responses,", () => {
  beforeEach(() =>
    server.answer((exchange) =>
      (exchange.request.path === "/v1/responses" ? NO_ROUTE : jsonReply(chat))(exchange),
    ),
  );

  it("is called by chat completions, from the second request on at once", async () => {
    expect(provider.natives.has("responses")).toBe(true);
    await send(asking({ tools: [tool] }));
    await send(asking({ tools: [tool] }));
    expect(paths()).toEqual(["/v1/responses", "/v1/chat/completions", "/v1/chat/completions"]);
    expect(provider.natives.has("responses")).toBe(false);
  });

  it("gets a client's own Responses request as chat, if that says all of it", async () => {
    const native = { api: "responses", body: { input: "hi" }, headers: {}, replaceable: true } as const;
    await expect(send(call({ native: { ...native, replaceable: false } }))).rejects.toMatchObject({
      status: 404,
    });
    await send(call({ native }));
    expect(paths().at(-1)).toBe("/v1/chat/completions");
  });

  it("is not called by chat completions for a model that is said to need Responses", async () => {
    await expect(send(call({ chatToo: undefined }))).rejects.toMatchObject({ status: 404 });
    expect(paths()).toEqual(["/v1/responses"]);
  });

  it("is asked again when neither API knew the address", async () => {
    server.answer(NO_ROUTE);
    await expect(send(call())).rejects.toMatchObject({ status: 404 });
    expect(provider.natives.has("responses")).toBe(true);
  });
});

it("A model that the server does not know is not taken for a server without Responses", async () => {
  server.answer(
    jsonReply({ error: { message: "no model x", code: "model_not_found", param: "model" } }, { status: 404 }),
  );
  await expect(send(call())).rejects.toMatchObject({ code: "model_not_found" });
  expect(paths()).toEqual(["/v1/responses"]);
});

describe("A client's own Responses request", () => {
  const native = (body: JsonObject) =>
    call({ native: { api: "responses", body, headers: {}, replaceable: true } });
  beforeEach(() => server.answer(jsonReply(response([message]))));

  it("is kept by the provider only if it says so", async () => {
    for (const store of [undefined, null, false, true]) await send(native({ input: "hi", store }));
    expect(bodies().map(({ store }) => store)).toEqual([false, false, false, true]);
  });

  it("gets reasoning that can be sent back where it says nothing of keeping", async () => {
    await send(native({ input: "hi", include: ["message.output_text.logprobs"] }));
    await send(native({ input: "hi", store: false }));
    expect(bodies().map(({ include }) => include)).toEqual([
      ["message.output_text.logprobs", "reasoning.encrypted_content"],
      undefined,
    ]);
  });

  it("is answered in its own form", async () => {
    expect(await send(native({ input: "hi" }))).toMatchObject({ completion: { native: { id: "resp_1" } } });
  });
});
