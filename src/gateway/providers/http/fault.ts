import { isJsonObject, type JsonObject, memberOf, objectsIn, parsedJson } from "../chat.js";
import {
  FAULTS,
  ProviderFault,
  type ProviderFaultCode,
  type ProviderFaultDetails,
  type ReplyHeaders,
} from "../provider.js";
import { callerMessage } from "./caller-message.js";
import { usedUpForMs } from "./rate-limit-headers.js";

/** A reply that was read whole. */
export interface TextReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly text: string;
}

/** What the members of an upstream's error object say, wherever they were found. */
interface ErrorWords {
  /** Short identifiers, the most specific first. */
  readonly identifiers: readonly string[];
  readonly param: string | null;
  readonly message: string;
  /** An HTTP status given as the error's `code`, as OpenRouter and Gemini do. */
  readonly status: number | null;
}

const IDENTIFIER = /^[\w.\-[\]]{1,64}$/;

/** Messages may quote a long prompt after the words that matter: only that much is searched for them. */
const MESSAGE_HEAD = 1000;

const CONTEXT_IDENTIFIERS: ReadonlySet<string> = new Set([
  "context_length_exceeded",
  "context_window_exceeded",
  "exceed_context_size_error",
  "model_max_prompt_tokens_exceeded",
]);

/**
 * How OpenAI, vLLM, Mistral, Anthropic, Gemini, xAI, llama.cpp, Fireworks and Together word a prompt that is too long;
 * Bedrock: https://github.com/continuedev/continue/issues/9592 (2026-01-16); Kimi:
 * https://github.com/MoonshotAI/kimi-cli/issues/2011 (2026-04-22); SGLang: https://github.com/QwenLM/Qwen3/issues/1321 (2025-04-29),
 * https://github.com/sgl-project/sglang/issues/4048 (2025-06-20); Ollama: https://github.com/openclaw/openclaw/pull/36074 (2026-03-05);
 * MiniMax: https://github.com/earendil-works/pi/issues/6061 (2026-06-25); Z.AI: https://github.com/mangowhoiscloud/geode/pull/668
 * (2026-04-05), https://github.com/NousResearch/hermes-agent/pull/61728 (2026-07-10); Cerebras:
 * https://github.com/cline/cline/issues/5140 (2025-07-24); LM Studio: https://github.com/tinyhumansai/openhuman/issues/3550
 * (2026-06-09); Cohere: https://github.com/pydantic/pydantic-ai/pull/4221 (2026-08-04); Copilot:
 * https://github.com/ericc-ch/copilot-api/issues/210 (2026-03-13); LiteLLM: https://github.com/anomalyco/opencode/pull/44889 (2026-08-25).
 */
const CONTEXT_MESSAGE = new RegExp(
  [
    "maximum context length",
    "prompt is too long",
    "input is too long for requested model",
    "maximum prompt length",
    "exceeds? the (?:available |model's )?(?:maximum )?context",
    "exceeds? (?:the )?context limit",
    "input token count.{0,40}exceeds the maximum",
    "inputs?`? tokens \\+ `?max_new_tokens",
    "exceeded model token limit",
    "longer than the model's context length",
    "exceeds the maximum allowed length",
    "prompt too long; exceeded max context",
    "context window exceed(?:s limit|ed)",
    "prompt exceeds max length",
    "tokens in request more than max tokens",
    "reduce the length of the messages",
    "greater than the context length",
    "loaded with context length of only",
    "^too many tokens: ",
    "prompt token count of \\d+ exceeds the limit",
  ].join("|"),
  "i",
);

/** Gemini and xAI refuse a key with 400. */
const CREDENTIALS_MESSAGE = /^(?:API key not valid|Incorrect API key)/i;

/** A quota that is spent, rather than a rate that is exceeded. OpenAI's and its imitators' names. */
const QUOTA_IDENTIFIERS: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "billing_hard_limit_reached",
  "billing_error",
]);

/**
 * An account without credit, where neither status nor identifier says so (threads read on 2026-11-23): Anthropic answers 400
 * `invalid_request_error` (https://github.com/anthropics/claude-code/issues/88711, August 2026), xAI 429
 * (https://github.com/continuedev/continue/issues/10740, February 2026) and since then 403
 * (https://github.com/warpdotdev/warp/issues/14867, August 2026). Gemini's "You exceeded your current quota" is no such text:
 * its limits of a minute use it too. Everybody else answers 402: https://api-docs.deepseek.com/quick_start/error_codes.
 */
const QUOTA_MESSAGE =
  /^Your credit balance is too low|has either used all available credits or reached its monthly spending limit/i;

const PAYMENT_REQUIRED = 402;

