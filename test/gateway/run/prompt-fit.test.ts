import { describe, expect, it } from "vitest";
import { deploymentOf } from "../../fakes/deployments.js";
import { answers, FakeProvider } from "../../fakes/provider.js";
import { startInference } from "./harness.js";

/** A word of one token, which the estimate takes for four. */
const LONG_WORD = " characteristics";

/** Runs a prompt of that many words, each one token, on a model with these windows. */
function run(words: number, windows: readonly (number | null)[], fallbackWindow?: number) {
  const deployments = windows.map((contextTokens, index) =>
    deploymentOf(`p${index}`, "model-a", { contextTokens }),
  );
  if (fallbackWindow !== undefined) {
    deployments.push(deploymentOf("spare", "model-b", { contextTokens: fallbackWindow }));
  }
  const providers = deployments.map(({ provider }) => new FakeProvider(provider, answers("fine")));
  const started = startInference(providers, { deployments });
  const body = { messages: [{ role: "user", content: LONG_WORD.repeat(words) }] };
  const fallbacks = fallbackWindow === undefined ? [] : ["model-b"];
  return { ...started, providers, answer: started.run({ body, fallbacks }) };
}

describe("A prompt that is estimated to exceed the model's context window", () => {
  it("is refused when the count exceeds it too, before anything is sent, without a trace", async () => {
    const { answer, providers, sink, limiter } = run(51, [50]);
    await expect(answer).rejects.toMatchObject({
      code: "context_length_exceeded",
      param: "messages",
      message: expect.stringContaining("more than 50 tokens"),
    });
    expect(providers[0]?.calls.length).toBe(0);
    expect(sink.traces).toEqual([]);
    expect(limiter.reservations[0]?.settled).toEqual([{ tokens: 0, costUsd: 0 }]);
  });

  it("is refused for the requested model, even if a fallback could hold it", async () => {
    await expect(run(51, [50], 1000).answer).rejects.toMatchObject({ code: "context_length_exceeded" });
  });

  it.each<[string, number, readonly (number | null)[], number | undefined, string]>([
    ["is counted, and sent when it fits after all", 50, [50], undefined, "p0"],
    ["goes to a provider with a larger window, although it comes later", 51, [50, 60], undefined, "p1"],
    ["goes to a provider with an unknown window", 51, [50, null], undefined, "p1"],
    ["does not fail because a fallback is too small", 51, [1000], 50, "p0"],
  ])("%s", async (_, words, windows, fallbackWindow, provider) => {
    expect((await run(words, windows, fallbackWindow).answer).provider).toBe(provider);
  });
});
