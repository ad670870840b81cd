/** What failed attempts used is billed to the request: to its trace, its limits and its budget. */
import { beforeAll, describe, expect, it } from "vitest";
import { ProviderFault } from "../../../src/gateway/providers/provider.js";
import { countTokens } from "../../../src/gateway/token-counting/count-tokens.js";
import { billedCostUsd } from "../../../src/gateway/traces/billed-usage.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
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
} from "../../fakes/provider.js";
import { readAll, startInference } from "./harness.js";

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

/** What becomes of a request whose first call goes so, and whose second is answered. */
async function billedAfter(first: Script) {
  const stream = first.type === "stream";
  const started = startWith(first, stream ? streams(...textSteps(["fine"])) : answers("fine"));
  const answer = await started.run({ stream });
  if (answer.kind === "stream") await readAll(answer);
  const trace = await started.traced();
  const [settled] = started.limiter.reservations[0]?.settled ?? [];
  return { trace, settled, billedUsd: billedCostUsd(trace) };
}

describe("A failed attempt whose reply reported its usage", () => {
  const failing = fails("server_error", { status: 500, usage: PLAIN_USAGE });

  it.each<[string, Script]>([
    ["whole", failing],
    ["a stream", streams([role()], [{ chunk: null, usage: PLAIN_USAGE }], cutOff("server_error"))],
  ])("has that usage and cost, and both are billed, but no part of the answer's: %s", async (_, first) => {
    const { trace, settled, billedUsd } = await billedAfter(first);
    const used = { prompt_tokens: 10, completion_tokens: 4, total_cost_usd: PLAIN_COST };
    expect(trace.attempts.map(({ code, usage }) => [code, usage])).toEqual([
      ["server_error", used],
      ["ok", used],
    ]);
    expect(billedUsd).toBeCloseTo(2 * PLAIN_COST, 12);
    expect(settled).toEqual({ tokens: 28, costUsd: billedUsd });
    expect(trace.usage).toMatchObject(used);
  });
});

describe("A failed attempt that was accepted and cut off before it reported its usage", () => {
  it("is estimated from the prompt and the partial answer", async () => {
    const partialReply = '{"choices":[{"message":{"role":"assistant","content":"one two three';
    const { trace, settled, billedUsd } = await billedAfter(fails("cut_off", { status: 200, partialReply }));
    expect(trace.attempts[0]?.usage).toEqual({
      prompt_tokens: PROMPT_TOKENS,
      completion_tokens: 3,
      total_cost_usd: (PROMPT_TOKENS + 2 * 3) * 1e-6,
      estimated: true,
    });
    expect(settled).toEqual({ tokens: 14 + PROMPT_TOKENS + 3, costUsd: billedUsd });
  });

  it("is estimated from the prompt alone when a stream broke before its first content", async () => {
    const { trace } = await billedAfter(streams([role()], cutOff()));
    const usage = { prompt_tokens: PROMPT_TOKENS, completion_tokens: 0, estimated: true };
    expect(trace.attempts[0]?.usage).toMatchObject(usage);
  });

  it.each<[string, Script]>([
    ["refused with a status", fails("rate_limited", { status: 429 })],
    ["never reached", fails("connection_error")],
    ["answered with a page of a proxy", fails("invalid_reply", { status: 200 })],
    ["a stream that began with the provider's error", streams(cutOff("overloaded"))],
  ])("is not estimated when it was %s", async (_, script) => {
    const { trace, billedUsd } = await billedAfter(script);
    expect(trace.attempts[0]).not.toHaveProperty("usage");
    expect(billedUsd).toBe(PLAIN_COST);
  });

  it("has its prompt counted once for all attempts of a request, including the last one's answer", async () => {
    const partialReply = JSON.stringify({ choices: [{ message: { content: "fi" } }] });
    const brokenOff = fails("cut_off", { status: 200, partialReply });
    for (const second of [brokenOff, answers("fine", null)]) {
      const { run, counted, traced } = startWith(brokenOff, second);
      await run().catch(() => {});
      const counts = { prompt_tokens: PROMPT_TOKENS, estimated: true };
      expect((await traced()).attempts).toMatchObject([{ usage: counts }, { usage: counts }]);
      expect(counted.filter(([text]) => text === "hello")).toHaveLength(1);
    }
  });
});

it("A stream that broke off after its provider counted the prompt is charged that, and an estimate of its answer", async () => {
  const told = { ...PLAIN_USAGE, completionTokens: 1, completionPending: true } as const;
  const { open, traced } = startWith(
    streams([{ ...role(), usage: told }], [delta({ content: "one two three" })], cutOff()),
  );
  await expect(readAll(await open())).rejects.toMatchObject({ code: "upstream_error" });
  const usage = { prompt_tokens: 10, completion_tokens: 3, estimated: true };
  expect(await traced()).toMatchObject({ usage, attempts: [{ usage }] });
});

it("A fault of a provider hides the partial reply from code that lists its properties", () => {
  const fault = new ProviderFault("cut_off", "it broke off", { partialReply: "a secret answer" });
  expect(JSON.stringify({ ...fault })).not.toContain("secret");
  expect(fault.with({ status: 200 }).partialReply).toBe("a secret answer");
});
