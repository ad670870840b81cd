/** Which answers say something about the lengths that decisions expect. */
import { describe, expect, it } from "vitest";
import type { LengthObservation } from "../../../src/engine/lengths/length-corrections.js";
import type { TokenUsage } from "../../../src/gateway/providers/token-usage.js";
import type { InferenceRequest } from "../../../src/gateway/run/request.js";
import { deploymentOf } from "../../fakes/deployments.js";
import {
  answers,
  cutOff,
  delta,
  FakeProvider,
  fails,
  PLAIN_USAGE,
  type Script,
  streams,
  textSteps,
} from "../../fakes/provider.js";
import { FakeRouter } from "../../fakes/router.js";
import { named, readAll, requestFor, routed, startInference } from "./harness.js";

const usageOf = (completionTokens: number): TokenUsage => ({ ...PLAIN_USAGE, completionTokens });

/** Runs one request, routed between `large` and `medium` unless it says otherwise. @returns what was observed */
async function observedOf(
  request: Partial<InferenceRequest>,
  scripts: Readonly<Record<string, Script>>,
): Promise<LengthObservation[]> {
  const observed: LengthObservation[] = [];
  const router = new FakeRouter([
    { model: "large", provider: "lab", quality: 0.9, costUsd: 0.01, answerTokens: 300 },
    { model: "medium", provider: "other", quality: 0.8, costUsd: 0.002, answerTokens: 120 },
    { model: "best", provider: "lab", quality: 0.95, costUsd: 0.02 },
  ]);
  const deployments = [
    deploymentOf("lab", "large"),
    deploymentOf("other", "medium"),
    deploymentOf("other", "extra"),
    deploymentOf("lab", "best"),
    deploymentOf("sandbox", "large"),
  ];
  const providers = ["lab", "other", "sandbox"].map(
    (id) => new FakeProvider(id, scripts[id] ?? answers("hi", usageOf(500))),
  );
  const lengths = { observe: (observation: LengthObservation) => void observed.push(observation) };
  const settings = { retries: 0 };
  const { run } = startInference(providers, { router, deployments, lengths, settings });
  const answer = await run({ choice: routed(["large", "medium"]), ...request });
  if (answer.kind === "stream") await readAll(answer).catch(() => {});
  return observed;
}

const down = fails("overloaded");
const answersOf = (n: number) => ({ body: { ...requestFor().body, n } });

describe("The length of a routed answer", () => {
  const stream = streams(...textSteps(["a", "b"], usageOf(70)));
  it.each<[string, Partial<InferenceRequest>, Record<string, Script>, string, number, number]>([
    ["with its expected length and the provider's count", {}, {}, "large", 300, 500],
    ["for one answer in a reply", answersOf(1), {}, "large", 300, 500],
    ["for a stream once it has ended", { stream: true }, { lab: stream }, "large", 300, 70],
    ["for the model that answered in its place", {}, { lab: down, sandbox: down }, "medium", 120, 500],
  ])("is observed %s", async (_, request, scripts, model, expectedTokens, actualTokens) => {
    expect(await observedOf(request, scripts)).toEqual([{ model, expectedTokens, actualTokens }]);
  });

  const extra = { choice: routed(["large", "best"]), fallbacks: ["extra"] };
  const brokenOff = streams([delta({ content: "half" })], cutOff());
  it.each<[string, Partial<InferenceRequest>, Record<string, Script>]>([
    ["an answer to a request that named its model, without an expectation", { choice: named("large") }, {}],
    ["an answer by a fallback that was not a candidate", extra, { lab: down, sandbox: down }],
    ["tokens that the provider did not count", {}, { lab: answers("hi", null) }],
    ["no tokens", {}, { lab: answers("hi", usageOf(0)) }],
    ["several answers in one reply", answersOf(2), {}],
    ["a stream that breaks off", { stream: true }, { lab: brokenOff }],
    ["an answer of the sandbox", {}, { lab: down, other: down }],
  ])("is not observed for %s", async (_, request, scripts) => {
    expect(await observedOf(request, scripts)).toEqual([]);
  });
});
