/**
 * The error class of the API and its table of error codes. A code fixes the HTTP status and the OpenAI error type; the
 * message is written where the fault is known and says what was wrong, with which value, and what to do.
 */

interface ErrorKind {
  readonly status: number;
  readonly type: string;
  /** One sentence for the documentation. */
  readonly meaning: string;
}

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  429: "rate_limit_error",
};

const kind = (status: number, meaning: string): ErrorKind => ({
  status,
  type: TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error"),
  meaning,
});

export const ERROR_CODES = {
  invalid_request: kind(400, "The body or query does not match the schema; the message names the field."),
  missing_profiles: kind(
    400,
    "`models` names a model without a profile; carries `missing_profiles` and `available_profiles`.",
  ),
  insufficient_models: kind(
    400,
    "Fewer than 2 candidates were given or left after filtering; carries `excluded` with reasons.",
  ),
  context_length_exceeded: kind(400, "The prompt cannot fit the named model."),
  missing_credentials: kind(401, "No API key or token came with the request."),
  invalid_api_key: kind(401, "The API key is not known."),
  key_expired: kind(401, "The API key is past its expiry date."),
  key_revoked: kind(401, "The API key was revoked."),
  invalid_token: kind(
    401,
    "The token's signature, algorithm, issuer, audience or start time is not accepted.",
  ),
  token_expired: kind(401, "The token is past its `exp`."),
  invalid_session: kind(401, "The console session has ended; only the console gets this."),
  insufficient_scope: kind(403, "The key is valid but lacks the scope the route needs."),
  not_allowed: kind(
    403,
    "A cap of the key, token or preset forbids the request: its model, its cost or its cost weight.",
  ),
  key_paused: kind(403, "An operator has paused the API key; the message says until when."),
  cross_site_request: kind(
    403,
    "A page of another site sent a request to `/console`, to `/admin`, or to a server without authentication.",
  ),
  not_found: kind(404, "No such route or resource."),
  model_not_found: kind(404, "The model is not in the catalog, or the provider does not know it."),
  provider_not_found: kind(404, "No provider has that id."),
  trace_not_found: kind(404, "No trace has that request id, or the key may not see it."),
  method_not_allowed: kind(
    405,
    "The path exists but not with this method; the `Allow` header lists the methods.",
  ),
  profiles_rejected: kind(409, "The profiles cannot be used; the message says why. Those in use stay."),
  settings_rejected: kind(
    409,
    "The changed settings cannot be used; the message says why. Those in use stay.",
  ),
  version_conflict: kind(409, "Somebody else made a change since `version` was read. Nothing has changed."),
  request_too_large: kind(413, "The body, as sent or decompressed, is larger than `SEXTANT_MAX_BODY_BYTES`."),
  unsupported_media_type: kind(
    415,
    "The body is not `application/json`, or has a `content-encoding` other than gzip, deflate, br or zstd.",
  ),
  upgrade_required: kind(426, "A WebSocket was asked for: requests are answered over HTTP alone."),
  rate_limit_exceeded: kind(
    429,
    "The key's requests or tokens of this minute are used up; carries `retry_after` in seconds.",
  ),
  budget_exceeded: kind(
    429,
    "The key's dollars of this month are used up; carries `retry_after` in seconds.",
  ),
  upstream_rate_limited: kind(
    429,
    "Every attempt was answered with 429 by a provider, or skipped because of an earlier 429; carries `retry_after` in seconds and `attempts`.",
  ),
  upstream_rejected: kind(
    400,
    "The provider refused the request; status (400, 404, 413, 422, …) and message are its own.",
  ),
  content_filter: kind(
    400,
    "The provider's content filter refused the request; status and message are its own.",
  ),
  upstream_error: kind(
    502,
    "Every attempt failed, including those refused because of the account at the provider; carries `attempts`.",
  ),
  upstream_timeout: kind(
    504,
    "Every attempt, or the request as a whole, exceeded a time limit; carries `attempts`.",
  ),
  internal_error: kind(500, "A bug; the message has no internal details."),
  no_provider_available: kind(
    503,
    "No configured provider serves the model; the message says how to enable one.",
  ),
  model_paused: kind(
    503,
    "An operator has paused the model or its only provider; the message says until when, and what to do.",
  ),
  no_profiles_available: kind(503, "No profile set is loaded, so nothing can be routed."),
  authentication_unavailable: kind(
    503,
    "A token cannot be checked because the keys that verify it cannot be fetched. API keys still work.",
  ),
  store_down: kind(503, "Traces are switched off, or their store cannot be reached; inference continues."),
  storage_unavailable: kind(
    503,
    "A file of the data folder, or Redis, cannot be read or written; the message names it, the cause and the remedy.",
  ),
  query_timeout: kind(504, "The search exceeded `SEXTANT_TRACE_QUERY_TIMEOUT_MS` or its memory limit."),
  overloaded: kind(
    503,
    "The server is shutting down, has reached its limit of requests in flight, or gets more requests than it can read in time.",
  ),
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface ErrorDetails {
  /** Path of the offending field, `messages[0].role`. */
  readonly param?: string;
  /** Further top-level members of the error body that the code promises (`missing_profiles`, `excluded`, …). */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Headers that go with the answer, such as those of limits. Lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the code's own: that of an upstream's reply, 400 to 499. */
  readonly status?: number;
  /** In place of the message where the caller's content must not go: logs, and traces that keep no content. */
  readonly safeMessage?: string;
  readonly cause?: unknown;
}

/** An error whose message is for the person who asked: what is wrong, with which value, and what to do. */
export class ExplainedError extends Error {}

/** What is kept on disk or in Redis cannot be read or written. The message says where it is and what to do. */
export class StorageError extends ExplainedError {
  override readonly name: string = "StorageError";
}

/** Redis cannot be asked. The message says why, without addresses or credentials. Here, so that naming it loads no client. */
export class RedisUnavailableError extends StorageError {
  override readonly name = "RedisUnavailableError";
}

/** Settings that cannot be used. The message names the variable or key, its value and the remedy. */
export class SettingsError extends ExplainedError {
  override readonly name = "SettingsError";
}

/**
 * A fault with a code of the table. Its message is safe to show to the caller: no key and no address. It may quote what
 * the caller sent; `safeMessage` never does.
 */
export class SextantError extends ExplainedError {
  readonly code: ErrorCode;
  readonly status: number;
  readonly safeMessage: string;
  readonly param: string | null;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "SextantError";
    this.code = code;
    this.status = details.status ?? ERROR_CODES[code].status;
    this.safeMessage = details.safeMessage ?? message;
    this.param = details.param ?? null;
    this.extra = details.extra ?? {};
    this.headers = details.headers ?? {};
  }

  /** The same error with these headers in addition; its own win. */
  withHeaders(headers: Readonly<Record<string, string>>): SextantError {
    const { code, message, param, ...details } = this;
    const copy = new SextantError(code, message, {
      ...details,
      ...(param === null ? {} : { param }),
      cause: this.cause,
      headers: { ...headers, ...this.headers },
    });
    if (this.stack !== undefined) copy.stack = this.stack;
    return copy;
  }
}
