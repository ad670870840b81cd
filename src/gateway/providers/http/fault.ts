import { isJsonObject, type JsonObject, memberOf, objectsIn, parsedJson } from "../chat.js";
import {
  FAULTS,
  ProviderFault,
  type ProviderFaultCode,
  type ProviderFaultDetails,
  type ReplyHeaders,
} from "../provider.js";
import { callerMessage } from "./caller-message.js";
import { waitMs } from "./retry-after.js";

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

const anyOf = (...patterns: readonly string[]): RegExp => new RegExp(patterns.join("|"), "i");

/**
 * What an error says beyond its status, by one of its identifiers or the head of its message. What makes a plain refusal a fault of the
 * account begins the message, where no prompt is quoted. Gemini's "You exceeded your current quota" is also said of limits of a minute.
 * Sources without a date were read on 2026-11-28. Most vendors need none of these for an account that cannot pay: 402,
 * https://api-docs.deepseek.com/quick_start/error_codes, https://docs.mistral.ai/resources/error-glossary.
 */
const SAYS = {
  // What the caller named and the vendor has not, or no host behind OpenRouter can do.
  request_refused: anyOf(
    "\\b(?:item|response|conversation|container|vector store|batch)\\b.{0,100} not (?:found|exist)", // OpenAI: https://github.com/vercel/ai/issues/7543 (2025-07-25)
    "\\bfile\\b.{0,100} not (?:found|exist)|^No such file", // Gemini, 403: https://github.com/googleapis/python-genai/issues/1218 (2025-08-06)
    "^No (?:endpoints found that support|allowed providers are available) ", // OpenRouter: https://github.com/openclaw/openclaw/pull/99079 (2026-07-02)
  ),
  quota_exhausted: anyOf(
    "^(?:insufficient_quota|billing_hard_limit_reached|billing_not_active|billing_error)$",
    "^(?:credit_balance_exhausted|(?:organization|project)_(?:spend|usage)_limit_exceeded)$", // https://developers.openai.com/api/docs/guides/error-codes
    "^Your credit balance is too low", // Anthropic, 400: https://github.com/anthropics/claude-code/issues/88711 (August 2026)
    "^You have reached your specified (?:workspace )?API usage limits", // Anthropic, 400: https://github.com/laravel/ai/pull/864 (2026-08-11)
    "^enforced_spend_limit_reached$", // Anthropic, 429: https://platform.claude.com/docs/en/api/rate-limits
    "^Your team .{0,80}has either used all available credits", // xAI, 429 or 403: https://github.com/warpdotdev/warp/issues/14867 (August 2026)
    "^exceeded_current_quota_error$|^insufficient_user_quota$", // relays, 403: https://github.com/Alishahryar1/free-claude-code/issues/1543 (2026-08-24); Moonshot, 429: https://github.com/MoonshotAI/kimi-code/pull/1857 (2026-07-17)
    "^Account .{1,64} is suspended", // Fireworks, 412: https://github.com/FerroxLabs/wayland/issues/545 (2026-07-02)
    "^Key limit exceeded|^Workspace \\w+ budget of ", // OpenRouter, 403: https://openrouter.ai/docs/guides/features/workspaces/workspace-budgets
    "^Your prepayment credits are depleted", // Gemini, 429 before 402: https://discuss.ai.google.dev/t/183654
    "^(?:\\[\\d+\\]\\[)?Insufficient balance\\b", // Z.AI, 429: https://github.com/zai-org/feedback/issues/789 (2026-09-22)
    "^Insufficient quota\\b", // Novita, 400: https://github.com/experientiallabs/experiential/pull/993 (2026-09-16)
    "^You(?: have|'ve) reached your (?:\\w+ )?usage limit", // Ollama: https://github.com/perminder-klair/subwave/pull/440 (2026-06-18)
    "^Arrearage$", // Alibaba, 400: https://github.com/alibaba/spring-ai-alibaba/issues/1146 (2025-06-10)
  ),
  // OpenAI, vLLM, Mistral, Anthropic, Gemini, xAI, llama.cpp, Fireworks and Together, with 403: https://docs.together.ai/docs/error-codes.
  context_length_exceeded: anyOf(
    "^(?:context_length_exceeded|context_window_exceeded|exceed_context_size_error|model_max_prompt_tokens_exceeded)$",
    "maximum context length|prompt is too long|maximum prompt length",
    "exceeds? the (?:available |model's )?(?:maximum )?context|exceeds? (?:the )?context limit",
    "input token count.{0,40}exceeds the maximum|inputs?`? tokens \\+ `?max_new_tokens",
    "input is too long for requested model", // Bedrock: https://github.com/continuedev/continue/issues/9592 (2026-01-16)
    "context size has been exceeded", // llama.cpp, 500: https://github.com/ggml-org/llama.cpp/issues/19774 (2026-02-21)
    "exceeded model token limit", // Kimi: https://github.com/MoonshotAI/kimi-cli/issues/2011 (2026-04-22)
    "longer than the model's context length", // SGLang: https://github.com/QwenLM/Qwen3/issues/1321 (2025-04-29)
    "exceeds the maximum allowed length", // SGLang: https://github.com/sgl-project/sglang/issues/4048 (2025-06-20)
    "prompt too long; exceeded max context", // Ollama: https://github.com/openclaw/openclaw/pull/36074 (2026-03-05)
    // MiniMax: https://github.com/earendil-works/pi/issues/6061 (2026-06-25); LiteLLM: https://github.com/anomalyco/opencode/pull/44889 (2026-08-25)
    "context window exceed(?:s limit|ed)",
    "prompt exceeds max length", // Z.AI: https://github.com/mangowhoiscloud/geode/pull/668 (2026-04-05)
    "tokens in request more than max tokens", // Z.AI: https://github.com/NousResearch/hermes-agent/pull/61728 (2026-07-10)
    "reduce the length of the messages", // Cerebras: https://github.com/cline/cline/issues/5140 (2025-07-24)
    // LM Studio: https://github.com/tinyhumansai/openhuman/issues/3550 (2026-06-09)
    "greater than the context length|loaded with context length of only",
    "^too many tokens: ", // Cohere: https://github.com/pydantic/pydantic-ai/pull/4221 (2026-08-04)
    "prompt token count of \\d+ exceeds the limit", // Copilot: https://github.com/ericc-ch/copilot-api/issues/210 (2026-03-13)
  ),
  content_filter: anyOf(
    "^(?:content_filter|content_policy_violation|ResponsibleAIPolicyViolation|moderation_blocked)$", // OpenAI, Azure
    "^Content violates usage guidelines", // xAI, 403: https://github.com/theopenco/llmgateway/pull/1785 (2026-03-03)
    "requires moderation\\b|^Request blocked: ", // OpenRouter, 403: https://openrouter.ai/docs/errors
  ),
  model_not_found: anyOf(
    "^(?:model_not_found|invalid_model|model_not_available)$",
    "^Your organization must be verified to ", // OpenAI, 400: https://github.com/continuedev/continue/issues/7129 (2025-08-13)
    "^Project \\S+ is not allowed to use Publisher Model", // Vertex, 400: https://github.com/firebase/flutterfire/issues/17263 (2025-04-08)
    "^Invocation of model ID \\S+ with on-demand throughput", // Bedrock, 400: https://github.com/anthropics/claude-code/issues/1466 (2025-06-03)
  ),
  credentials_refused: anyOf(
    "^API key (?:not valid|expired)|^User location is not supported", // Gemini: https://github.com/tashfeenahmed/freellmapi/pull/285 (2026-06-11)
    "^Incorrect API key", // xAI
    "^This organization has been disabled", // Anthropic: https://github.com/router-for-me/CLIProxyAPI/issues/2442 (2026-03-31)
    "^organization_restricted$", // Groq: https://github.com/songquanpeng/one-api/issues/1764 (2024-08-24)
  ),
} as const;

