/** What failed attempts used is billed to the request: to its trace, its limits and its budget. */
import { beforeAll, describe, expect, it } from "vitest";
import { countTokens } from "../../../../src/gateway/inference/token-counting/count-tokens.js";
import { ProviderFault } from "../../../../src/gateway/providers/provider.js";
import { billedCostUsd } from "../../../../src/gateway/traces/billed-usage.js";
import { deploymentOf, priceOf } from "../../../fakes/deployments.js";
import {
  answers,
  cutOff,
  delta,
  FakeProvider,
  fails,
  PLAIN_USAGE,
  role,
  type Script,
  streams,
  textSteps,
} from "../../../fakes/provider.js";
import { asCompletion, asStream, contextOf, requestFor, startInference } from "../harness.js";

/** $1 for a million prompt tokens, $2 for a million of the answer: 10 and 4 cost $0.000018. */
const PRICE = priceOf(1, 2);
const PLAIN_COST = 18e-6;
/** "hello", as it is counted here for a chat. */
const PROMPT_TOKENS = 5;

beforeAll(async () => {
  await countTokens(["loads the tokenizer"], { model: "gpt-4o" });
});

function startWith(first: Script, second: Script = answers("fine")) {
  return startInference([new FakeProvider("first", first), new FakeProvider("second", second)], {
    deployments: ["first", "second"].map((id) => deploymentOf(id, "model-a", { price: PRICE })),
    settings: { retries: 0 },
  });
}

async function runOn(first: Script, { stream = false } = {}) {
  const started = startWith(first, stream ? streams(...textSteps(["fine"])) : answers("fine"));
  const answer = await started.inference.run(requestFor({ stream }), contextOf());
  if (answer.kind === "stream") for await (const _ of answer.batches);
  const trace = await started.traced();
  const [settled] = started.limiter.reservations[0]?.settled ?? [];
  return { answer, trace, settled };
}

describe("A failed attempt whose reply reported its usage", () => {
  it("has that usage and cost, and both are part of the request's", async () => {
    const { answer, trace, settled } = await runOn(
      fails("server_error", { status: 500, usage: PLAIN_USAGE }),
    );
    const used = { prompt_tokens: 10, completion_tokens: 4, total_cost_usd: PLAIN_COST };
    expect(trace.attempts.map(({ code, usage }) => [code, usage])).toEqual([
      ["server_error", used],
      ["ok", used],
    ]);
    expect(billedCostUsd(trace)).toBeCloseTo(2 * PLAIN_COST, 12);
    expect(settled).toEqual({ tokens: 28, costUsd: billedCostUsd(trace) });
    expect(asCompletion(answer).usage.total_cost_usd).toBe(PLAIN_COST);
  });

  it("is charged when every attempt failed", async () => {
    const failing = fails("server_error", { status: 500, usage: PLAIN_USAGE });
    const started = startWith(failing, failing);
    await expect(started.inference.run(requestFor(), contextOf())).rejects.toMatchObject({
      code: "upstream_error",
    });
    expect(started.trace().usage).toBeNull();
    expect(billedCostUsd(started.trace())).toBeCloseTo(2 * PLAIN_COST, 12);
  });

  it("may be a stream that failed before its first content", async () => {
    const { trace } = await runOn(
      streams([role()], [{ chunk: null, usage: PLAIN_USAGE }], cutOff("server_error")),
      { stream: true },
    );
    expect(trace.attempts[0]).toMatchObject({ code: "server_error", usage: { completion_tokens: 4 } });
    expect(billedCostUsd(trace)).toBeCloseTo(2 * PLAIN_COST, 12);
  });

  it("does not count toward the usage of the answer", async () => {
    const { trace } = await runOn(fails("overloaded", { status: 503, usage: PLAIN_USAGE }));
    expect(trace.usage).toMatchObject({ prompt_tokens: 10, total_cost_usd: PLAIN_COST });
  });
});

describe("A failed attempt that was accepted and cut off before it reported its usage", () => {
  it("is estimated from the prompt and the partial answer", async () => {
    const partialReply = '{"choices":[{"message":{"role":"assistant","content":"one two three';
    const { trace, settled } = await runOn(fails("cut_off", { status: 200, partialReply }));
    expect(trace.attempts[0]?.usage).toEqual({
      prompt_tokens: PROMPT_TOKENS,
      completion_tokens: 3,
      total_cost_usd: (PROMPT_TOKENS + 2 * 3) * 1e-6,
      estimated: true,
    });
    expect(settled).toEqual({ tokens: 14 + PROMPT_TOKENS + 3, costUsd: billedCostUsd(trace) });
  });

  it("is estimated from the prompt alone when a stream broke before its first content", async () => {
    const { trace } = await runOn(streams([role()], cutOff()), { stream: true });
    expect(trace.attempts[0]?.usage).toMatchObject({
      prompt_tokens: PROMPT_TOKENS,
      completion_tokens: 0,
      estimated: true,
    });
  });

  it.each([
    ["refused with a status", fails("rate_limited", { status: 429 })],
    ["never reached", fails("connection_error")],
    ["answered with a page of a proxy", fails("invalid_reply", { status: 200 })],
    ["a stream that began with the provider's error", streams(cutOff("overloaded"))],
  ])("is not estimated when it was %s", async (_, script) => {
    const { trace } = await runOn(script, { stream: script.type === "stream" });
    expect(trace.attempts[0]).not.toHaveProperty("usage");
    expect(billedCostUsd(trace)).toBe(PLAIN_COST);
  });
});

describe("A stream whose provider counted the prompt at its start and then broke off", () => {
  it("is charged that prompt, and an estimate of the generated tokens", async () => {
    const told = { ...PLAIN_USAGE, completionTokens: 1, completionPending: true } as const;
    const started = startWith(
      streams([{ ...role(), usage: told }], [delta({ content: "one two three" })], cutOff()),
    );
    const stream = asStream(await started.inference.run(requestFor({ stream: true }), contextOf()));
    await expect(async () => {
      for await (const _ of stream.batches);
    }).rejects.toMatchObject({ code: "upstream_error" });
    const { usage, attempts } = await started.traced();
    expect(usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 3, estimated: true });
    expect(attempts[0]?.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 3, estimated: true });
  });
});

describe("A provider fault", () => {
  it("hides the partial reply from code that lists its properties", () => {
    const fault = new ProviderFault("cut_off", "it broke off", { partialReply: "a secret answer" });
    expect(JSON.stringify({ ...fault })).not.toContain("secret");
    expect(fault.with({ status: 200 }).partialReply).toBe("a secret answer");
  });
});

it("Accounting counts the prompt once for all attempts of a request, including the last one's answer", async () => {
  const partialReply = JSON.stringify({ choices: [{ message: { content: "fi" } }] });
  const brokenOff = fails("cut_off", { status: 200, partialReply });
  for (const second of [brokenOff, answers("fine", null)]) {
    const { inference, counted, traced } = startWith(brokenOff, second);
    await inference.run(requestFor(), contextOf()).catch(() => {});
    const { attempts } = await traced();
    expect(attempts.map(({ usage }) => [usage?.prompt_tokens, usage?.estimated])).toEqual([
      [PROMPT_TOKENS, true],
      [PROMPT_TOKENS, true],
    ]);
    expect(counted.filter(([text]) => text === "hello")).toHaveLength(1);
  }
});
