import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { type ErrorCode, SextantError } from "../../foundation/errors.js";
import type { ProviderFault, ProviderFaultCode } from "../providers/provider.js";
import type { Attempt } from "../traces/trace.js";

/**
 * Error for a fault of the request, with the provider's own status and message.
 *
 * @param promptParam field of the request with the model's input
 */
export function refusalError(
  fault: ProviderFault,
  deployment: Deployment,
  { promptParam }: { readonly promptParam: "messages" | "input" },
): SextantError {
  const provider = JSON.stringify(deployment.provider);
  if (fault.status === null) {
    // It was never sent: the adapter has no form for it, and says why in words of its own.
    const message = `The request cannot be sent to the provider ${provider}: ${fault.message}. Change that, or ask another model.`;
    return new SextantError("invalid_request", message, { ...paramOf(fault.upstreamParam), cause: fault });
  }
  const model = JSON.stringify(deployment.model);
  return rejectionError(fault, rejectionOf(fault, { provider, model, promptParam }));
}

/** A request that the provider refused, described by the gateway. */
interface Rejection {
  readonly code: ErrorCode;
  /** A sentence without its full stop. */
  readonly what: string;
  readonly remedy: string;
  readonly param: string | null;
}

function rejectionError(fault: ProviderFault, { code, what, remedy, param }: Rejection): SextantError {
  const said = fault.upstreamMessage;
  const safeMessage = `${what}${replied(fault)}. ${remedy}`;
  return new SextantError(code, said === null ? safeMessage : `${what}: ${said}`, {
    safeMessage,
    ...statusOf(fault.status),
    ...paramOf(param),
    cause: fault,
  });
}

interface Refused {
  readonly provider: string;
  readonly model: string;
  readonly promptParam: "messages" | "input";
}

function rejectionOf(fault: ProviderFault, { provider, model, promptParam }: Refused): Rejection {
  const rejected = { code: "upstream_rejected", param: fault.upstreamParam } as const;
  switch (fault.code) {
    case "context_length_exceeded":
      return {
        code: "context_length_exceeded",
        ...TOO_LONG[promptParam](`${model} at ${provider}`),
        param: promptParam,
      };
    case "content_filter":
      return {
        code: "content_filter",
        what: `The content filter of the provider ${provider} refused the request`,
        remedy: "Reword the prompt, or ask another model.",
        param: fault.upstreamParam,
      };
    default:
      return {
        ...rejected,
        what: `The provider ${provider} refused the request`,
        remedy: "Change what it refused, or ask another model.",
      };
  }
}

const TOO_LONG = {
  messages: (who: string) => ({
    what: `Prompt and answer are longer than ${who} allows`,
    remedy: "Shorten the prompt, ask for a shorter answer, or choose a model with a larger context window.",
  }),
  input: (who: string) => ({
    what: `An input is longer than ${who} allows`,
    remedy: "Cut it into shorter ones, or choose a model with a larger context window.",
  }),
};

const paramOf = (param: string | null): { readonly param?: string } => (param === null ? {} : { param });

/** The provider's own status for a fault of the request; for an error within a successful reply that of the code. */
const statusOf = (status: number | null): { readonly status?: number } =>
  status !== null && status >= 400 && status < 500 ? { status } : {};

/** The client libraries of OpenAI and Anthropic try a 5xx again, unless this tells them not to (`shouldRetry` of both, 2026-11-23). */
const NO_RETRY = { "x-should-retry": "false" } as const;

/** What the operator has to do about faults of the account. */
const REMEDIES: Partial<Record<ProviderFaultCode, string>> = {
  quota_exhausted: "top it up or raise its limit",
  credentials_refused: "see why it is refused",
  model_not_found: "get access to the model, or correct its `upstream_model`",
};

/** ` (HTTP 400, code unsupported_value, field temperature)`, with the known parts. */
function replied({ status, upstreamCode, upstreamParam }: ProviderFault): string {
  const facts = [
    ...(status === null ? [] : [`HTTP ${status}`]),
    ...(upstreamCode === null ? [] : [`code ${upstreamCode}`]),
    ...(upstreamParam === null ? [] : [`field ${upstreamParam}`]),
  ];
  return facts.length === 0 ? "" : ` (${facts.join(", ")})`;
}

/** A call that failed. */
export interface CallFailure {
  readonly attempt: Attempt;
  readonly fault: ProviderFault;
}

interface FailureCause {
  readonly provider: string;
  /** Null when unknown. */
  readonly code: ProviderFaultCode | null;
}

export interface FailureContext {
  /** The calls that failed, in order. */
  readonly failures: readonly CallFailure[];
  /** Of each deployment that was not called, its last failure before. */
  readonly blocked: readonly FailureCause[];
  /** What to do where a provider refuses its credentials: "check the value of OPENAI_API_KEY". */
  readonly remedyOf: (provider: string) => string;
  /** The time limit of the request was reached. */
  readonly deadlinePassed: boolean;
  /** Earliest time at which a provider may be called again, as far as it is known. */
  readonly retryAfterMs: number | null;
}

