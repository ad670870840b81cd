import type { FastifyRequest } from "fastify";
import { ERROR_CODES, RedisUnavailableError, SextantError, StorageError } from "../../foundation/errors.js";

/** The one error body, API §1: OpenAI's `error` object, the request id, and the members a code promises. */
export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: string;
    readonly param: string | null;
  };
  readonly request_id: string;
  readonly [extra: string]: unknown;
}

export function errorBody(error: SextantError, requestId: string): ErrorBody {
  const { type } = ERROR_CODES[error.code];
  return {
    error: { message: error.message, type, code: error.code, param: error.param },
    ...error.extra,
    request_id: requestId,
  };
}

/** Headers that go with a code, beside the body. */
export function errorHeaders(error: SextantError): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { ...error.headers };
  if (error.status === 401) headers["www-authenticate"] = "Bearer";
  const { retry_after: retryAfter } = error.extra;
  if (typeof retryAfter === "number") {
    headers["retry-after"] = String(Math.ceil(retryAfter));
    // What OpenAI's client libraries look at first, because whole seconds are long.
    headers["retry-after-ms"] = String(Math.ceil(retryAfter * 1000));
  }
  return headers;
}

/** That there is too much to do now; clients are told to come back in a second. */
export const overloaded = (message: string): SextantError =>
  new SextantError("overloaded", message, { extra: { retry_after: 1 } });

export interface FaultContext {
  readonly maxBodyBytes: number;
  readonly contentType: string | undefined;
}

/**
 * Any fault that ended a request, as an error of the table. Faults of the HTTP framework are put in our words, those of
 * files and of Redis name these; whatever is unknown is a bug of ours and becomes `internal_error`, which tells the client nothing.
 */
export function asSextantError(fault: unknown, { maxBodyBytes, contentType }: FaultContext): SextantError {
  if (fault instanceof SextantError) return fault;
  if (fault instanceof StorageError || fault instanceof RedisUnavailableError)
    return new SextantError("storage_unavailable", fault.message, { cause: fault });
  const code = fault instanceof Error && "code" in fault ? fault.code : undefined;
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new SextantError(
        "request_too_large",
        `The body is larger than ${maxBodyBytes} bytes. Send a smaller one, or raise SEXTANT_MAX_BODY_BYTES.`,
      );
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new SextantError(
        "unsupported_media_type",
        `The content type is ${contentType === undefined ? "missing" : `"${contentType.slice(0, 80)}"`}. ` +
          "Send JSON with `content-type: application/json`.",
      );
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new SextantError(
        "invalid_request",
        "The body's size differs from its `content-length`. Correct the header.",
      );
    case "FST_ERR_MAX_PARAM_LENGTH":
      return new SextantError("not_found", "Nothing has so long a name as the one in the path. Check it.");
    case "FST_ERR_BAD_URL":
      return new SextantError("invalid_request", "The URL cannot be decoded. Correct its percent-encoding.");
    default:
      return new SextantError(
        "internal_error",
        "Something went wrong inside the server. Try again; if it stays, report it with the request id.",
        { cause: fault },
      );
  }
}

/** Whether a client speaks Anthropic's API: its libraries send `anthropic-version` with every request. */
export const wantsAnthropic = ({ headers }: Pick<FastifyRequest, "headers">): boolean =>
  headers["anthropic-version"] !== undefined;

/**
 * Of every answer: its name, and that pages of other sites cannot load it, that it is of no other type, and that no cache keeps
 * it. What is public and stays the same, such as the console's files, replaces the last.
 */
export const answerHeaders = (requestId: string): Readonly<Record<string, string>> => ({
  "x-request-id": requestId,
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
});