/** OpenAI's and Azure's names for a prompt that a content filter stopped. */
const FILTER_IDENTIFIERS: ReadonlySet<string> = new Set([
  "content_filter",
  "content_policy_violation",
  "ResponsibleAIPolicyViolation",
  "moderation_blocked",
]);

const MODEL_IDENTIFIERS: ReadonlySet<string> = new Set([
  "model_not_found",
  "invalid_model",
  "model_not_available",
]);

/** OpenRouter's 404 where the model's hosts lack what is asked: https://github.com/openclaw/openclaw/pull/99079 (2026-07-02). */
const LACKS_MESSAGE = /^No endpoints found that support /;

/** Errors inside a successful reply have no status, and are classified by these identifiers. */
const FAULTS_BY_IDENTIFIER: ReadonlyMap<string, ProviderFaultCode> = new Map([
  ["rate_limit_exceeded", "rate_limited"],
  ["rate_limit_error", "rate_limited"],
  ["RESOURCE_EXHAUSTED", "rate_limited"],
  ["insufficient_quota", "quota_exhausted"],
  ["billing_error", "quota_exhausted"],
  ["overloaded_error", "overloaded"],
  ["UNAVAILABLE", "overloaded"],
  ["invalid_request_error", "request_refused"],
  ["request_too_large", "request_refused"],
  ["authentication_error", "credentials_refused"],
  ["permission_error", "credentials_refused"],
  ["not_found_error", "model_not_found"],
]);

/**
 * The fault that a reply with a status other than 2xx stands for; its body may be anything.
 *
 * @param options.nowMs milliseconds since the epoch, for a `Retry-After` that is a date
 */
export function faultOf(reply: TextReply, options: { readonly nowMs: number }): ProviderFault {
  const body = parsedJson(reply.text);
  const words = readError(body);
  const code = refine(codeOfStatus(reply.status), words);
  return fault(code, words, {
    status: reply.status,
    retryAfterMs: waitMs(reply, { ...options, body }),
    reportedUsage: asObject(body)?.usage,
  });
}

/**
 * The fault that an error object inside a successful reply or stream stands for: `server_error` unless it says more.
 *
 * @param body the object with the member `error`, or the error itself
 */
export function faultInReply(body: unknown): ProviderFault {
  const words = readError(body);
  const named = words.identifiers.map((identifier) => FAULTS_BY_IDENTIFIER.get(identifier));
  const byName = named.find((code) => code !== undefined) ?? "server_error";
  const code = words.status === null ? byName : codeOfStatus(words.status);
  const reportedUsage = asObject(body)?.usage;
  return fault(refine(code, words), words, { status: 200, retryAfterMs: null, reportedUsage });
}

function fault(
  code: ProviderFaultCode,
  { identifiers, param, message }: ErrorWords,
  details: Pick<ProviderFaultDetails, "retryAfterMs" | "reportedUsage"> & { readonly status: number },
): ProviderFault {
  const upstreamCode = identifiers[0] ?? null;
  const said = upstreamCode === null ? "" : `, code ${upstreamCode}`;
  return new ProviderFault(code, `${FAULTS[code].words} (status ${details.status}${said})`, {
    ...details,
    upstreamCode,
    upstreamParam: param,
    upstreamMessage: callerMessage(message),
  });
}

function codeOfStatus(status: number): ProviderFaultCode {
  if (status === 429) return "rate_limited";
  if (status === 503 || status === 529) return "overloaded";
  if (status >= 500 || status === 408 || status === 409) return "server_error";
  if (status === PAYMENT_REQUIRED) return "quota_exhausted";
  if (status === 401 || status === 403) return "credentials_refused";
  if (status === 404) return "model_not_found";
  // Redirects are not followed: they would send the key to an address that was not configured.
  return status >= 400 ? "request_refused" : "invalid_reply";
}

/** A more specific fault for a refusal whose error says why. */
function refine(code: ProviderFaultCode, { identifiers, message }: ErrorWords): ProviderFaultCode {
  const names = (known: ReadonlySet<string>): boolean => identifiers.some((name) => known.has(name));
  const head = message.slice(0, MESSAGE_HEAD);
  if (MAYBE_QUOTA.has(code) && (names(QUOTA_IDENTIFIERS) || QUOTA_MESSAGE.test(head)))
    return "quota_exhausted";
  if (code === "model_not_found" && LACKS_MESSAGE.test(head)) return "request_refused";
  if (code !== "request_refused") return code;
  if (names(CONTEXT_IDENTIFIERS) || CONTEXT_MESSAGE.test(head)) return "context_length_exceeded";
  if (names(FILTER_IDENTIFIERS)) return "content_filter";
  if (names(MODEL_IDENTIFIERS)) return "model_not_found";
  return CREDENTIALS_MESSAGE.test(head) ? "credentials_refused" : code;
}

