import type { ReplyHeaders } from "../../../src/gateway/providers/provider.js";

/** A reply that refuses a call, as a vendor sends it. */
export interface AccountReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: object;
}

/** A key of a vendor, with the limit of requests that its account has for each model. */
export interface AccountOptions {
  readonly vendor: "openai" | "anthropic";
  /** Requests of one model in a minute; refilled steadily, as both say. */
  readonly requestsPerMinute: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

interface AccountCall {
  readonly model: string;
  readonly atMs: number;
  readonly status: number;
  /** What its reply asked to wait; 0 when it asked for nothing. */
  readonly retryAfterMs: number;
}

const MINUTE_MS = 60_000;

/**
 * Counts the requests of a key and refuses those beyond its limit, in the words and headers of its vendor:
 *
 * - OpenAI's 429: https://github.com/feder-cr/invisible_playwright_mcp/issues/249 (2024-09-02); its headers:
 *   https://developers.openai.com/api/docs/guides/rate-limits. Which part `x-ratelimit-reset-requests` counts is a guess:
 *   until the limit is whole again, as the page says.
 * - Anthropic's 429: https://github.com/anthropics/claude-code/issues/71505 (2026-06-26); its headers:
 *   https://docs.aws.amazon.com/claude-platform/latest/userguide/rate-limits.md; `retry-after` always comes:
 *   https://github.com/anthropics/anthropic-sdk-typescript/pull/358 (2024-07-08).
 *
 * Excerpts of these pages were seen on 2026-11-26. `Retry-After` is in whole seconds, rounded up.
 */
export class VendorAccount {
  /** Every call, in order. */
  readonly calls: AccountCall[] = [];
  /** The vendor has revoked it. */
  revoked = false;
  readonly #left = new Map<string, { count: number; atMs: number }>();

  constructor(private readonly options: AccountOptions) {}

  /** The refusal, or the headers of a success. */
  call(model: string): AccountReply | { readonly status: 200; readonly headers: ReplyHeaders } {
    const reply = this.revoked ? this.#unauthorized() : this.#counted(model);
    const retryAfterMs = Number(reply.headers["retry-after"] ?? 0) * 1000;
    this.calls.push({ model, atMs: this.options.now(), status: reply.status, retryAfterMs });
    return reply;
  }

  #counted(model: string) {
    const { requestsPerMinute: limit, now } = this.options;
    const nowMs = now();
    const before = this.#left.get(model) ?? { count: limit, atMs: nowMs };
    const count = Math.min(limit, before.count + ((nowMs - before.atMs) * limit) / MINUTE_MS);
    const isRefused = count < 1;
    const left = isRefused ? count : count - 1;
    this.#left.set(model, { count: left, atMs: nowMs });
    const headers = this.#headers(left);
    if (!isRefused) return { status: 200 as const, headers };
    const waitSeconds = Math.ceil(((1 - count) * MINUTE_MS) / limit / 1000);
    const refusal = { ...headers, "retry-after": String(Math.max(1, waitSeconds)) };
    return { status: 429, headers: refusal, body: this.#refusal(model, waitSeconds) };
  }

  #headers(left: number): ReplyHeaders {
    const { vendor, requestsPerMinute: limit, now } = this.options;
    const resetMs = ((limit - left) * MINUTE_MS) / limit;
    const remaining = String(Math.floor(left));
    if (vendor === "openai") {
      return {
        "x-ratelimit-limit-requests": String(limit),
        "x-ratelimit-remaining-requests": remaining,
        "x-ratelimit-reset-requests": `${Math.floor(resetMs / 60_000)}m${Math.ceil(resetMs / 1000) % 60}s`,
      };
    }
    return {
      "anthropic-ratelimit-requests-limit": String(limit),
      "anthropic-ratelimit-requests-remaining": remaining,
      "anthropic-ratelimit-requests-reset": new Date(now() + resetMs).toISOString(),
    };
  }

  #refusal(model: string, waitSeconds: number): object {
    const { vendor, requestsPerMinute: limit } = this.options;
    const message =
      `Rate limit reached for ${model} in organization org-1 on requests per min (RPM): Limit ${limit}, Used ${limit}, ` +
      `Requested 1. Please try again in ${waitSeconds}s. Visit https://platform.openai.com/account/rate-limits to learn more.`;
    if (vendor === "openai") {
      return { error: { message, type: "requests", param: null, code: "rate_limit_exceeded" } };
    }
    const words = "This request would exceed your account's rate limit. Please try again later.";
    return { type: "error", error: { type: "rate_limit_error", message: words }, request_id: "req_1" };
  }

  #unauthorized(): AccountReply {
    const type = "invalid_request_error";
    const openai = { message: "Incorrect API key provided.", type, param: null, code: "invalid_api_key" };
    const anthropic = { type: "authentication_error", message: "invalid x-api-key" };
    const body = { type: "error", error: this.options.vendor === "openai" ? openai : anthropic };
    return { status: 401, headers: {}, body };
  }
}
