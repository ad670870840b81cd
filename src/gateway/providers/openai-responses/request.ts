/** A chat request as a request of OpenAI's Responses API. */
import { type ChatBody, isJsonObject, type JsonObject } from "../chat.js";
import { type ProviderCall, refusal } from "../provider.js";
import { responsesInput } from "./input.js";

/**
 * What chat completions has and Responses has not: developers.openai.com/api/docs/guides/migrate-to-responses and the two
 * API references, 2026-11-23. Without these the answer would be another one. In each, what asks for nothing.
 */
const CHAT_ALONE: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: (value) => value === 1,
  stop: (value) => Array.isArray(value) && value.length === 0,
  logit_bias: (value) => isJsonObject(value) && Object.keys(value).length === 0,
  presence_penalty: (value) => value === 0,
  frequency_penalty: (value) => value === 0,
  audio: () => false,
  modalities: (value) => Array.isArray(value) && value.every((kind) => kind === "text"),
  functions: (value) => Array.isArray(value) && value.length === 0,
  function_call: () => false,
  web_search_options: () => false,
};

/** The same, but the answer is one without them too: a best effort, a saving, a floor. */
const LEFT_OUT = ["seed", "prediction"] as const;

/** The least that `max_output_tokens` may be: "Expected a value >= 16". github.com/earendil-works/pi/issues/6265, 2026-07-02 */
const LEAST_OUTPUT_TOKENS = 16;

/** The first field that chat completions alone can honour; null when Responses says it all. */
export function chatField(body: ChatBody): string | null {
  const refused = refusedField(body);
  if (refused !== null) return refused;
  const left = LEFT_OUT.find((name) => isSet(body[name]));
  if (left !== undefined) return left;
  // Streams of Responses give log probabilities without the bytes.
  if (body.logprobs === true) return "logprobs";
  return (tokenLimit(body) ?? LEAST_OUTPUT_TOKENS) < LEAST_OUTPUT_TOKENS ? "max_tokens" : null;
}

function refusedField(body: ChatBody): string | null {
  for (const name in CHAT_ALONE) {
    if (isSet(body[name]) && CHAT_ALONE[name]?.(body[name]) !== true) return name;
  }
  const at = body.messages.findIndex(isOldMessage);
  return at < 0 ? null : `messages[${at}]`;
}

