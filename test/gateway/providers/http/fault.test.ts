import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultInReply, faultOf } from "../../../../src/gateway/providers/http/fault.js";
import type { ReplyHeaders } from "../../../../src/gateway/providers/provider.js";

const NOW = Date.parse("2026-01-01T00:00:00Z");

function fault(status: number, body: unknown, headers: ReplyHeaders = {}) {
  return faultOf({ status, headers, text: JSON.stringify(body) ?? "" }, { nowMs: NOW });
}

const refused = (message: string) => fault(400, { error: { message, type: "invalid_request_error" } });

describe("A reply with an error status", () => {
  it.each([
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
    "prompt is too long: 208310 tokens > 200000 maximum",
    "Input is too long for requested model.",
    "The input token count (1048580) exceeds the maximum number of tokens allowed (1048576).",
    "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    "the request exceeds the available context size, try increasing it",
    "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000",
    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193.",
    "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)",
    "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
    "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).",
    "prompt too long; exceeded max context length by 1200 tokens",
    "invalid params, context window exceeds limit (2013)",
    "Prompt exceeds max length",
    "tokens in request more than max tokens allowed",
    "Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000",
    "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10247 >= n_ctx: 4096).",
    "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens",
    "too many tokens: size limit exceeded by 19296 tokens. The limit for this model is 132000 tokens.",
    "prompt token count of 74490 exceeds the limit of 72000",
    "Context Window exceeded for given call.",
  ])("reports an overlong prompt by its message: %s", (message) => {
    expect(refused(message).code).toBe("context_length_exceeded");
    expect(fault(413, { error: { message } }).code).toBe("context_length_exceeded");
  });

  it("reports an overlong prompt whatever status it comes with", () => {
    const message = "Context size has been exceeded.";
    expect(fault(500, { error: { code: 500, message, type: "server_error" } }).code).toBe(
      "context_length_exceeded",
    );
    // In a stream: https://github.com/oobabooga/textgen/issues/7257 (2025-10-07)
    const within = { error: { code: 400, message: "the request exceeds the available context size." } };
    expect(faultInReply(within).code).toBe("context_length_exceeded");
  });

  it("reports too many tokens in a minute as too many requests", () => {
    // https://github.com/jin-bo/agentao/pull/88 (2026-06-14)
    expect(fault(429, { message: "Too many tokens: please wait." }).code).toBe("rate_limited");
  });

  it.each(["context_length_exceeded", "exceed_context_size_error", "model_max_prompt_tokens_exceeded"])(
    "reports an overlong prompt by its error code: %s",
    (type) => {
      expect(fault(400, { error: { message: "no", type } }).code).toBe("context_length_exceeded");
    },
  );

  it("does not report an overlong prompt when it only mentions the context", () => {
    expect(refused("context_window must be a number").code).toBe("request_refused");
  });

  it("is read from what the vendor behind OpenRouter answered", () => {
    const error = { message: "Unsupported parameter: 'stop'", type: "invalid_request_error", param: "stop" };
    const raw = JSON.stringify({ error: { ...error, code: "unsupported_parameter" } });
    const metadata = { raw, provider_name: "OpenAI" };
    const through = fault(400, { error: { message: "Provider returned error", code: 400, metadata } });
    expect(through).toMatchObject({
      code: "request_refused",
      upstreamCode: "unsupported_parameter",
      upstreamParam: "stop",
      upstreamMessage: error.message,
    });
    const untold = { error: { message: "Provider returned error", metadata: { raw: "no JSON" } } };
    expect(fault(400, untold).upstreamMessage).toBe("Provider returned error");
  });

  it.each(["tool use. To learn more", "the provided 'tool_choice' value.", "image input"])(
    "reports that no host behind OpenRouter takes the request, not that the model is unknown: %s",
    (what) => {
      const message = `No endpoints found that support ${what}`;
      expect(fault(404, { error: { message, code: 404 } }).code).toBe("request_refused");
      const unknown = { error: { message: "No endpoints found for a/model.", code: 404 } };
      expect(fault(404, unknown).code).toBe("model_not_found");
    },
  );

  // What the vendors say of accounts that they do not serve; sources beside `SAYS` where none is given here.
  it.each(
    Object.entries<readonly (readonly [vendor: string, status: number, error: unknown])[]>({
      quota_exhausted: [
        ["OpenAI", 429, { type: "insufficient_quota", code: "credit_balance_exhausted" }],
        ["OpenAI", 429, { code: "project_spend_limit_exceeded", message: "m" }],
        ["Anthropic", 400, { message: "You have reached your specified API usage limits." }],
        ["Anthropic", 400, { message: "You have reached your specified workspace API usage limits." }],
        ["Google", 429, { message: "Your prepayment credits are depleted. Please go to" }],
        ["Moonshot", 429, { type: "exceeded_current_quota_error", message: "suspended" }],
        ["Fireworks", 412, { message: "Account lab is suspended, possibly due to" }],
        ["OpenRouter", 403, { message: "Key limit exceeded (monthly limit)", code: 403 }],
        ["Z.AI", 429, { code: "1113", message: "[1113][Insufficient balance or no resource" }],
        ["Novita", 400, { message: "Insufficient quota available for instant inference." }],
        ["OpenCode", 401, { message: "Insufficient balance. Manage your billing here:" }],
        ["a relay", 403, { code: "insufficient_user_quota", message: "m" }],
        ["Ollama", 429, { message: "you have reached your weekly usage limit" }],
        ["Alibaba", 400, { code: "Arrearage", message: "Access denied" }],
        ["DeepSeek", 402, { message: "Insufficient Balance", code: "invalid_request_error" }],
        ["OpenRouter", 402, { message: "This request requires more credits, or fewer max_tokens." }],
        [
          "Anthropic",
          400,
          { message: "Your credit balance is too low to access the Anthropic API. Please …" },
        ],
        [
          "xAI",
          403,
          "Your team has either used all available credits or reached its monthly spending limit.",
        ],
      ],
      credentials_refused: [
        ["OpenAI", 401, { code: "account_deactivated", message: "m" }],
        ["Anthropic", 400, { message: "This organization has been disabled." }],
        // https://github.com/manaflow-ai/subrouter/pull/54 (2026-07-04)
        ["Anthropic", 403, { type: "permission_error", message: "OAuth is not allowed" }],
        ["Google", 400, { message: "API key expired. Please renew the API key." }],
        ["Google", 400, { message: "User location is not supported for the API use." }],
        ["Groq", 400, { code: "organization_restricted", message: "m" }],
      ],
      model_not_found: [
        ["OpenAI", 403, { code: "model_not_found", message: "Project has no access to gpt-6" }],
        ["OpenAI", 400, { message: "Your organization must be verified to stream this model." }],
        ["Anthropic", 404, { type: "not_found_error", message: "model: claude-opus-9" }],
        ["Vertex", 400, { message: "Project `7` is not allowed to use Publisher Model `m`" }],
        ["Bedrock", 400, { message: "Invocation of model ID a.b with on-demand throughput isn’t" }],
        ["Azure", 404, { code: "DeploymentNotFound", message: "The API deployment does not exist." }],
        ["OpenRouter", 404, { message: "No endpoints available matching your data policy." }],
      ],
      rate_limited: [["Google", 429, { message: "You exceeded your current quota, please" }]],
      overloaded: [["Groq", 498, { code: "capacity_exceeded", message: "m" }]],
    }),
  )("is a fault of the account, %s, in the words of %j", (code, told) => {
    for (const [, status, error] of told)
      expect(fault(status, { error }), JSON.stringify(error)).toMatchObject({ code, retryable: true });
  });

  // A fault of the account to other gateways, which took it from all requests: https://github.com/theopenco/llmgateway/pull/1785
  // (2026-03-03), https://github.com/Wei-Shaw/sub2api/pull/5359 (2026-08-07).
  it.each(
    Object.entries<readonly (readonly [vendor: string, status: number, body: unknown])[]>({
      content_filter: [
        ["xAI", 403, { code: "permission-denied", error: "Content violates usage guidelines. " }],
        ["OpenRouter", 403, { error: { message: "m/x requires moderation. Your input was flagged" } }],
      ],
      context_length_exceeded: [["Together", 403, { error: { message: "maximum context length is 8" } }]],
      request_refused: [
        ["OpenAI", 404, { error: { message: "Item with id 'rs_1' not found.", param: "input" } }],
        ["OpenAI", 404, { error: { message: "Item with id 'rs_1' not found." } }],
        ["Anthropic", 404, { error: { type: "not_found_error", message: "File not found: f" } }],
        ["OpenRouter", 404, { error: { message: "No allowed providers are available for" } }],
        ["Google", 403, [{ error: { message: "access the File x or it may not exist." } }]],
        ["a client's text", 400, { error: { message: "'Your credit balance is too low' is bad" } }],
      ],
    }),
  )("is no fault of the account, %s, in the words of %j", (code, told) => {
    for (const [, status, body] of told)
      expect(fault(status, body), JSON.stringify(body)).toMatchObject({
        code,
        retryable: false,
        rests: null,
      });
  });

  it("names the spend limit that Anthropic tells in its details", () => {
    const error = { type: "rate_limit_error", details: { error_code: "enforced_spend_limit_reached" } };
    const upstreamCode = "enforced_spend_limit_reached";
    expect(fault(429, { error })).toMatchObject({ code: "quota_exhausted", upstreamCode });
  });

  it("does not become retryable by its message", () => {
    const body = { error: { code: "rate_limit_exceeded", message: "tokens per minute" } };
    expect(fault(413, body).code).toBe("request_refused");
  });

  it("reports an unknown model or a refused key with status 400", () => {
    expect(fault(400, { error: { code: "model_not_found" } }).code).toBe("model_not_found");
    const xai = { code: "Client specified an invalid argument", error: "Incorrect API key provided: xai-1." };
    expect(fault(400, xai)).toMatchObject({ code: "credentials_refused", upstreamCode: null });
    const gemini = [{ error: { code: 400, message: "API key not valid. Please pass a valid API key." } }];
    expect(fault(400, gemini).code).toBe("credentials_refused");
  });

  it.each([
    ["OpenAI's", { error: { type: "t", param: "messages[0].role", code: "c" } }, "c", "messages[0].role"],
    ["one without a code", { error: { type: "overloaded_error", message: "m" } }, "overloaded_error", null],
    ["Mistral's", { object: "error", type: "invalid_model", param: null, code: 1500 }, "1500", null],
    ["vLLM's", { object: "error", type: "NotFoundError", param: null, code: 404 }, "NotFoundError", null],
    ["Gemini's", [{ error: { code: 404, message: "m", status: "NOT_FOUND" } }], "NOT_FOUND", null],
    ["FastAPI's", { detail: [{ loc: ["body"], msg: "m" }] }, null, null],
    ["one that is a sentence", { error: "no such thing" }, null, null],
    ["one with sentences for codes", { error: { code: "You said: x", param: "a b", type: "" } }, null, null],
    ["one with a very long code", { error: { code: "x".repeat(65) } }, null, null],
    ["none", 7, null, null],
  ])("keeps the short identifiers of %s error", (_, body, upstreamCode, upstreamParam) => {
    expect(fault(404, body)).toMatchObject({ upstreamCode, upstreamParam });
  });

  it.each<[ReplyHeaders, number | null]>([
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after": " 0.25 " }, 250],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }, 30_000],
    [{ "retry-after": "Wed, 31 Dec 2025 23:59:00 GMT" }, 0],
    [{ "retry-after-ms": "1500", "retry-after": "7" }, 1500],
    [{ "retry-after-ms": "soon", "retry-after": "7" }, 7000],
    [{ "retry-after": "-3" }, null],
    [{ "retry-after": "1e9" }, null],
    [{ "retry-after": "later" }, null],
    [{ "retry-after": "" }, null],
    [{ "retry-after": ["1", "2"] }, null],
    [{}, null],
  ])("has for Retry-After %j a wait of %s ms", (headers, expected) => {
    expect(fault(429, {}, headers).retryAfterMs).toBe(expected);
  });

  it("gets a message of the gateway, whatever its body and status", () => {
    const inError = fc.json().map((json) => `{"error":${json}}`);
    const body = fc.oneof(fc.json(), fc.string(), inError);
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 999 }), body, (status, text) => {
        const { message, upstreamCode } = faultOf({ status, headers: {}, text }, { nowMs: NOW });
        const said = upstreamCode === null ? "" : `, code ${upstreamCode}`;
        expect(message).toMatch(/^the (provider|prompt)[a-z' ]*\(status \d+/);
        expect(message.endsWith(`(status ${status}${said})`)).toBe(true);
      }),
    );
  });
});

describe("An error in a reply with a success status", () => {
  it.each([
    [{ error: { message: "boom", type: "server_error", code: null } }, "server_error"],
    [{ type: "error", error: { type: "overloaded_error", message: "m" } }, "overloaded"],
    [{ error: { code: 429, message: "m" } }, "rate_limited"],
    [{ error: { code: 502, message: "m" } }, "server_error"],
    [{ error: { code: 401, message: "m" } }, "credentials_refused"],
    [{ error: { type: "rate_limit_error" } }, "rate_limited"],
    [{ error: { type: "insufficient_quota" } }, "quota_exhausted"],
    [{ type: "error", error: { type: "billing_error" } }, "quota_exhausted"],
    [{ error: { type: "invalid_request_error" } }, "request_refused"],
    [{ error: { status: "RESOURCE_EXHAUSTED" } }, "rate_limited"],
    [{ error: { status: "UNAVAILABLE" } }, "overloaded"],
    [{ error: "it broke" }, "server_error"],
    [undefined, "server_error"],
  ])("is classified: %j as %s", (body, code) => {
    expect(faultInReply(body)).toMatchObject({ code, status: 200, retryAfterMs: null });
  });
});
