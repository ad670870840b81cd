import { describe, expect, it } from "vitest";
import {
  callerMessage,
  withoutSecret,
  withoutSecrets,
} from "../../../../src/gateway/providers/http/caller-message.js";
import { faultOf } from "../../../../src/gateway/providers/http/fault.js";
import { ProviderFault } from "../../../../src/gateway/providers/provider.js";

describe("A provider's message, as passed on to the caller,", () => {
  it.each([
    ["sk-proj-abcdefgh12345678"],
    ["Bearer abcdefghijkl"],
    ["gsk_abcdefgh12345678"],
    ["AIzaSyA1234567890abcdefghij"],
    ["https://10.0.0.1:8000/v1/chat?key=1"],
    ["ops@example.com"],
    ["10.1.2.3:8080"],
    ["0123456789abcdef0123456789abcdef"],
    ["eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl"],
    ["eyJhbGciOiJIUzI1"],
    ["git+ssh://host/path"],
  ])("has neither keys nor addresses: %s", (hidden) => {
    const text = callerMessage(`It failed for ${hidden}, sorry`) ?? "";
    expect(text).not.toContain(hidden);
    expect(text).toMatch(/^It failed for \[(key|address)\], sorry$/);
  });

  it("keeps ordinary words and numbers", () => {
    const text = "Invalid schema for function 'get_weather': additionalProperties is required at 1.2.3";
    expect(callerMessage(text)).toBe(text);
  });

  it.each(["a.", "a-", "h+", "1.", "eyJaaaaaaaa-", "x@a-", "Bearer ", "sk-", "a://,", "1.1.1.1:1"])(
    "is searched in linear time, even one of %s again and again",
    (piece) => {
      const text = `${piece.repeat(1_000_000 / piece.length)}!`;
      expect(withoutSecrets(text)).toMatch(/!$/);
    },
  );

  it("has at most 2,000 characters, and is null when it is empty", () => {
    expect(callerMessage("x".repeat(100_000))).toHaveLength(2000);
    expect(callerMessage("  ")).toBeNull();
  });

  it("never has the configured key, whatever its form", () => {
    const said = (upstreamMessage: string) => new ProviderFault("server_error", "ours", { upstreamMessage });
    for (const secret of ["hunter2-hunter2", "a+b/c==.*", "$&[x](y)\\z"]) {
      for (const quoted of [`key ${secret} is busy`, `"${secret}", key=${secret}.`, `_${secret}_`]) {
        const cleaned = withoutSecret(said(quoted), secret) as ProviderFault;
        expect(cleaned.upstreamMessage).toBe(quoted.replaceAll(secret, "[key]"));
        expect([cleaned.code, cleaned.message]).toEqual(["server_error", "ours"]);
      }
    }
    const long = "k".repeat(20);
    expect((withoutSecret(said(`key%3D${long}`), long) as ProviderFault).upstreamMessage).toBe("key%3D[key]");
    const fault = said("key hunter2-hunter2 is busy");
    expect(withoutSecret(fault, undefined)).toBe(fault);
  });

  it.each([
    ["ollama", 'model "ollama-x" not found, try `ollama pull`'],
    ["g", "messages are not given"],
    ["EMPTY", "EMPTY is no model"],
    ["function", "functions are not supported, functional"],
  ])("keeps words that a configured key such as %s is a part of, and placeholders", (secret, text) => {
    const fault = new ProviderFault("request_refused", "ours", { upstreamMessage: text });
    expect((withoutSecret(fault, secret) as ProviderFault).upstreamMessage).toBe(text);
  });
});

describe("The fault of a reply", () => {
  const fault = (status: number, body: unknown) =>
    faultOf({ status, headers: {}, text: JSON.stringify(body) }, { nowMs: 0 });

  it("has the provider's message beside the gateway's", () => {
    const { message, upstreamMessage } = fault(400, { error: { message: "seed is not supported" } });
    expect(upstreamMessage).toBe("seed is not supported");
    expect(fault(403, { error: "no credits" }).upstreamMessage).toBe("no credits");
    expect(message).not.toContain("seed");
  });

  it("has the list of a server that answers with one", () => {
    const detail = [{ loc: ["body", "seed"], msg: "Extra inputs are not permitted" }];
    for (const body of [{ detail }, { message: { detail } }])
      expect(fault(422, body).upstreamMessage).toBe("body.seed: Extra inputs are not permitted");
  });

  it("distinguishes an exhausted quota from a rate limit", () => {
    const exhausted = fault(429, { error: { code: "insufficient_quota", message: "m" } });
    expect(exhausted).toMatchObject({ code: "quota_exhausted", retryable: true, passing: false });
    expect(fault(429, { error: { message: "m" } })).toMatchObject({ code: "rate_limited", passing: true });
  });

  it("has the wait that Gemini tells in the body, and takes its limit of a minute for no spent quota", () => {
    const message = "You exceeded your current quota, please check your plan and billing details.";
    const details = [
      { "@type": "type.googleapis.com/google.rpc.Help" },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "36.5s" },
    ];
    const error = { code: 429, message, status: "RESOURCE_EXHAUSTED", details };
    expect(fault(429, [{ error }])).toMatchObject({ code: "rate_limited", retryAfterMs: 36_500 });
    expect(fault(429, [{ error: { ...error, details: [{ retryDelay: 7 }] } }]).retryAfterMs).toBeNull();
  });

  it("recognises a content filter, including Azure's", () => {
    expect(fault(400, { error: { code: "content_filter", message: "m" } }).code).toBe("content_filter");
    const innererror = { code: "ResponsibleAIPolicyViolation" };
    expect(fault(400, { error: { code: null, innererror, message: "m" } }).code).toBe("content_filter");
  });
});