/** Speech, and calls from before there were tools. */
function isOldMessage({ role, content, audio, function_call: call }: JsonObject): boolean {
  const speaks = (part: unknown): boolean => isJsonObject(part) && part.type === "input_audio";
  return (
    role === "function" || isSet(audio) || isSet(call) || (Array.isArray(content) && content.some(speaks))
  );
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

export interface RequestOptions {
  /** Id of the provider, whose sealed reasoning is sent back to it. */
  readonly provider: string;
  /** Whether the model reasons, so that its reasoning can be asked for. */
  readonly reasons: boolean;
}

/**
 * The body to send for a call. Nothing is kept by the provider unless `store` says so. Fields that both APIs have, and
 * unknown ones, go as they came.
 *
 * @throws ProviderFault `request_refused` naming what only chat completions has
 */
export function responsesBody(
  { upstreamModel, body, stream }: ProviderCall,
  { provider, reasons }: RequestOptions,
): JsonObject {
  const refused = refusedField(body);
  if (refused !== null) {
    throw refusal(
      refused,
      `is something that ${JSON.stringify(upstreamModel)} cannot be asked for: only OpenAI's chat completions have it, and the model, or the model with these tools, is served only by Responses; leave it out`,
    );
  }
  const { messages, tools, tool_choice: choice, store, ...fields } = body;
  const limit = tokenLimit(body);
  const passed = Object.entries(fields).filter(([name]) => !TRANSLATED.has(name));
  const hasTools = Array.isArray(tools) && tools.length > 0;
  // A member that is undefined is not written.
  return {
    ...Object.fromEntries(passed),
    model: upstreamModel,
    input: responsesInput(messages, { provider }),
    tools: hasTools ? tools.map(toolOf) : undefined,
    tool_choice: isSet(choice) ? choiceOf(choice) : undefined,
    max_output_tokens: limit === null ? undefined : Math.max(limit, LEAST_OUTPUT_TOKENS),
    reasoning: reasoningOf(body),
    text: textSettings(body),
    include: includeOf(body, reasons && hasTools && store !== true),
    top_logprobs: body.logprobs === true ? (body.top_logprobs ?? undefined) : undefined,
    stream_options: obfuscationOf(body.stream_options),
    store: store === true,
    stream: stream ? true : undefined,
  };
}

const TRANSLATED: ReadonlySet<string> = new Set([
  ...Object.keys(CHAT_ALONE),
  ...LEFT_OUT,
  "max_tokens",
  "max_completion_tokens",
  "reasoning_effort",
  "reasoning",
  "response_format",
  "verbosity",
  "text",
  "include",
  "logprobs",
  "top_logprobs",
  "stream_options",
]);

function tokenLimit({ max_completion_tokens: newer, max_tokens: older }: ChatBody): number | null {
  const limit = newer ?? older;
  return typeof limit === "number" ? limit : null;
}

function reasoningOf({ reasoning_effort: effort, reasoning }: ChatBody): unknown {
  return typeof effort === "string" ? { ...(isJsonObject(reasoning) ? reasoning : {}), effort } : reasoning;
}

function textSettings({ response_format: format, verbosity, text }: ChatBody): JsonObject | undefined {
  const members = {
    ...(isJsonObject(text) ? text : {}),
    ...(isJsonObject(format) ? { format: formatOf(format) } : {}),
    ...(isSet(verbosity) ? { verbosity } : {}),
  };
  return Object.keys(members).length === 0 ? undefined : members;
}

/** Responses has the members of a schema beside its type. */
function formatOf({ type, json_schema: schema, ...rest }: JsonObject): JsonObject {
  return { type, ...rest, ...(isJsonObject(schema) ? schema : {}) };
}

function includeOf(
  { include, logprobs }: ChatBody,
  carriesReasoning: boolean,
): readonly unknown[] | undefined {
  const wanted = [
    ...(Array.isArray(include) ? include : []),
    ...(carriesReasoning ? [ENCRYPTED_REASONING] : []),
    ...(logprobs === true ? ["message.output_text.logprobs"] : []),
  ];
  return wanted.length === 0 ? undefined : [...new Set(wanted)];
}

/** Asks for reasoning in a form that can be sent back to where nothing is kept. */
export const ENCRYPTED_REASONING = "reasoning.encrypted_content";

/** Usage always comes. */
function obfuscationOf(options: unknown): JsonObject | undefined {
  if (!isJsonObject(options) || options.include_obfuscation === undefined) return undefined;
  return { include_obfuscation: options.include_obfuscation };
}

/** Functions are strict here unless they say otherwise, and the other way round in chat. */
function toolOf(tool: unknown): unknown {
  if (!isJsonObject(tool)) return tool;
  const { type, function: called, custom, ...rest } = tool;
  if (isJsonObject(called)) return { type, ...rest, ...called, strict: called.strict ?? false };
  if (!isJsonObject(custom)) return tool;
  const { format, ...members } = custom;
  return { type, ...rest, ...members, ...(isJsonObject(format) ? { format: grammarOf(format) } : {}) };
}

function grammarOf({ type, grammar, ...rest }: JsonObject): JsonObject {
  return { type, ...rest, ...(isJsonObject(grammar) ? grammar : {}) };
}

function choiceOf(choice: unknown): unknown {
  if (!isJsonObject(choice)) return choice;
  const { type, function: called, custom, allowed_tools: allowed } = choice;
  if (isJsonObject(called)) return { type, ...called };
  if (isJsonObject(custom)) return { type, ...custom };
  if (!isJsonObject(allowed)) return choice;
  const tools = Array.isArray(allowed.tools) ? allowed.tools.map(choiceOf) : [];
  return { type, mode: allowed.mode, tools };
}
