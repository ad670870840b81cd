import { type ChatBody, isJsonObject, type JsonObject, memberOf, textOf } from "../chat.js";
import { type ProviderCall, ProviderFault } from "../provider.js";
import { NEUTRAL_VALUES, nameFields, type Quirks, REASONING_MODEL } from "./quirks.js";
import { sentMessages } from "./sent-messages.js";

export type TokenLimitField = "as_sent" | "max_tokens" | "max_completion_tokens";

/** The body to send for a call. Fields without a quirk go as they came. */
export function requestBody(
  call: ProviderCall,
  { quirks, tokenLimitField }: { readonly quirks: Quirks; readonly tokenLimitField: TokenLimitField },
): JsonObject {
  // A member that is undefined is not written.
  const body: Record<string, unknown> = {
    ...call.body,
    model: call.upstreamModel,
    stream: call.stream ? true : undefined,
    stream_options: call.stream ? streamOptions(call.body.stream_options, quirks) : undefined,
  };
  if (call.api === "completions") {
    // A prompt that is no single text is there already.
    body.prompt ??= promptOf(call.body);
    body.messages = undefined;
    // Chat says in a flag whether log probabilities are wanted, and beside it how many; here the number says both.
    body.logprobs = body.logprobs === true ? (body.top_logprobs ?? 0) : undefined;
    body.top_logprobs = undefined;
  } else body.messages = sentMessages(call.body.messages, { ...quirks, upstreamModel: call.upstreamModel });
  if (Array.isArray(body.tools) && body.tools.length === 0) body.tools = undefined;
  if (body.tools === undefined && body.functions === undefined) dropToolSettings(body);
  nameTokenLimit(body, tokenLimitField);
  nameFields(body, quirks);
  for (const name of quirks.droppedNeutral) {
    if (body[name] === NEUTRAL_VALUES[name]) body[name] = undefined;
  }
  return body;
}

/** They ask for nothing without tools, and OpenAI refuses them then. github.com/anomalyco/opencode/pull/48857 (2026-09-13) */
function dropToolSettings(body: Record<string, unknown>): void {
  body.parallel_tool_calls = undefined;
  if (body.tool_choice === "auto" || body.tool_choice === "none") body.tool_choice = undefined;
}

function streamOptions(wanted: unknown, { streamUsage }: Quirks): JsonObject | undefined {
  if (streamUsage === "unasked") return undefined;
  return { ...(isJsonObject(wanted) ? wanted : {}), include_usage: true };
}

/** One name is sent, even to a client that sends both: providers refuse that, and the newer name is what it means. */
function nameTokenLimit(body: Record<string, unknown>, field: TokenLimitField): void {
  const { max_tokens: older, max_completion_tokens: newer } = body;
  if (field === "as_sent" && (older === undefined || newer === undefined)) return;
  body.max_tokens = undefined;
  body.max_completion_tokens = undefined;
  body[field === "max_completion_tokens" ? field : "max_tokens"] = newer ?? older;
}

/** The text of the only user message. */
function promptOf({ messages }: ChatBody): string {
  const [message] = messages;
  const text = messages.length === 1 && message?.role === "user" ? onlyText(message.content) : null;
  if (text !== null) return text;
  throw new ProviderFault(
    "request_refused",
    "the model takes a prompt, not a conversation: send one user message that is only text",
  );
}

/** Null for content that is not text alone. */
function onlyText(content: unknown): string | null {
  const isText = (part: unknown) =>
    memberOf(part, "type") === "text" && typeof memberOf(part, "text") === "string";
  return typeof content === "string" || (Array.isArray(content) && content.every(isText))
    ? textOf(content)
    : null;
}

/** Which of its two names the limit of generated tokens has for a model, as far as the model's name tells. */
export function tokenLimitField(
  { api, upstreamModel }: Pick<ProviderCall, "api" | "upstreamModel">,
  { tokenLimitField: rule }: Pick<Quirks, "tokenLimitField">,
): TokenLimitField {
  if (api === "completions") return "max_tokens";
  if (rule !== "by_model") return rule;
  return REASONING_MODEL.test(upstreamModel) ? "max_completion_tokens" : "as_sent";
}
