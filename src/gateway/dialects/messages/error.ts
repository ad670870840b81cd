import type { ErrorCode, SextantError } from "../../../foundation/errors.js";
import type { JsonObject } from "../../providers/chat.js";

/** Codes whose type does not follow from their status. */
const TYPES_BY_CODE: Readonly<Partial<Record<ErrorCode, string>>> = {
  budget_exceeded: "billing_error",
  overloaded: "overloaded_error",
};

/** platform.claude.com/docs/en/api/errors */
const TYPES_BY_STATUS: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** Anthropic's `error.type`: `invalid_request_error` for other 4xx, `api_error` for other 5xx. */
export function messagesErrorType(code: ErrorCode, status: number): string {
  const type = TYPES_BY_CODE[code] ?? TYPES_BY_STATUS[status];
  return type ?? (status < 500 ? "invalid_request_error" : "api_error");
}

/**
 * Claude Code makes room in its conversation on these words of Anthropic's alone, and by their numbers:
 * https://github.com/agentgateway/agentgateway/pull/3581 (2026-09-21). On those with `max_tokens` it lowers that.
 */
function tooLong(message: string): string {
  if (/prompt is too long|`max_tokens` exceed context limit/i.test(message)) return message;
  const numbers = message.replace(/(\d),(?=\d{3})/g, "$1");
  const [, after, before] = MOST_TOKENS.exec(numbers) ?? [];
  const most = Number(after ?? before);
  const above = [...numbers.matchAll(/(?<![\w.-])\d+(?![\w-])/g)].map(Number).filter((each) => each > most);
  const counts = above.length === 0 ? "" : `: ${Math.min(...above)} tokens > ${most} maximum`;
  return `prompt is too long${counts}. ${message}`;
}

/** Of what is allowed, as vendors word it; not by how much that is exceeded. */
const MOST_TOKENS = /(?:max|limit|context|size|<=)(?:(?! by )[^\d;]){0,40}?(\d{3,})|(?<!\d)(\d{3,}) max/i;

/** What Anthropic's clients read of a refused `thread`: they go on by sending the whole conversation. */
const THREAD_DETAILS = { error_code: "thread_unsupported_request", unsupported: ["thread"] } as const;

/** An error in Anthropic's form, with our code and field in `error` and the members that the code promises beside it. */
export function messagesErrorBody(error: SextantError, requestId: string): JsonObject {
  const { code, status, message, param, extra } = error;
  const isFull = code === "context_length_exceeded" || /^Routing needs .*\bcontext_window\b/.test(message);
  return {
    type: "error",
    error: {
      type: messagesErrorType(code, status),
      message: isFull ? tooLong(message) : message,
      code,
      param,
      ...(code === "invalid_request" && param === "thread" ? { details: THREAD_DETAILS } : {}),
    },
    ...extra,
    request_id: requestId,
  };
}
