import { describe, expect, it } from "vitest";
import { failureError, refusalError } from "../../../../src/gateway/inference/attempts/upstream-errors.js";
import { ProviderFault, type ProviderFaultCode } from "../../../../src/gateway/providers/provider.js";
import type { Attempt } from "../../../../src/gateway/traces/trace.js";
import { deploymentOf } from "../../../fakes/deployments.js";

const refusal = (code: ProviderFaultCode, details: { status: number; upstreamMessage?: string }) =>
  refusalError(new ProviderFault(code, "ours", details), deploymentOf("lab", "model-a"), {
    attempts: [],
    remedy: "check the value of OPENAI_API_KEY",
  });

const attempt = (code: string): Attempt => ({
  provider: "lab",
  model: "model-a",
  status: 429,
  code,
  message: "slow down",
  latency_ms: 1,
});

describe("A provider's refusal of a request", () => {
  it.each([400, 404, 413, 422])("reaches the caller with status %i and the provider's message", (status) => {
    const error = refusal("request_refused", {
      status,
      upstreamMessage: "additionalProperties is required",
    });
    expect([error.code, error.status]).toEqual(["upstream_rejected", status]);
    expect(error.message).toContain("additionalProperties is required");
  });

  it("is reported without that message where no content may be passed on", () => {
    const error = refusal("request_refused", { status: 400, upstreamMessage: "your prompt was: hello" });
    expect(error.safeMessage).not.toContain("hello");
    expect(error.safeMessage).toContain("HTTP 400");
  });

  it("is `content_filter` when a filter stopped the request", () => {
    expect(refusal("content_filter", { status: 400 }).code).toBe("content_filter");
  });

  it("hides messages about the gateway's credentials", () => {
    const error = refusal("credentials_refused", { status: 401, upstreamMessage: "bad key sk-abc" });
    expect([error.code, error.status]).toEqual(["upstream_error", 502]);
    expect(error.message).not.toContain("sk-abc");
  });
});

describe("A request that no attempt answered", () => {
  const failed = (
    codes: readonly ProviderFaultCode[],
    options: { retryAfterMs?: number; said?: string } = {},
  ) => {
    const failures = codes.map((code) => ({
      attempt: attempt(code),
      fault: new ProviderFault(code, "ours", { status: 429, upstreamMessage: options.said ?? null }),
    }));
    return failureError(
      failures.map((failure) => failure.attempt),
      { failures, blockedBy: [], deadlinePassed: false, retryAfterMs: options.retryAfterMs ?? null },
    );
  };

  it("gets 429 with a wait when every provider is rate-limited", () => {
    const error = failed(["rate_limited", "rate_limited"]);
    expect([error.code, error.status, error.extra.retry_after]).toEqual(["upstream_rate_limited", 429, 1]);
    expect(failed(["rate_limited"], { retryAfterMs: 2500 }).extra.retry_after).toBe(2.5);
  });

  it("gets 502 when one of them failed in another way, including an exhausted quota", () => {
    expect(failed(["rate_limited", "server_error"]).status).toBe(502);
    expect(failed(["quota_exhausted"]).status).toBe(502);
  });

  it("gets what the providers said, the same words once, and not more than 2,000 characters of it", () => {
    const error = failed(["server_error", "server_error"], { said: "The engine is overheated." });
    expect(error.message).toBe(
      "No model answered. lab model-a: server_error (HTTP 429): The engine is overheated.; lab model-a: server_error (HTTP 429). " +
        "Try again later, or name other `fallbacks`.",
    );
    expect(error.safeMessage).not.toContain("overheated");
    expect(failed(["server_error"], { said: "x".repeat(2000) }).message.length).toBeLessThan(2200);
  });
});
