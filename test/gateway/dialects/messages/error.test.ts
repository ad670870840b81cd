import { describe, expect, it } from "vitest";
import { ERROR_CODES, type ErrorCode, SextantError } from "../../../../src/foundation/errors.js";
import { messagesErrorBody, messagesErrorType } from "../../../../src/gateway/dialects/messages/error.js";

it("Messages errors map every code to a type of Anthropic's", () => {
  const types = {
    invalid_request: "invalid_request_error",
    context_length_exceeded: "invalid_request_error",
    invalid_api_key: "authentication_error",
    insufficient_scope: "permission_error",
    model_not_found: "not_found_error",
    request_too_large: "request_too_large",
    rate_limit_exceeded: "rate_limit_error",
    budget_exceeded: "billing_error",
    upstream_error: "api_error",
    upstream_timeout: "timeout_error",
    internal_error: "api_error",
    no_provider_available: "api_error",
    overloaded: "overloaded_error",
  };
  for (const [code, type] of Object.entries(types) as [ErrorCode, string][])
    expect(messagesErrorType(code, ERROR_CODES[code].status), code).toBe(type);
  expect(messagesErrorType("upstream_error", 529)).toBe("overloaded_error");
});

it("Messages errors put our code, field and further members beside Anthropic's", () => {
  const error = new SextantError("rate_limit_exceeded", "Wait.", { extra: { retry_after: 3 } });
  expect(messagesErrorBody(error, "req_1")).toEqual({
    type: "error",
    error: { type: "rate_limit_error", message: "Wait.", code: "rate_limit_exceeded", param: null },
    retry_after: 3,
    request_id: "req_1",
  });
});

it("The Messages error about `thread` makes Anthropic's clients send the whole conversation", () => {
  const error = new SextantError("invalid_request", "Leave it out.", { param: "thread" });
  expect(messagesErrorBody(error, "req_1")).toMatchObject({
    error: {
      type: "invalid_request_error",
      details: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
    },
  });
});

describe("The Messages error about a full context has the words on which Claude Code makes room", () => {
  const messageOf = (message: string, code: ErrorCode = "context_length_exceeded") => {
    const { error } = messagesErrorBody(new SextantError(code, message), "req_1");
    return (error as { message: string }).message;
  };

  it.each([
    [
      "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion).",
      131134,
      131072,
    ],
    ["Your request exceeded model token limit: 262144 (requested: 269030)", 269030, 262144],
    [
      "The input token count (1,200,000) exceeds the maximum number of tokens allowed (1,048,576).",
      1200000,
      1048576,
    ],
    [
      "Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
      140000,
      131072,
    ],
    [
      "request (33012 tokens) exceeds the available context size (32768 tokens), try increasing it",
      33012,
      32768,
    ],
    ["Current length is 42328 while limit is 40000", 42328, 40000],
    [
      'longer than "claude-opus-4-5-20251101" allows: The input (61709 tokens) is longer than the model\'s context length (40960 tokens).',
      61709,
      40960,
    ],
  ])("with the numbers of %s", (said, prompt, most) => {
    expect(messageOf(said)).toBe(`prompt is too long: ${prompt} tokens > ${most} maximum. ${said}`);
  });

  it.each([
    "Your input exceeds the context window of this model.",
    "too many tokens: size limit exceeded by 19296 tokens. The limit for this model is 132000 tokens.",
    'The prompt has more than 262144 tokens, which is the whole context window of "lab-1".',
  ])("without numbers where there are none: %s", (said) => {
    expect(messageOf(said)).toBe(`prompt is too long. ${said}`);
  });

  it("in linear time, whatever a provider says", () => {
    const said = `${"9".repeat(1_000_000)} is too much context`;
    expect(messageOf(said)).toBe(`prompt is too long. ${said}`);
  });

  it("also where `auto` finds no model with a context that is large enough", () => {
    const said = (reasons: string) =>
      `Routing needs at least 2 candidates, after leaving out 3 (${reasons}).`;
    const full = said("no_price, context_window");
    expect(messageOf(full, "insufficient_models")).toBe(`prompt is too long. ${full}`);
    expect(messageOf(said("no_price"), "insufficient_models")).toBe(said("no_price"));
  });

  it.each([
    "prompt is too long: 209303 tokens > 200000 maximum",
    // It lowers `max_tokens` then: https://github.com/anthropics/claude-code/issues/42 (2025-02-24)
    "input length and `max_tokens` exceed context limit: 187254 + 20000 > 204798, decrease input length",
  ])("and stays as Anthropic worded it: %s", (said) => {
    expect(messageOf(said)).toBe(said);
  });
});
