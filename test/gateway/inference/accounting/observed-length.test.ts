/** Which answers say something about the lengths that decisions expect. */
import { describe, expect, it } from "vitest";
import type { LengthObservation } from "../../../../src/engine/lengths/length-corrections.js";
import type { InferenceRequest } from "../../../../src/gateway/inference/request.js";
import { ProviderFault } from "../../../../src/gateway/providers/provider.js";
import type { TokenUsage } from "../../../../src/gateway/providers/token-usage.js";
import { deploymentOf } from "../../../fakes/deployments.js";
import {
  answers,
  delta,
  FakeProvider,
  fails,
  PLAIN_USAGE,
  type Script,
  streams,
  textSteps,
} from "../../../fakes/provider.js";
import { FakeRouter } from "../../../fakes/router.js";
import {
  asCompletion,
  asStream,
  contextOf,
  named,
  readAll,
  requestFor,
  routed,
  startInference,
} from "../harness.js";

const usageOf = (completionTokens: number): TokenUsage => ({ ...PLAIN_USAGE, completionTokens });
const TOKENS = { large: 300, medium: 120 };

interface Started {
  readonly scripts?: Readonly<Record<string, Script>>;
  readonly request?: Partial<InferenceRequest>;
}

/** Runs one request, routed between `large` and `medium` unless it says otherwise. @returns what was observed */
async function observedOf({ scripts = {}, request = {} }: Started): Promise<LengthObservation[]> {
  const observed: LengthObservation[] = [];
  const router = new FakeRouter([
    { model: "large", provider: "lab", quality: 0.9, costUsd: 0.01, answerTokens: TOKENS.large },
    { model: "medium", provider: "other", quality: 0.8, costUsd: 0.002, answerTokens: TOKENS.medium },
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
  const { inference } = startInference(providers, { router, deployments, lengths, settings: { retries: 0 } });
  const asked = requestFor({ choice: routed(["large", "medium"]), ...request });
  const answer = await inference.run(asked, contextOf());
  if (answer.kind === "stream") await readAll(asStream(answer)).catch(() => {});
  else asCompletion(answer);
  return observed;
}

const body = (more: object) => ({ messages: [{ role: "user" as const, content: "hello" }], ...more });

describe("The length of a routed answer", () => {
  it("is observed with its expected length and the provider's count", async () => {
    expect(await observedOf({})).toEqual([{ model: "large", expectedTokens: 300, actualTokens: 500 }]);
  });

  it("is observed for a stream once it has ended", async () => {
    const lab = streams(...textSteps(["a", "b"], usageOf(70)));
    expect(await observedOf({ scripts: { lab }, request: { stream: true } })).toEqual([
      { model: "large", expectedTokens: 300, actualTokens: 70 },
    ]);
  });

  it("is observed for the model that answered, when the chosen one failed", async () => {
    const lab = fails("overloaded");
    expect(await observedOf({ scripts: { lab, sandbox: lab } })).toEqual([
      { model: "medium", expectedTokens: 120, actualTokens: 500 },
    ]);
  });
});

describe("No length is observed for", () => {
  it("an answer to a request that named its model, without an expectation", async () => {
    expect(await observedOf({ request: { choice: named("large") } })).toEqual([]);
  });

  it("an answer by a fallback that was not a candidate", async () => {
    const lab = fails("overloaded");
    const scripts = { lab, sandbox: lab };
    const request = { choice: routed(["large", "best"]), fallbacks: ["extra"] };
    expect(await observedOf({ scripts, request })).toEqual([]);
  });

  it("tokens that the provider did not count", async () => {
    expect(await observedOf({ scripts: { lab: answers("hi", null) } })).toEqual([]);
    expect(await observedOf({ scripts: { lab: answers("hi", usageOf(0)) } })).toEqual([]);
  });

  it("several answers in one reply", async () => {
    expect(await observedOf({ request: { body: body({ n: 2 }) } })).toEqual([]);
    expect(await observedOf({ request: { body: body({ n: 1 }) } })).toHaveLength(1);
  });

  it("a stream that breaks off", async () => {
    const lab = streams([delta({ content: "half" })], new ProviderFault("cut_off", "as scripted"));
    expect(await observedOf({ scripts: { lab }, request: { stream: true } })).toEqual([]);
  });

  it("an answer of the sandbox", async () => {
    const scripts = { lab: fails("overloaded"), other: fails("overloaded") };
    expect(await observedOf({ scripts })).toEqual([]);
  });
});
