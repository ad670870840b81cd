/** Tests of the connection to a provider: one small question, whatever comes of it. */
import { describe, expect, it } from "vitest";
import {
  type ConnectionTestRequest,
  connectionTests,
} from "../../../src/gateway/inference/connection-test.js";
import { ProviderFault } from "../../../src/gateway/providers/provider.js";
import { sandbox } from "../../../src/gateway/providers/sandbox/sandbox-provider.js";
import { FAKE_DEPLOYMENTS, fakeCatalog } from "../../fakes/catalog.js";
import { FakeProvider, type Script } from "../../fakes/provider.js";

const USAGE = {
  promptTokens: 10,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  completionTokens: 2,
  reasoningTokens: 0,
  details: {},
};

const answered: Script = {
  type: "completion",
  completion: { id: "x", object: "chat.completion", created: 1, model: "m", choices: [] },
  usage: USAGE,
};
const TIMEOUT_MS = 7000;
const failing = (fault: ProviderFault): Script => ({ type: "throw", error: fault });

function tested(script: Script, request: ConnectionTestRequest = { provider: "openai" }) {
  const provider = new FakeProvider(request.provider, script);
  const timeouts: (() => void)[] = [];
  const clock = { now: 1000 };
  const test = connectionTests({
    providers: new Map([[request.provider, provider]]),
    catalog: { ...fakeCatalog, providerId: (name) => (name === "gemini" ? undefined : name) },
    // Each look takes a quarter of a second.
    clock: () => {
      clock.now += 250;
      return clock.now;
    },
    timers: {
      after: (ms, task) => {
        expect(ms).toBe(TIMEOUT_MS);
        timeouts.push(task);
        return () => {};
      },
    },
    timeoutMs: TIMEOUT_MS,
  });
  const leaving = new AbortController();
  return { provider, timeouts, leaving, result: test(request, leaving.signal) };
}

describe("A test of the connection to a provider", () => {
  it("asks its cheapest model for a few tokens, and says how long that took and what it cost", async () => {
    const { provider, result } = tested(answered);
    expect(await result).toEqual({
      ...{ provider: "openai", model: "gpt-4o-mini", upstreamModel: "gpt-4o-mini-2024-07-18" },
      ...{ code: "ok", status: 200, message: null, latencyMs: 250, usage: USAGE },
      costUsd: 0.000_002_7,
    });
    expect(provider.calls).toMatchObject([
      { upstreamModel: "gpt-4o-mini-2024-07-18", stream: false, body: { max_tokens: 16 } },
    ]);
  });

  it("asks the model that is named, whose price may be unknown", async () => {
    const { result } = tested(answered, { provider: "lab", model: "lab/own model" });
    expect(await result).toMatchObject({ model: "lab/own model", code: "ok", costUsd: null });
  });

  it("gives what the provider said when it refuses", async () => {
    const fault = new ProviderFault("credentials_refused", "it answered 401", {
      status: 401,
      upstreamMessage: "Incorrect API key provided: [removed]",
    });
    expect(await tested(failing(fault)).result).toMatchObject({
      ...{ code: "credentials_refused", status: 401, costUsd: null, latencyMs: 250 },
      message: "Incorrect API key provided: [removed]",
    });
  });

  it("says in our words what happened when nothing was said", async () => {
    const fault = new ProviderFault("connection_error", "no connection to it: ECONNREFUSED");
    expect(await tested(failing(fault)).result).toMatchObject({
      code: "connection_error",
      status: null,
      message: "no connection to it: ECONNREFUSED",
    });
  });

  it("ends after the time that the settings allow, naming the setting, and when the caller leaves", async () => {
    const { timeouts, result } = tested({ type: "hang" });
    for (const pass of timeouts) pass();
    expect(await result).toMatchObject({
      code: "timeout",
      message: "it did not answer within 7000 ms (SEXTANT_CONNECTION_TEST_TIMEOUT_MS)",
    });
    const left = tested({ type: "hang" });
    left.leaving.abort(new Error("gone"));
    await expect(left.result).rejects.toThrow("gone");
  });

  it("works with the sandbox, free of charge", async () => {
    const [deployment] = FAKE_DEPLOYMENTS;
    const free = { inputUsdPerMtok: 0, cachedInputUsdPerMtok: 0, outputUsdPerMtok: 0 };
    const price = { ...free, cacheWriteUsdPerMtok: null, cacheWriteHourUsdPerMtok: null, tiers: [] };
    const test = connectionTests({
      providers: new Map([["sandbox", sandbox({ id: "sandbox" })]]),
      catalog: {
        providers: () => [{ id: "sandbox", type: "sandbox", enabled: true, remedy: "" }],
        providerId: (name) => name,
        runnableModels: () => ["gpt-4o-mini"],
        deployments: () => (deployment === undefined ? [] : [{ ...deployment, provider: "sandbox", price }]),
      },
      clock: () => 0,
      timers: { after: () => () => {} },
      timeoutMs: TIMEOUT_MS,
    });
    expect(await test({ provider: "sandbox" }, new AbortController().signal)).toMatchObject({
      code: "ok",
      costUsd: 0,
    });
  });

  it.each([
    [{ provider: "gemini" }, "provider_not_found", "GET /admin/providers lists them"],
    [{ provider: "openai", model: "gpt-9" }, "model_not_found", "openai serves no chat model"],
  ])("refuses %j with %s", async (request, code, message) => {
    const { result } = tested(answered, request);
    await expect(result).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it("names what would enable a provider that is not configured", async () => {
    const test = connectionTests({
      providers: new Map(),
      catalog: { ...fakeCatalog, providerId: (name) => name },
      clock: () => 0,
      timers: { after: () => () => {} },
      timeoutMs: TIMEOUT_MS,
    });
    await expect(test({ provider: "azure" }, new AbortController().signal)).rejects.toMatchObject({
      code: "no_provider_available",
      message: expect.stringContaining("set AZURE_API_KEY"),
    });
  });
});
