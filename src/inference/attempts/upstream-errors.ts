import type { Deployment } from "../../catalog/deployments/deployment.js";
import { type ErrorCode, SextantError } from "../../foundation/errors.js";
import type { ProviderFault } from "../../providers/provider.js";
import type { Attempt } from "../../traces/trace.js";

export interface RefusalContext {
  readonly attempts: readonly Attempt[];
  /** Where the provider's credentials are configured, for the case that it refused them: "check the value of OPENAI_API_KEY". */
  readonly remedy?: string;
  /** Field of the request with the model's input. Default: `messages`. */
  readonly promptParam?: "messages" | "input";
}

/**
 * Error for a fault that no retry would resolve. For a fault of the request, the caller gets the provider's own status
 * and message; for a fault of the account, only that it was one.
 */
export function refusalError(
  fault: ProviderFault,
  deployment: Deployment,
  { attempts, remedy, promptParam = "messages" }: RefusalContext,
): SextantError {
  const provider = JSON.stringify(deployment.provider);
  const ours = (message: string): SextantError =>
    new SextantError("upstream_error", message, { extra: { attempts }, cause: fault });
  if (fault.status === PAYMENT_REQUIRED) {
    return ours(
      `The account at the provider ${provider} has nothing left to pay with${replied(fault)}. Whoever runs this server ` +
        "has to top it up.",
    );
  }
  if (fault.code === "credentials_refused") {
    return ours(
      `The provider ${provider} refused the credentials configured for it${replied(fault)}. Whoever runs this server ` +
        `has to check them${remedy === undefined ? "" : `: ${remedy}`}.`,
    );
  }
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
    case "model_not_found":
      return {
        ...rejected,
        what: `The provider ${provider} does not know the model ${model}`,
        remedy: "Choose another one; whoever runs this server may have to correct its `upstream_model`.",
        param: "model",
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

const PAYMENT_REQUIRED = 402;

/** ` (HTTP 400, code unsupported_value, field temperature)`, with the known parts. */
function replied({ status, upstreamCode, upstreamParam }: ProviderFault): string {
  const facts = [
    ...(status === null ? [] : [`HTTP ${status}`]),
    ...(upstreamCode === null ? [] : [`code ${upstreamCode}`]),
    ...(upstreamParam === null ? [] : [`field ${upstreamParam}`]),
  ];
  return facts.length === 0 ? "" : ` (${facts.join(", ")})`;
}

export interface FailureContext {
  /** The time for the whole request was up. */
  readonly deadlinePassed: boolean;
  /** Earliest time at which a provider may be called again, as far as it is known. */
  readonly retryAfterMs: number | null;
}

/** Error when no attempt produced an answer. */
export function failureError(
  attempts: readonly Attempt[],
  { deadlinePassed, retryAfterMs }: FailureContext,
): SextantError {
  const made = attempts.filter(({ code }) => code !== "circuit_open");
  const all = (code: string): boolean => made.length > 0 && made.every((attempt) => attempt.code === code);
  const extra = { attempts, ...retryAfterOf(retryAfterMs) };
  if (!deadlinePassed && all("rate_limited")) {
    return new SextantError(
      "upstream_rate_limited",
      `Every provider asked for fewer requests. ${listed(attempts)} Try again after the time in \`Retry-After\`, or name other \`fallbacks\`.`,
      { extra: { retry_after: DEFAULT_RETRY_AFTER_SECONDS, ...extra } },
    );
  }
  return new SextantError(
    deadlinePassed || all("timeout") ? "upstream_timeout" : "upstream_error",
    deadlinePassed
      ? `The time for the whole request was up before a model answered. ${listed(attempts)} Try again later.`
      : `No model answered. ${listed(attempts)} ${all("reply_too_large") ? SHORTER : "Try again later, or name other `fallbacks`."}`,
    { extra },
  );
}

/** What to do about `reply_too_large`. */
const SHORTER =
  "The provider sent more than the settings allow. Ask for a shorter answer with `max_tokens`; whoever runs this server can raise " +
  "SEXTANT_UPSTREAM_MAX_REPLY_BYTES and SEXTANT_UPSTREAM_MAX_STREAM_BYTES.";

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

function listed(attempts: readonly Attempt[]): string {
  const lines = attempts
    .slice(0, MAX_LISTED)
    .map(
      ({ provider, model, code, status }) =>
        `${provider} ${model}: ${code}${status === null ? "" : ` (HTTP ${status})`}`,
    );
  if (attempts.length > MAX_LISTED) lines.push(`and ${attempts.length - MAX_LISTED} more`);
  return lines.length === 0 ? "" : `${lines.join("; ")}.`;
}

/** Seconds, rounded up to a millisecond. */
const retryAfterOf = (milliseconds: number | null): { readonly retry_after?: number } =>
  milliseconds === null ? {} : { retry_after: Math.ceil(milliseconds) / 1000 };
