/** Tests of the connection to a provider: one small question, whatever comes of it. */
import { describe, expect, it } from "vitest";
import { type ConnectionTestRequest, connectionTests } from "../../../src/gateway/run/connection-test.js";
import { fakeCatalog } from "../../fakes/catalog.js";
import { FakeProvider, fails, PLAIN_USAGE, type Script } from "../../fakes/provider.js";

const answered: Script = {
  type: "completion",
  completion: { id: "x", object: "chat.completion", created: 1, model: "m", choices: [] },
  usage: PLAIN_USAGE,
};
const TIMEOUT_MS = 7000;

function tested(script: Script, request: ConnectionTestRequest = { provider: "openai" }) {
  const provider = new FakeProvider(request.provider, script);
  const timeouts: (() => void)[] = [];
  const clock = { now: 1000 };
  const test = connectionTests({
    current: () => ({
      providers: new Map([[request.provider, provider]]),
      catalog: { ...fakeCatalog, providerId: (name) => (name === "gemini" ? undefined : name) },
    }),
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
      provider: "openai",
      model: "gpt-4o-mini",
      upstreamModel: "gpt-4o-mini-2024-07-18",
      code: "ok",
      status: 200,
      message: null,
      latencyMs: 250,
      usage: PLAIN_USAGE,
      costUsd: 0.000_003_9,
    });
    expect(provider.calls).toMatchObject([
      { upstreamModel: "gpt-4o-mini-2024-07-18", stream: false, body: { max_tokens: 16 } },
    ]);
  });

  it("asks the model that is named, whose price may be unknown", async () => {
    const { result } = tested(answered, { provider: "lab", model: "lab/own model" });
    expect(await result).toMatchObject({ model: "lab/own model", code: "ok", costUsd: null });
  });

  it.each<[string, Script, object]>([
    [
      "what the provider said",
      fails("credentials_refused", { status: 401, upstreamMessage: "Incorrect API key provided: [removed]" }),
      { code: "credentials_refused", status: 401, message: "Incorrect API key provided: [removed]" },
    ],
    [
      "our words when nothing was said",
      fails("connection_error"),
      { code: "connection_error", status: null, message: "connection_error as scripted" },
    ],
  ])("that fails has %s", async (_, script, said) => {
    expect(await tested(script).result).toMatchObject({ ...said, costUsd: null, latencyMs: 250 });
  });

  it("ends after the time that the settings allow, naming the setting, and when the caller leaves", async () => {
    const { timeouts, result } = tested({ type: "hang" });
    for (const pass of timeouts) pass();
    expect(await result).toMatchObject({
      code: "timeout",
      message: "it did not answer within 7000 ms",
    });
    const left = tested({ type: "hang" });
    left.leaving.abort(new Error("gone"));
    await expect(left.result).rejects.toThrow("gone");
  });

  const plain = { clock: () => 0, timers: { after: () => () => {} }, timeoutMs: TIMEOUT_MS };

  it.each([
    [{ provider: "gemini" }, "provider_not_found", "GET /admin/providers lists them"],
    [{ provider: "openai", model: "gpt-9" }, "model_not_found", "openai serves no chat model"],
  ])("refuses %j with %s", async (request, code, message) => {
    const { result } = tested(answered, request);
    await expect(result).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it("names what would enable a provider that is not configured", async () => {
    const catalog = { ...fakeCatalog, providerId: (name: string) => name };
    const test = connectionTests({ ...plain, current: () => ({ providers: new Map(), catalog }) });
    await expect(test({ provider: "azure" }, new AbortController().signal)).rejects.toMatchObject({
      code: "no_provider_available",
      message: expect.stringContaining("set AZURE_API_KEY"),
    });
  });
});
