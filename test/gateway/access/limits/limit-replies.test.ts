import { expect, it } from "vitest";
import { durationText } from "../../../../src/gateway/access/limits/limit-replies.js";
import { CountingLimiter } from "../../../../src/gateway/access/limits/limiter.js";
import { MemoryCounters } from "../../../../src/gateway/access/limits/memory-counters.js";
import { PeriodSpend } from "../../../../src/gateway/access/limits/period-spend.js";
import { errorBody, errorHeaders } from "../../../../src/gateway/server/http/error-reply.js";
import { attempt, principal } from "../../../contracts/limiter.contract.js";
import { FakeClock } from "../../../fakes/clock.js";

async function refusal(limits: Parameters<typeof principal>[1], costUsd: number) {
  const clock = new FakeClock();
  const counters = new MemoryCounters({ now: clock.now, spend: new PeriodSpend() });
  const limiter = new CountingLimiter(counters, { now: clock.now });
  const ada = principal("key_ada", limits);
  await attempt(limiter, ada, { tokens: 1, costUsd });
  clock.advance(12_345);
  const error = await attempt(limiter, ada, { tokens: 1, costUsd });
  if (!(error instanceof Error)) throw new Error("The second request was granted.");
  return { body: errorBody(error, "req_1"), headers: errorHeaders(error) };
}

it("A 429 reply for a limit per minute has the wait in seconds in its body, rounded up in the header, and the limits", async () => {
  const { body, headers } = await refusal({ requestsPerMinute: 1, tokensPerMinute: 50 }, 0);
  expect(body).toMatchObject({
    error: { type: "rate_limit_error", code: "rate_limit_exceeded", param: null },
    retry_after: 47.655,
    request_id: "req_1",
  });
  expect(headers).toMatchObject({
    "retry-after": "48",
    "x-ratelimit-remaining-requests": "0",
    "x-ratelimit-remaining-tokens": "49",
    "x-ratelimit-reset-tokens": "47.655s",
  });
});

it("A 429 reply for a budget waits until the next month and tells OpenAI's libraries not to retry", async () => {
  const { body, headers } = await refusal({ usdPerMonth: 0.0000015 }, 0.000001);
  expect(body.error).toMatchObject({
    code: "budget_exceeded",
    message:
      "The request may cost 0.000001 USD, and 0.000001 of the 0.0000015 USD a month are used. " +
      "The budget starts again on 2026-02-01 (UTC).",
  });
  expect(headers).toMatchObject({ "retry-after": String(body.retry_after), "x-should-retry": "false" });
});

it.each([
  [0, "0ms"],
  [0.2, "1ms"],
  [999, "999ms"],
  [1_000, "1s"],
  [59_999, "59.999s"],
  [60_000, "1m0s"],
  [86_460, "1m26.46s"],
])("A duration of %d ms is written as %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
