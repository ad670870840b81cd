import OpenAI, { APIError } from "openai";
import type { Attempt, ExcludedModel } from "./wire/replies.js";

/** 429: over a limit or a budget, of this key or of the provider. */
export class RateLimitError extends OpenAI.RateLimitError {
  /** Seconds until it is worth trying again; null when the reply has none. */
  readonly retry_after: number | null;

  constructor(reply: ErrorReply) {
    super(429, reply.error, reply.message, reply.headers);
    this.retry_after = retryAfter(reply);
  }
}

/** 503: nothing can serve the request at the moment; `code` says what is missing. */
export class UnavailableError extends OpenAI.InternalServerError {
  /** Seconds until it is worth trying again; null when the reply has none. */
  readonly retry_after: number | null;

  constructor(reply: ErrorReply) {
    super(503, reply.error, reply.message, reply.headers);
    this.retry_after = retryAfter(reply);
  }
}

/** 502 and 504: every upstream call failed. */
export class UpstreamError extends OpenAI.InternalServerError {
  readonly attempts: readonly Attempt[];

  constructor(status: number, reply: ErrorReply) {
    super(status, reply.error, reply.message, reply.headers);
    this.attempts = listIn<Attempt>(reply, "attempts");
  }
}

/** 400 `missing_profiles`: `router.models` names models that nothing is known about. */
export class MissingProfilesError extends OpenAI.BadRequestError {
  readonly missing_profiles: readonly string[];
  readonly available_profiles: readonly string[];

  constructor(reply: ErrorReply) {
    super(400, reply.error, reply.message, reply.headers);
    this.missing_profiles = listIn<string>(reply, "missing_profiles");
    this.available_profiles = listIn<string>(reply, "available_profiles");
  }
}

/** 400 `insufficient_models`: fewer than two models were left to choose from. */
export class InsufficientModelsError extends OpenAI.BadRequestError {
  readonly excluded: readonly ExcludedModel[];

  constructor(reply: ErrorReply) {
    super(400, reply.error, reply.message, reply.headers);
    this.excluded = listIn<ExcludedModel>(reply, "excluded");
  }
}

/** What is known of a reply that is an error. */
interface ErrorReply {
  readonly body: Readonly<Record<string, unknown>>;
  readonly error: object;
  readonly message: string | undefined;
  readonly headers: Headers;
}

/** The typed error of a reply: one of ours where the gateway says more than OpenAI does, otherwise OpenAI's own. */
export function errorOfReply(
  status: number,
  body: object,
  { message, headers }: { readonly message: string | undefined; readonly headers: Headers },
): APIError {
  const fields = { ...body } as Record<string, unknown>;
  const error = typeof fields.error === "object" ? fields.error : null;
  if (error === null) return APIError.generate(status, body, message, headers);
  const reply: ErrorReply = { body: fields, error, message, headers };
  const code = "code" in error ? error.code : null;
  if (status === 429) return new RateLimitError(reply);
  if (status === 502 || status === 504) return new UpstreamError(status, reply);
  if (status === 503) return new UnavailableError(reply);
  if (code === "missing_profiles") return new MissingProfilesError(reply);
  if (code === "insufficient_models") return new InsufficientModelsError(reply);
  return APIError.generate(status, body, message, headers);
}

/** In the body, with a fraction; or in the header, in whole seconds or as a date, which a proxy may have written. */
function retryAfter({ body, headers }: ErrorReply): number | null {
  const stated = body.retry_after;
  if (typeof stated === "number" && Number.isFinite(stated)) return stated;
  const header = headers.get("retry-after");
  if (header === null || header.trim() === "") return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, (date - Date.now()) / 1000);
}

function listIn<Item>({ body }: ErrorReply, name: string): readonly Item[] {
  const list = body[name];
  return Array.isArray(list) ? (list as Item[]) : [];
}
