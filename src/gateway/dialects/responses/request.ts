/** A Responses request as a chat request. */
import {
  type ChatBody,
  isJsonObject,
  type JsonObject,
  memberOf,
  objectsIn,
  withoutNulls,
} from "../../providers/chat.js";
import { withoutExtraContent } from "../extra-content.js";
import { type OnlyNative, shownType, type TranslatedRequest, type Translation } from "../only-native.js";
import { isCompaction, withSummaries } from "./compaction.js";
import { chatConversation } from "./input.js";
import { chatTool, type GivenTool, isCalled, ToolNames, toolsIn, withFunctions } from "./tools.js";

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
  // Codex's own words about its session.
  "client_metadata",
]);

/** What only a server that keeps responses, or runs tools itself, can honour. */
const KEPT: Readonly<Record<string, string>> = {
  previous_response_id: "a conversation kept by the provider",
  conversation: "a conversation kept by the provider",
  prompt: "a prompt template kept by the provider",
};

interface TranslatedResponses extends TranslatedRequest, Pick<Translation, "leftOut"> {
  /** For models that take functions as tools alone; absent where the body is one for them. */
  readonly functionsOnly?: Translation;
}

/**
 * Translates a request. Fields that are null count as left out.
 *
 * @param body without the fields that are ours alone
 * @throws SextantError `invalid_request` naming the field
 */
export function chatBodyFromResponses(body: JsonObject): TranslatedResponses {
  const tools = toolsIn(body);
  const names = new ToolNames(tools);
  const { messages, onlyNative, ...conversation } = chatConversation(body, names);
  const tooling = toolingOf(body, { tools, names });
  const forwarded = Object.entries(withoutNulls(body)).filter(([field]) => !TRANSLATED.has(field));
  const { max_output_tokens: limit, context_management: management } = body;
  const effort = memberOf(body.reasoning, "effort");
  const need = keptNeed(body) ?? tooling.onlyNative ?? onlyNative;
  const chat = {
    ...Object.fromEntries(forwarded),
    ...tooling.fields,
    ...(typeof limit === "number" ? { max_tokens: limit } : {}),
    ...textFields(body),
    ...logprobsOf(body),
    messages,
  };
  const leftOut = shownTypes([
    ...conversation.leftOut,
    ...((management ?? null) === null ? [] : ["context_management"]),
  ]);
  return {
    body: chat,
    effort: typeof effort === "string" ? effort : null,
    onlyNative: need && { ...onlyNative, ...need },
    leftOut,
    ...functionsOnly(chat, { tools, leftOut }),
  };
}

/** Without what only OpenAI's models take: custom tools stand as functions, and built-in ones are left out. */
function functionsOnly(
  chat: ChatBody,
  { tools, leftOut }: { readonly tools: readonly GivenTool[] } & Pick<Translation, "leftOut">,
): Pick<TranslatedResponses, "functionsOnly"> {
  const builtIn = tools.flatMap(({ tool }) => (isCalled(tool) ? [] : [String(tool.type)]));
  const isPlain = tools.every(({ tool }) => tool.type === "function") && !chat.messages.some(callsCustom);
  if (isPlain) return {};
  return { functionsOnly: { body: withFunctions(chat), leftOut: shownTypes([...builtIn, ...leftOut]) } };
}

const shownTypes = (types: readonly string[]): readonly string[] => [...new Set(types.map(shownType))];

const callsCustom = ({ tool_calls: calls }: JsonObject): boolean =>
  objectsIn(calls).some(({ type }) => type === "custom");

/**
 * How the provider's own Responses API is used: `usual` for what other vendors refuse there (xAI of groups: "unknown variant
 * `namespace`", https://github.com/kittors/CliRelay/issues/696, 2026-07-15; that it refuses custom tools and compaction is a guess).
 */
