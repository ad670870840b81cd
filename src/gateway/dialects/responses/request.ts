/** A Responses request as a chat request. */
import { isJsonObject, type JsonObject, memberOf, objectsIn, withoutNulls } from "../../providers/chat.js";
import { withoutExtraContent } from "../extra-content.js";
import type { OnlyNative, TranslatedRequest } from "../only-native.js";
import { chatConversation } from "./input.js";

/** Fields that become something else, or that mean something only where responses are kept. The others go as they came. */
const TRANSLATED: ReadonlySet<string> = new Set([
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "max_output_tokens",
  "reasoning",
  "text",
  "include",
  "top_logprobs",
  "store",
  "background",
  "previous_response_id",
  "conversation",
  "prompt",
  "context_management",
  "truncation",
  "max_tool_calls",
  "stream_options",
]);

/** What only a server that keeps responses, or runs tools itself, can honour. */
const KEPT: Readonly<Record<string, string>> = {
  previous_response_id: "a conversation kept by the provider",
  conversation: "a conversation kept by the provider",
  prompt: "a prompt template kept by the provider",
  context_management: "a context that the provider compacts",
};

/**
 * Translates a request. Fields that are null count as left out.
 *
 * @param body without the fields that are ours alone
 * @throws SextantError `invalid_request` naming the field
 */
export function chatBodyFromResponses(body: JsonObject): TranslatedRequest {
  const { messages, onlyNative } = chatConversation(body.instructions, body.input);
  const tooling = toolingOf(body);
  const forwarded = Object.entries(withoutNulls(body)).filter(([field]) => !TRANSLATED.has(field));
  const { max_output_tokens: limit } = body;
  const effort = memberOf(body.reasoning, "effort");
  return {
    body: {
      ...Object.fromEntries(forwarded),
      ...tooling.fields,
      ...(typeof limit === "number" ? { max_tokens: limit } : {}),
      ...textFields(body.text),
      ...logprobsOf(body),
      messages,
    },
    effort: typeof effort === "string" ? effort : null,
    onlyNative: keptNeed(body) ?? tooling.onlyNative ?? onlyNative,
  };
}

/**
 * Whether the provider's own Responses API, where there is one, serves the request better than the translation: with
 * reasoning that is carried on or summarised, and prompts cut to the context.
 */
export function prefersNative({ include, reasoning, truncation, input }: JsonObject): boolean {
  const carried = Array.isArray(include) && include.includes("reasoning.encrypted_content");
  const summarised = typeof memberOf(reasoning, "summary") === "string";
  const reasonedBefore = objectsIn(input).some(({ type }) => type === "reasoning");
  return carried || summarised || reasonedBefore || truncation === "auto";
}

function keptNeed(body: JsonObject): OnlyNative | null {
  if (body.store === true) return { param: "store", what: "a response kept by the provider" };
  if (body.background === true) return { param: "background", what: "a response made in the background" };
  for (const [param, what] of Object.entries(KEPT)) {
    if (body[param] !== undefined && body[param] !== null) return { param, what };
  }
  return null;
}

function textFields(text: unknown): JsonObject {
  if (!isJsonObject(text)) return {};
  const verbosity = typeof text.verbosity === "string" ? { verbosity: text.verbosity } : {};
  const { format } = text;
  if (!isJsonObject(format) || format.type === "text") return verbosity;
  if (format.type !== "json_schema") return { ...verbosity, response_format: format };
  const { type, ...schema } = format;
  return { ...verbosity, response_format: { type, json_schema: schema } };
}

function logprobsOf({ include, top_logprobs: top }: JsonObject): JsonObject {
  const wanted = Array.isArray(include) && include.includes("message.output_text.logprobs");
  if (!wanted && typeof top !== "number") return {};
  return { logprobs: true, ...(typeof top === "number" ? { top_logprobs: top } : {}) };
}

interface Tooling {
  readonly fields: JsonObject;
  readonly onlyNative: OnlyNative | null;
}

function toolingOf({ tools, tool_choice: choice }: JsonObject): Tooling {
  const given = objectsIn(tools);
  const builtIn = given.findIndex(({ type }) => type !== "function" && type !== "custom");
  const onlyNative =
    builtIn < 0
      ? null
      : {
          param: `tools[${builtIn}].type`,
          what: `the built-in tool ${JSON.stringify(given[builtIn]?.type)}`,
        };
  return {
    fields: {
      ...(given.length === 0 ? {} : { tools: given.map(chatTool) }),
      ...(choice === undefined || choice === null ? {} : { tool_choice: chatChoice(choice) }),
    },
    onlyNative,
  };
}

/** `{type: "function", name, …}` → `{type: "function", function: {name, …}}`, and the same for custom tools. */
function chatTool(tool: JsonObject): JsonObject {
  const { type, ...rest } = tool;
  if (type === "function") return { type, function: withoutNulls(rest) };
  if (type === "custom") return { type, custom: { ...withoutNulls(rest), ...customFormat(rest.format) } };
  return tool;
}

/** A grammar stands one level deeper in chat. */
function customFormat(format: unknown): JsonObject {
  if (!isJsonObject(format) || format.type !== "grammar") return {};
  const { type, ...grammar } = format;
  return { format: { type, grammar } };
}

function chatChoice(choice: unknown): unknown {
  if (!isJsonObject(choice)) return choice;
  const { type, ...rest } = choice;
  if (type === "function" || type === "custom") return { type, [type]: rest };
  if (type !== "allowed_tools") return choice;
  const { mode, tools } = rest;
  return { type, allowed_tools: { mode, tools: objectsIn(tools).map(chatTool) } };
}

/** A request as OpenAI's own API takes it: without `extra_content` of calls, which another vendor's model left in its input. */
export function nativeRequest(body: JsonObject): JsonObject {
  const { input } = body;
  const isSigned = objectsIn(input).some((item) => "extra_content" in item);
  return isSigned && Array.isArray(input) ? { ...body, input: input.map(withoutExtraContent) } : body;
}
