/** What each fault of an upstream leads to: by its kind, by its place in the answer, streamed or not. */
import { describe, expect, it } from "vitest";
import { SextantError } from "../../../src/foundation/errors.js";
import { ProviderFault, type ProviderFaultCode } from "../../../src/gateway/providers/provider.js";
import type { Attempt } from "../../../src/gateway/traces/trace.js";
import {
  answers,
  delta,
  FakeProvider,
  role,
  type Script,
  type StreamStep,
  streams,
  textSteps,
} from "../../fakes/provider.js";
import { rejectionOf } from "../../support/errors.js";
import { asStream, readAll, startInference, textOf } from "./harness.js";

type Row = [
  code: ProviderFaultCode,
  status: number | null,
  /** Before the first content: `other` when the next provider gets its turn, else the error that ends the request. */
  before: "other" | readonly [status: number, code: string],
  /** After it: nobody can take over, so the stream breaks off with this. */
  after?: readonly [status: number, code: string, outcome: "error" | "timeout"],
];
const ROWS: readonly Row[] = [
  ["connection_error", null, "other"],
  ["cut_off", 200, "other"],
  ["timeout", null, "other", [504, "upstream_timeout", "timeout"]],
  ["rate_limited", 429, "other"],
  ["quota_exhausted", 429, "other"],
  ["quota_exhausted", 402, "other"],
  ["content_filter", 400, [400, "content_filter"]],
  ["overloaded", 529, "other"],
  ["overloaded", 498, "other"],
  ["server_error", 500, "other"],
  ["server_error", 408, "other"],
  ["invalid_reply", 200, "other"],
  ["credentials_refused", 401, "other"],
  ["credentials_refused", 403, "other"],
  ["model_not_found", 404, "other"],
  ["context_length_exceeded", 400, [400, "context_length_exceeded"]],
  ["request_refused", 400, [400, "upstream_rejected"]],
  ["request_refused", 422, [422, "upstream_rejected"]],
];
type FaultPosition = "instead of a reply" | "before the first content" | "after the first content";

function faulty(fault: ProviderFault, position: FaultPosition): Script {
  if (position === "instead of a reply") return { type: "throw", error: fault };
  const steps: StreamStep[] = [[role()]];
  if (position === "after the first content") steps.push([delta({ content: "Once" })]);
  return streams(...steps, fault);
}

/** One provider that fails so and one that would answer; each model is tried once. */
function start(script: Script) {
  const failing = new FakeProvider("failing", script);
  const isStream = script.type === "stream";
  const healthy = new FakeProvider("healthy", isStream ? streams(...textSteps(["fine"])) : answers("fine"));
  return { ...startInference([failing, healthy], { settings: { retries: 0 } }), failing, healthy };
}

const codes = (attempts: readonly Attempt[]) => attempts.map(({ provider, code }) => `${provider} ${code}`);

describe.each(ROWS)("The fault %s with status %s", (faultCode, givenStatus, before, after) => {
  const fault = new ProviderFault(faultCode, "SECRET of the upstream", { status: givenStatus });
  for (const position of ["instead of a reply", "before the first content"] as const) {
    const script = faulty(fault, position);
    const stream = script.type === "stream";
    if (before === "other") {
      it(`${position} is followed by the next provider`, async () => {
        const { run, failing, traced, limiter, time } = start(script);
        const answer = await run({ stream });
        if (stream) expect(textOf(await readAll(asStream(answer)))).toBe("fine");
        expect(codes(answer.attempts)).toEqual([`failing ${faultCode}`, "healthy ok"]);
        expect(answer.attempts.map(({ status }) => status)).toEqual([givenStatus, 200]);
        expect(await traced()).toMatchObject({ status: "success", provider: "healthy", error: null });
        expect(limiter.reservations.map(({ settled }) => settled.length)).toEqual([1]);
        expect([failing.openStreams, time.running]).toEqual([0, 0]);
      });
      continue;
    }
    it(`${position} ends the request at once`, async () => {
      const { run, failing, healthy, traced, limiter, time } = start(script);
      const error = await rejectionOf(run({ stream }), SextantError);
      expect([error.status, error.code]).toEqual(before);
      expect(error.message).not.toContain("SECRET");
      expect(healthy.calls).toEqual([]);
      expect(await traced()).toMatchObject({
        status: "error",
        provider: "failing",
        error: { code: before[1], message: error.message },
        usage: null,
        attempts: [{ provider: "failing", model: "model-a", status: givenStatus, code: faultCode }],
      });
      expect(limiter.reservations[0]?.settled).toEqual([{ tokens: 0, costUsd: 0 }]);
      expect([failing.openStreams, time.running]).toEqual([0, 0]);
    });
  }

  it("after the first content ends the stream without a fallback", async () => {
    const { open, failing, healthy, traced, time } = start(faulty(fault, "after the first content"));
    const error = await rejectionOf(readAll(await open()), SextantError);
    const [status, code, outcome] = after ?? [502, "upstream_error", "error"];
    expect([error.status, error.code]).toEqual([status, code]);
    expect(error.message).not.toContain("SECRET");
    expect(codes(error.extra.attempts as Attempt[])).toEqual([`failing ${faultCode}`]);
    expect(healthy.calls).toEqual([]);
    expect(await traced()).toMatchObject({
      status: outcome,
      error: { code },
      content: { output: "Once" },
      usage: { estimated: true, completion_tokens: 1 },
      attempts: [{ code: faultCode }],
    });
    expect([failing.openStreams, time.running]).toEqual([0, 0]);
  });
});
