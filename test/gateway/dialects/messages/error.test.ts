import { expect, it } from "vitest";
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