type Said = keyof typeof SAYS;

/** What a status may turn out to mean, in the order in which it is looked for. */
const MAY_MEAN: Partial<Record<ProviderFaultCode, readonly Said[]>> = {
  rate_limited: ["quota_exhausted"],
  server_error: ["quota_exhausted", "context_length_exceeded"],
  model_not_found: ["request_refused"],
  credentials_refused: Object.keys(SAYS) as Said[],
  request_refused: (Object.keys(SAYS) as Said[]).slice(1),
};

/** Errors inside a successful reply have no status, and are classified by these identifiers. */
const FAULTS_BY_IDENTIFIER: ReadonlyMap<string, ProviderFaultCode> = new Map([
  ["rate_limit_exceeded", "rate_limited"],
  ["rate_limit_error", "rate_limited"],
  ["RESOURCE_EXHAUSTED", "rate_limited"],
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
  if (status === 503 || status === 529 || status === 498) return "overloaded";
  if (status >= 500 || status === 408 || status === 409) return "server_error";
  if (status === 402) return "quota_exhausted";
  if (status === 401 || status === 403) return "credentials_refused";
  if (status === 404 || status === 410) return "model_not_found";
  // Redirects are not followed: they would send the key to an address that was not configured.
  return status >= 400 ? "request_refused" : "invalid_reply";
}

/** A more specific fault for a refusal whose error says why. */
function refine(code: ProviderFaultCode, { identifiers, param, message }: ErrorWords): ProviderFaultCode {
  if (code === "model_not_found" && param !== null && param !== "model") return "request_refused";
  const said = [...identifiers, message.slice(0, MESSAGE_HEAD)];
  return MAY_MEAN[code]?.find((meant) => said.some((text) => SAYS[meant].test(text))) ?? code;
}

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
  // Mistral numbers its error codes; Azure's content filter and Anthropic's spend limit hide their names one level deeper.
  const named = status !== null ? null : typeof code === "number" ? String(code) : code;
  const inside = memberOf(inner?.innererror, "code") ?? memberOf(inner?.details, "error_code");
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
    .filter(({ msg }) => typeof msg === "string")
    .map(({ loc, msg }) => (Array.isArray(loc) ? `${loc.join(".")}: ${msg}` : msg))
    .join("; ");
}

function isIdentifier(value: unknown): value is string {
  return typeof value === "string" && IDENTIFIER.test(value);
}

function asObject(value: unknown): JsonObject | null {
  return isJsonObject(value) ? value : null;
}
