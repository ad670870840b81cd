import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAiCompatible } from "../../../../src/gateway/providers/openai-compatible/openai-compatible-provider.js";
import { quirksFor } from "../../../../src/gateway/providers/openai-compatible/quirks.js";
import type { Provider, ProviderCall, StreamEvent } from "../../../../src/gateway/providers/provider.js";
import { eventReply, jsonReply, UpstreamServer } from "../../../fakes/upstream-server.js";
import { LIMITS } from "../limits.js";

const call: ProviderCall = {
  upstreamModel: "m",
  api: "chat",
  body: { messages: [{ role: "user", content: "hi" }], max_tokens: 5 },
  stream: true,
};
const NEVER = new AbortController().signal;

let server: UpstreamServer;
let provider: Provider;
beforeEach(async () => {
  server = await UpstreamServer.start();
  provider = open("lab");
});
afterEach(async () => {
  await provider.close();
  await server.close();
});

function open(id: string): Provider {
  const baseUrl = `${server.origin}/v1`;
  return openAiCompatible({ id, baseUrl, apiKey: undefined, quirks: quirksFor({ id, baseUrl }), ...LIMITS });
}

async function eventsOf(events: readonly unknown[], made: ProviderCall = call): Promise<StreamEvent[]> {
  const lines = events.map(
    (event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`,
  );
  server.answer(eventReply(lines.join("")));
  const reply = await provider.send(made, { signal: NEVER });
  if (reply.kind !== "stream") throw new Error("no stream");
  const forwarded: StreamEvent[] = [];
  for await (const batch of reply.batches) forwarded.push(...batch);
  return forwarded;
}

const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const COUNTED = { promptTokens: 3, completionTokens: 2 };
const last = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };

describe("Chunks of an OpenAI-compatible stream", () => {
  it("are passed on unchanged", async () => {
    const delta = { role: "assistant", content: "a", reasoning_content: "b" };
    const choices = [{ index: 0, delta, logprobs: { content: [] }, finish_reason: null }];
    const chunk = { id: "c", vendor: { a: [1, null] }, choices };
    // Such as Azure's first one.
    const bare = { id: "", choices: [], prompt_filter_results: [] };
    const [first, second] = await eventsOf([bare, chunk, last, "[DONE]"]);
    expect([first, second]).toEqual([bare, chunk].map((sent) => ({ chunk: sent, usage: null })));
  });

  it("get required fields that a provider left out", async () => {
    const bare = { choices: [{ delta: { content: "a" } }, { delta: {}, finish_reason: "stop" }] };
    const events = await eventsOf([bare, last, "[DONE]"]);
    const role = "assistant";
    expect(events.map(({ chunk }) => chunk?.choices)).toEqual([
      [
        { index: 0, delta: { role, content: "a" }, finish_reason: null },
        { index: 1, delta: { role }, finish_reason: null },
      ],
      [0, 1].map((index) => ({ index, delta: {}, finish_reason: "stop" })),
    ]);
  });

  it("have their usage removed, whichever chunk it is in", async () => {
    const said = (more: object) => ({ choices: [{ index: 0, delta: { content: "a" } }], ...more });
    const inChoice = { choices: [{ index: 0, delta: { content: "a" }, usage: USAGE }] };
    const events = await eventsOf([
      said({ usage: null }),
      said({ usage: USAGE }),
      { choices: [], usage: USAGE },
      { usage: USAGE },
      { ...last, x_groq: { usage: USAGE } },
      inChoice,
      { id: "only this" },
      "[DONE]",
    ]);
    const usages = [null, COUNTED, COUNTED, COUNTED, COUNTED, COUNTED, null];
    expect(events.map(({ usage }) => usage)).toMatchObject(usages);
    expect(events.map(({ chunk }) => chunk === null)).toEqual([false, false, true, true, true, false, false]);
    for (const { chunk } of events)
      expect([chunk?.usage, chunk?.choices[0]?.usage]).toEqual([undefined, undefined]);
  });

  // Asked for or not: https://github.com/BerriAI/litellm/issues/31837 (2026-07-01), https://github.com/PostHog/posthog/pull/94200 (2026-09-03)
  it.each([
    [["flex"], "flex"],
    [["priority", "default"], undefined],
    [["SERVICE_TIER_PRIORITY"], "priority"],
    [["SERVICE_TIER_STANDARD"], undefined],
    [[undefined], undefined],
  ])("are billed by the tier that chunks name, in the last of %j", async (tiers, serviceTier) => {
    const chunks = tiers.map((service_tier) => ({ choices: [{ delta: { content: "a" } }], service_tier }));
    const events = await eventsOf([...chunks, last, { choices: [], usage: USAGE }, "[DONE]"]);
    expect(events.findLast(({ usage }) => usage !== null)?.usage?.serviceTier).toBe(serviceTier);
  });

  it("count reasoning as the provider does", async () => {
    provider = open("x-ai");
    const events = await eventsOf([last, { choices: [], usage: { ...USAGE, total_tokens: 20 } }, "[DONE]"]);
    expect(events[0]?.usage ?? events[1]?.usage).toMatchObject({ completionTokens: 17, reasoningTokens: 15 });
  });

  it("report in Groq's format when the provider stopped early", async () => {
    const events = eventsOf([{ ...last, x_groq: { error: "over capacity" } }]);
    await expect(events).rejects.toMatchObject({ code: "server_error" });
  });

  it("of a legacy completion begin with the role, for each choice", async () => {
    const made: ProviderCall = { ...call, api: "completions", body: { ...call.body, n: 2 } };
    const piece = (index: number, text: string, finish: string | null = null) => ({
      object: "text_completion",
      choices: [{ index, text, logprobs: { tokens: [text] }, finish_reason: finish }],
    });
    const pieces = [piece(0, "a"), piece(1, "b"), piece(0, "c", "stop"), piece(1, "", "stop")];
    const events = await eventsOf([...pieces, "[DONE]"], made);
    expect(events.map(({ chunk }) => chunk?.choices[0]?.delta)).toEqual([
      { role: "assistant", content: "a" },
      { role: "assistant", content: "b" },
      { content: "c" },
      {},
    ]);
    expect(events[0]?.chunk?.choices[0]).toMatchObject({ logprobs: { tokens: ["a"] } });
    expect(events.at(-1)?.chunk?.choices).toMatchObject([{ index: 0 }, { index: 1, finish_reason: "stop" }]);
  });

  it("are incomplete while a requested choice is missing", async () => {
    const two: ProviderCall = { ...call, body: { ...call.body, n: 2 } };
    await expect(eventsOf([last], two)).rejects.toMatchObject({ code: "cut_off" });
    await expect(eventsOf([last, "[DONE]"], two)).resolves.toHaveLength(2);
    await expect(eventsOf([last])).resolves.toHaveLength(2);
  });

  it("are not an answer without any choice", async () => {
    for (const events of [["[DONE]"], [{ choices: [], usage: USAGE }, "[DONE]"]])
      await expect(eventsOf(events)).rejects.toMatchObject({ code: "invalid_reply" });
  });
});

it("An OpenAI-compatible provider without a key sends none", async () => {
  server.answer(jsonReply({ choices: [{ message: {} }] }));
  await provider.send({ ...call, stream: false }, { signal: NEVER });
  for (const name of ["authorization", "api-key"])
    expect(server.lastRequest.headers).not.toHaveProperty(name);
});
