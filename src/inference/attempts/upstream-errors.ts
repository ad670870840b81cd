import type { Deployment } from "../../catalog/deployment.js";
import { type ErrorCode, SextantError } from "../../foundation/errors.js";
import type { ProviderFault } from "../../providers/provider.js";
import type { Attempt } from "../../traces/trace.js";

export interface RefusalContext {
  readonly attempts: readonly Attempt[];
  /** What would give the provider working credentials: "set OPENAI_API_KEY". */
  readonly remedy: string | undefined;
}

/** Error for a fault that no retry would resolve. Contains none of the upstream's own text. */
export function refusalError(
  fault: ProviderFault,
  deployment: Deployment,
  context: RefusalContext,
): SextantError {
  const { attempts, remedy } = context;
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
  const { code, message, param } = clientMistake(fault, provider, JSON.stringify(deployment.model));
  return new SextantError(code, message, { ...(param === null ? {} : { param }), cause: fault });
}

interface ClientMistake {
  readonly code: ErrorCode;
  readonly message: string;
  readonly param: string | null;
}

function clientMistake(fault: ProviderFault, provider: string, model: string): ClientMistake {
  if (fault.code === "context_length_exceeded") {
    const message =
      `Prompt and answer are longer than ${model} at ${provider} allows${replied(fault)}. Shorten the prompt, ask for a ` +
      "shorter answer, or choose a model with a larger context window.";
    return { code: "context_length_exceeded", message, param: "messages" };
  }
  if (fault.code === "model_not_found") {
    const message =
      `The provider ${provider} does not know the model ${model}${replied(fault)}. Choose another one; whoever runs this ` +
      "server may have to correct its `upstream_model`.";
    return { code: "model_not_found", message, param: "model" };
  }
  if (fault.status === TOO_LARGE) {
    const message = `The request is larger than the provider ${provider} accepts${replied(fault)}. Send a smaller one.`;
    return { code: "request_too_large", message, param: null };
  }
  if (fault.status === null) {
    // It was never sent: the adapter has no form for it, and says why in words of its own.
    const message = `The request cannot be sent to the provider ${provider}: ${fault.message}. Change that, or ask another model.`;
    return { code: "invalid_request", message, param: fault.upstreamParam };
  }
  const message = `The provider ${provider} refused the request${replied(fault)}. Change what it refused, or ask another model.`;
  return { code: "invalid_request", message, param: fault.upstreamParam };
}

const PAYMENT_REQUIRED = 402;
const TOO_LARGE = 413;

/** ` (HTTP 400, code unsupported_value, field temperature)`, as far as it is known. */
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
  /** When a provider may be asked again, as far as is known. */
  readonly retryAfterMs: number | null;
}

/** Error when no attempt produced an answer. */
export function failureError(
  attempts: readonly Attempt[],
  { deadlinePassed, retryAfterMs }: FailureContext,
): SextantError {
  const made = attempts.filter(({ code }) => code !== "circuit_open");
  const timedOut = deadlinePassed || (made.length > 0 && made.every(({ code }) => code === "timeout"));
  return new SextantError(
    timedOut ? "upstream_timeout" : "upstream_error",
    deadlinePassed
      ? `The time for the whole request was up before a model answered. ${listed(attempts)} Try again later.`
      : `No model answered. ${listed(attempts)} Try again later, or name other \`fallbacks\`.`,
    { extra: { attempts, ...retryAfterOf(retryAfterMs) } },
  );
}

/** Error when an answer breaks off after its first content, when no other model can take over. */
export function brokenOffError(fault: ProviderFault, attempts: readonly Attempt[]): SextantError {
  const code: ErrorCode = fault.code === "timeout" ? "upstream_timeout" : "upstream_error";
  const provider = attempts.at(-1)?.provider ?? "";
  return new SextantError(
    code,
    `The answer of the provider ${JSON.stringify(provider)} broke off before its end (${fault.code}). Try again.`,
    { extra: { attempts }, cause: fault },
  );
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