/** Error when no attempt produced an answer. */
export function failureError(
  attempts: readonly Attempt[],
  { failures, blocked, remedyOf, deadlinePassed, retryAfterMs }: FailureContext,
): SextantError {
  const called = failures.map(({ attempt, fault }) => ({ provider: attempt.provider, code: fault.code }));
  const causes: readonly FailureCause[] = [...called, ...blocked];
  const all = (code: ProviderFaultCode): boolean =>
    causes.length > 0 && causes.every((one) => one.code === code);
  const isLimited = !deadlinePassed && all("rate_limited");
  const least = isLimited && { retry_after: DEFAULT_RETRY_AFTER_SECONDS };
  const extra = { attempts, ...least, ...retryAfterOf(retryAfterMs) };
  const failed = (code: ErrorCode, what: string, remedy: string, headers = {}): SextantError =>
    new SextantError(code, `${what} ${listed(attempts, saidBy(failures))} ${remedy}`, {
      safeMessage: `${what} ${listed(attempts, new Map())} ${remedy}`,
      extra,
      headers,
    });
  if (deadlinePassed) {
    const what = "The time limit of the request was reached before a model answered.";
    return failed("upstream_timeout", what, "Try again later.");
  }
  if (isLimited) {
    const remedy = "Try again after the time in `Retry-After`, or name other `fallbacks`.";
    return failed("upstream_rate_limited", "Every provider asked for fewer requests.", remedy);
  }
  const needed = causes.map(({ provider, code }) => {
    const remedy = code === null ? undefined : REMEDIES[code];
    const where = code === "credentials_refused" ? ` (${remedyOf(provider)})` : "";
    return remedy && `the account at ${JSON.stringify(provider)}: ${remedy}${where}`;
  });
  const others = all("reply_too_large") ? SHORTER : "Try again later, or name other `fallbacks`.";
  const operator = [...new Set(needed.flatMap((remedy) => remedy ?? []))].join("; ");
  if (operator === "") {
    return failed(all("timeout") ? "upstream_timeout" : "upstream_error", "No model answered.", others);
  }
  const isLasting = !needed.includes(undefined);
  const remedy = `${isLasting ? "Name other `fallbacks`." : others} The operator of this server has to attend to ${operator}.`;
  return failed("upstream_error", "No model answered.", remedy, isLasting ? NO_RETRY : {});
}

/** What the provider said in each attempt, as far as it said anything; nothing of credentials, which are not the caller's. */
const saidBy = (failures: readonly CallFailure[]): ReadonlyMap<Attempt, string> =>
  new Map(
    failures.flatMap(({ attempt, fault: { code, upstreamMessage } }) =>
      upstreamMessage === null || code === "credentials_refused" ? [] : [[attempt, upstreamMessage] as const],
    ),
  );

/** What to do about `reply_too_large`. */
const SHORTER =
  "The provider sent more than the settings allow. Ask for a shorter answer with `max_tokens`; the operator of this server can raise " +
  "SEXTANT_UPSTREAM_MAX_REPLY_BYTES.";

/** For a 429 without a wait. */
const DEFAULT_RETRY_AFTER_SECONDS = 1;

/** Error when an answer breaks off after its first content, when there is no fallback. */
export function brokenOffError(fault: ProviderFault, attempts: readonly Attempt[]): SextantError {
  const code: ErrorCode = fault.code === "timeout" ? "upstream_timeout" : "upstream_error";
  const provider = JSON.stringify(attempts.at(-1)?.provider ?? "");
  const what = `The answer of the provider ${provider} broke off before its end (${fault.code})`;
  const said = fault.upstreamMessage;
  const remedy = fault.code === "reply_too_large" ? SHORTER : "Try again.";
  return new SextantError(code, said === null ? `${what}. ${remedy}` : `${what}: ${said}`, {
    safeMessage: `${what}. ${remedy}`,
    extra: { attempts },
    cause: fault,
  });
}

/** Most attempts listed in a message; the error's `attempts` has them all. */
const MAX_LISTED = 6;

/** Most characters of what providers said in a message, all together. */
const MOST_SAID_CHARACTERS = 2000;

/** Each attempt with what its provider said; the same words are given once. */
function listed(attempts: readonly Attempt[], said: ReadonlyMap<Attempt, string>): string {
  const shown = attempts.slice(0, MAX_LISTED);
  const texts = new Set(shown.flatMap((attempt) => said.get(attempt) ?? []));
  const most = Math.floor(MOST_SAID_CHARACTERS / Math.max(1, texts.size));
  const lines = shown.map((attempt) => {
    const { provider, model, code, status, message, retirement } = attempt;
    const then = retirement?.successor ? `, then ${retirement.successor}` : "";
    const retires = retirement === undefined ? "" : ` (retires on ${retirement.from}${then})`;
    const why = status !== null ? `HTTP ${status}` : message?.startsWith("not called: ") ? message : "";
    const line = `${provider} ${model}${retires}: ${code}${why === "" ? "" : ` (${why})`}`;
    const text = said.get(attempt);
    if (text === undefined || !texts.delete(text)) return line;
    return `${line}: ${text.length <= most ? text : `${text.slice(0, most - 1)}…`}`;
  });
  if (attempts.length > MAX_LISTED) lines.push(`and ${attempts.length - MAX_LISTED} more`);
  return lines.length === 0 ? "" : `${lines.join("; ").replace(/\.$/, "")}.`;
}

/** Seconds, rounded up to a millisecond. */
const retryAfterOf = (milliseconds: number | null): { readonly retry_after?: number } =>
  milliseconds === null ? {} : { retry_after: Math.ceil(milliseconds) / 1000 };
