import { SextantError } from "../foundation/errors.js";
import type { Attempt } from "../gateway/traces/trace.js";
import { CallFault, type CallFaultKind } from "../workbench/asking/model-caller.js";

/** Codes of attempts at a provider that asks for fewer requests. */
const BUSY = new Set(["rate_limited", "overloaded"]);
/** Codes of attempts that no other question would change. */
const ACCOUNT = new Set(["credentials_refused", "quota_exhausted"]);
/** Codes of errors that another try may mend. */
const PASSING = new Set(["upstream_error", "upstream_timeout", "upstream_rate_limited", "overloaded"]);

/** What an error of inference says of a call. Anything but a SextantError is a bug, and is thrown. */
export function callFaultOf(error: unknown): CallFault {
  if (!(error instanceof SextantError)) throw error;
  const attempt = attemptsOf(error).at(-1);
  const { retry_after: seconds } = error.extra;
  return new CallFault(messageOf(error, attempt), {
    kind: kindOf(error, attempt),
    code: attempt?.code ?? error.code,
    status: attempt === undefined ? statusOf(error) : attempt.status,
    retryAfterMs: typeof seconds === "number" ? seconds * 1000 : null,
    costUsd: attempt?.usage === undefined ? 0 : attempt.usage.total_cost_usd,
  });
}

function kindOf({ code }: SextantError, attempt: Attempt | undefined): CallFaultKind {
  if (attempt !== undefined && BUSY.has(attempt.code)) return "busy";
  if (attempt !== undefined && ACCOUNT.has(attempt.code)) return "provider";
  return PASSING.has(code) ? "passing" : "question";
}

function messageOf(error: SextantError, attempt: Attempt | undefined): string {
  if (attempt === undefined) return error.message;
  const { provider, code, status, message } = attempt;
  const what = `${provider}: ${code}${status === null ? "" : ` (HTTP ${status})`}`;
  return message === null ? what : `${what}: ${message}`;
}

/** Of a question that the provider refused; other errors came before anything was sent. */
const statusOf = ({ code, status }: SextantError): number | null =>
  ["upstream_rejected", "content_filter", "context_length_exceeded"].includes(code) ? status : null;

function attemptsOf({ extra }: SextantError): readonly Attempt[] {
  return Array.isArray(extra.attempts) ? (extra.attempts as readonly Attempt[]) : [];
}
