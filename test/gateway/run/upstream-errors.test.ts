import { describe, expect, it } from "vitest";
import { ProviderFault, type ProviderFaultCode } from "../../../src/gateway/providers/provider.js";
import { failureError, refusalError } from "../../../src/gateway/run/upstream-errors.js";
import type { Attempt } from "../../../src/gateway/traces/trace.js";
import { deploymentOf } from "../../fakes/deployments.js";

const refusal = (code: ProviderFaultCode, status: number, upstreamMessage: string | null = null) =>
  refusalError(new ProviderFault(code, "ours", { status, upstreamMessage }), deploymentOf("lab", "model-a"), {
    promptParam: "messages",
  });

describe("A provider's refusal of a request", () => {
  it.each([400, 404, 413, 422])("reaches the caller with status %i and the provider's message", (status) => {
    const error = refusal("request_refused", status, "additionalProperties is required");
    expect([error.code, error.status]).toEqual(["upstream_rejected", status]);
    expect(error.message).toContain("additionalProperties is required");
  });

  it("is reported without that message where no content may be passed on", () => {
    const error = refusal("request_refused", 400, "your prompt was: hello");
    expect(error.safeMessage).not.toContain("hello");
    expect(error.safeMessage).toContain("HTTP 400");
  });
});

describe("A request that no attempt answered", () => {
  const failed = (
    codes: readonly ProviderFaultCode[],
    {
      retryAfterMs = null,
      said = null,
      ...retiring
    }: { retryAfterMs?: number | null; said?: string | null } & Pick<Attempt, "retirement"> = {},
  ) => {
    const called = {
      provider: "lab",
      model: "model-a",
      status: 429,
      message: "slow down",
      latency_ms: 1,
      ...retiring,
    };
    const failures = codes.map((code) => ({
      attempt: { ...called, code },
      fault: new ProviderFault(code, "ours", { status: 429, upstreamMessage: said }),
    }));
    const remedyOf = () => "check the value of LAB_API_KEY";
    const attempts = failures.map(({ attempt }) => attempt);
    return failureError(attempts, { failures, blocked: [], remedyOf, deadlinePassed: false, retryAfterMs });
  };

  it.each<[number, string, readonly ProviderFaultCode[]]>([
    [429, "every provider is rate-limited", ["rate_limited", "rate_limited"]],
    [502, "one of them failed in another way", ["rate_limited", "server_error"]],
    [502, "a quota is spent", ["quota_exhausted"]],
    [502, "the account was refused or has not got the model", ["credentials_refused", "model_not_found"]],
    [504, "every call reached a time limit", ["timeout", "timeout"]],
    [502, "only some calls reached a time limit", ["timeout", "server_error"]],
  ])("gets %i when %s", (status, _, codes) => {
    expect(failed(codes).status).toBe(status);
  });

  it.each([
    ["with its successor", "model-b", "lab model-a (retires on 2026-12-01, then model-b): model_not_found"],
    ["without one", null, "lab model-a (retires on 2026-12-01): model_not_found"],
  ])("is told of the retirement of the model, %s", (_, successor, text) => {
    const { message, safeMessage } = failed(["model_not_found"], {
      retirement: { from: "2026-12-01", successor },
    });
    expect([message.split(text).length, safeMessage.split(text).length]).toEqual([2, 2]);
  });

  it("gets the wait that the providers ask for with 429, or a second", () => {
    expect(failed(["rate_limited"]).code).toBe("upstream_rate_limited");
    expect(failed(["rate_limited"]).extra.retry_after).toBe(1);
    expect(failed(["rate_limited"], { retryAfterMs: 2500 }).extra.retry_after).toBe(2.5);
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