export function nativeUse(body: JsonObject): "preferred" | "usual" {
  const isOpenAis = isCompaction(body) || objectsIn(body.input).some(isOpenAisItem);
  const tools = toolsIn(body);
  const grouped = tools.some(({ group, tool }) => group !== undefined || tool.type === "custom");
  if (isOpenAis || grouped) return "usual";
  const asksMore = (body.context_management ?? null) !== null || !tools.every(({ tool }) => isCalled(tool));
  return asksMore || prefersNative(body) ? "preferred" : "usual";
}

const isOpenAisItem = ({ type, namespace }: JsonObject): boolean =>
  type === "additional_tools" || type === "custom_tool_call" || namespace !== undefined;

/**
 * Whether the provider's own Responses API, where there is one, serves the request better than the translation: with
 * reasoning that is carried on or summarised, and prompts cut to the context.
 */
function prefersNative({ include, reasoning, truncation, input }: JsonObject): boolean {
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

function textFields(body: JsonObject): JsonObject {
  const { text } = body;
  if (!isJsonObject(text)) return {};
  const verbosity = typeof text.verbosity === "string" ? { verbosity: text.verbosity } : {};
  const { format } = text;
  if (!isJsonObject(format) || format.type === "text" || isCompaction(body)) return verbosity;
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

interface Tools {
  readonly tools: readonly GivenTool[];
  readonly names: ToolNames;
}

function toolingOf(body: JsonObject, { tools, names }: Tools): Tooling {
  const choice = isCompaction(body) && tools.length > 0 ? "none" : (body.tool_choice ?? undefined);
  return {
    fields: {
      ...(tools.length > 0 && { tools: tools.map((tool) => chatTool(tool, names)) }),
      ...(choice !== undefined && { tool_choice: chatChoice(choice, names) }),
    },
    onlyNative: builtInNeed(tools, choice),
  };
}

/**
 * The built-in tool that only the API has: one that may be called, but for a web search beside tools of the client's own, which a
 * conversation of Codex goes on without.
 */
function builtInNeed(tools: readonly GivenTool[], choice: unknown): OnlyNative | null {
  if (choice === "none") return null;
  const chosen = isJsonObject(choice)
    ? (choice.type === "allowed_tools" ? objectsIn(choice.tools) : [choice]).map((tool) => ({
        tool,
        path: "tool_choice",
      }))
    : [];
  const callable = chosen.length > 0 ? chosen : tools;
  const hasOwn = callable.some(({ tool }) => isCalled(tool));
  const needed = callable.find(({ tool }) => !isCalled(tool) && !(hasOwn && isWebSearch(tool)));
  if (needed === undefined) return null;
  const param = chosen.length > 0 ? needed.path : `${needed.path}.type`;
  return { param, what: builtInWords(needed.tool) };
}

const isWebSearch = ({ type }: JsonObject): boolean =>
  typeof type === "string" && type.startsWith("web_search");

const builtInWords = ({ type }: JsonObject): string => `the built-in tool ${JSON.stringify(type)}`;

function chatChoice(choice: unknown, names: ToolNames): unknown {
  if (!isJsonObject(choice)) return choice;
  const { type, mode, tools } = choice;
  if (type !== "allowed_tools") return chosenTool(choice, names);
  return { type, allowed_tools: { mode, tools: objectsIn(tools).map((tool) => chosenTool(tool, names)) } };
}

const chosenTool = ({ namespace, ...tool }: JsonObject, names: ToolNames): JsonObject =>
  chatTool({ tool, path: "tool_choice", group: namespace }, names);

/**
 * A request as OpenAI's own API takes it: without `extra_content` of calls, which another vendor's model left in its input, and with the
 * text of summaries that were made here.
 */
export function nativeRequest(body: JsonObject): JsonObject {
  const { input } = body;
  const isOurs = objectsIn(input).some((item) => "extra_content" in item || item.type === "compaction");
  return isOurs && Array.isArray(input)
    ? { ...body, input: withSummaries(input.map(withoutExtraContent)) }
    : body;
}