/** Faults whose error may say that the account has nothing left. */
const MAYBE_QUOTA: ReadonlySet<ProviderFaultCode> = new Set([
  "rate_limited",
  "credentials_refused",
  "request_refused",
]);

/** Reads `{"error": {…}}`, `{"error": "…"}`, `[{"error": {…}}]` (Gemini) and error objects without a wrapping. */
function readError(body: unknown): ErrorWords {
  const outer = asObject(Array.isArray(body) ? body[0] : body);
  const inner = asObject(outer?.error) ?? outer;
  const raw = rawOf(inner);
  if (raw !== null) return raw;
  const message = inner?.message ?? outer?.error ?? inner?.detail;
  // FastAPI's servers answer with a list of what is wrong, Mistral with one inside the message:
  // https://github.com/editor-code-assistant/eca/issues/315 (2026-02-18).
  const shown = typeof message === "string" ? message : listedMessages(asObject(message)?.detail ?? message);
  const code = inner?.code;
  const status = typeof code === "number" && code >= 400 && code < 600 ? code : null;
  // Mistral numbers its error codes; Azure's content filter hides its name one level deeper.
  const named = status !== null ? null : typeof code === "number" ? String(code) : code;
  const inside = memberOf(inner?.innererror, "code");
  return {
    identifiers: [named, inside, inner?.type, inner?.status].filter(isIdentifier),
    param: isIdentifier(inner?.param) ? inner.param : null,
    message: shown,
    status,
  };
}

/**
 * What the vendor behind OpenRouter answered, which stands in `metadata.raw` of "Provider returned error":
 * https://github.com/xinnan-tech/xiaozhi-esp32-server/issues/1466 (2025-06-04). Null when it says nothing.
 */
function rawOf(error: JsonObject | null): ErrorWords | null {
  const raw = asObject(error?.metadata)?.raw;
  const words = typeof raw === "string" && raw.length <= MOST_RAW ? readError(parsedJson(raw)) : null;
  if (words === null || words.message === "") return null;
  return { ...words, status: typeof error?.code === "number" ? error.code : words.status };
}

/** Characters; longer ones are no error objects. */
const MOST_RAW = 100_000;

/** `detail: [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]`, as FastAPI words it; else empty. */
function listedMessages(details: unknown): string {
  return objectsIn(details)
    .flatMap(({ loc, msg }) => {
      if (typeof msg !== "string") return [];
      return [Array.isArray(loc) ? `${loc.join(".")}: ${msg}` : msg];
    })
    .join("; ");
}

function isIdentifier(value: unknown): value is string {
  return typeof value === "string" && IDENTIFIER.test(value);
}

function asObject(value: unknown): JsonObject | null {
  return isJsonObject(value) ? value : null;
}

/** How long the upstream asks to wait; for a 429 that does not say, until the limits that it says are used up are full again. */
function waitMs(
  { status, headers }: TextReply,
  { nowMs, body }: { readonly nowMs: number; readonly body: unknown },
): number | null {
  const asked = retryAfterMs(headers, nowMs) ?? retryDelayMs(body);
  return asked === null && status === 429 ? usedUpForMs(headers, nowMs) : asked;
}

/** `retry-after-ms`, or `Retry-After` in seconds or as a date; null without one that can be read. Never negative. */
function retryAfterMs(headers: ReplyHeaders, nowMs: number): number | null {
  const exact = decimal(headers["retry-after-ms"]);
  if (exact !== null) return exact;
  const field = headers["retry-after"];
  const seconds = decimal(field);
  if (seconds !== null) return seconds * 1000;
  const date = typeof field === "string" && /^[A-Z][a-z]+, /.test(field) ? Date.parse(field) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}

/**
 * Gemini's wait, `{"error": {"details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36s"}]}}`, which no
 * header repeats (https://ai.google.dev/gemini-api/docs/troubleshooting, google.rpc.RetryInfo; read on 2026-11-23); else null.
 */
function retryDelayMs(body: unknown): number | null {
  const details = asObject(asObject(Array.isArray(body) ? body[0] : body)?.error)?.details;
  for (const { retryDelay: delay } of objectsIn(details)) {
    if (typeof delay === "string" && delay.endsWith("s")) {
      const seconds = decimal(delay.slice(0, -1));
      if (seconds !== null) return seconds * 1000;
    }
  }
  return null;
}

function decimal(field: ReplyHeaders[string]): number | null {
  return typeof field === "string" && /^\d{1,12}(\.\d{1,9})?$/.test(field.trim()) ? Number(field) : null;
}
