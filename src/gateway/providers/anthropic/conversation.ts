/** OpenAI's messages as Anthropic's `system` and turns. */
import { isNestedTooDeeply, MAX_NESTING } from "../../../foundation/nesting.js";
import { isJsonObject, type JsonObject, parsedJson } from "../chat.js";
import { refusal } from "../provider.js";
import { cacheControl, contentBlocks, textBlocks, textOnlyBlocks } from "./content.js";

export interface MessagesTurn {
  readonly role: "user" | "assistant";
  readonly content: readonly JsonObject[];
}

export interface MessagesConversation {
  /** Text blocks. */
  readonly system: readonly JsonObject[];
  /** Alternating user and assistant turns, the user first; at least one, none of them empty. */
  readonly turns: readonly MessagesTurn[];
}

/** Text of the user turn that is added where the API requires one and the conversation has none. */
const OPENING = "Begin.";
const CONTINUING = "Continue.";

/**
 * Translates a conversation.
 *
 * - All `system` and `developer` messages go to `system`, in order, wherever they are: only some models accept them
 *   between turns, at few positions, and Anthropic's own OpenAI-compatible endpoint does the same.
 * - `tool` messages become `tool_result` blocks at the start of one user turn.
 * - Consecutive messages of one role become one turn; empty ones are omitted.
 * - An assistant's `thinking_blocks`, as in replies, are put at the start of its turn.
 *
 * @param options.prefill whether the conversation may end with an assistant message, which the model then continues
 * @throws ProviderFault `request_refused` naming the message
 */
export function toConversation(
  messages: readonly JsonObject[],
  options: { readonly prefill: boolean },
): MessagesConversation {
  const system: JsonObject[] = [];
  const turns: { role: MessagesTurn["role"]; content: JsonObject[] }[] = [];
  const add = (role: MessagesTurn["role"], blocks: readonly JsonObject[]): void => {
    const last = turns.at(-1);
    if (blocks.length === 0) return;
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: [...blocks] });
  };
  for (const [at, message] of messages.entries()) {
    const path = `messages[${at}]`;
    switch (message.role) {
      case "system":
      case "developer":
        system.push(...marked(textOnlyBlocks(message.content, `${path}.content`), message));
        break;
      case "user":
        add("user", marked(contentBlocks(message.content, `${path}.content`), message));
        break;
      case "assistant":
        add("assistant", marked(assistantBlocks(message, path), message));
        break;
      case "tool":
        add("user", [toolResult(message, path)]);
        break;
      default:
        throw refusal(`${path}.role`, "must be system, developer, user, assistant or tool");
    }
  }
  return { system, turns: complete(turns, options) };
}

function complete(
  turns: readonly MessagesTurn[],
  { prefill }: { readonly prefill: boolean },
): MessagesTurn[] {
  const whole = turns.map(resultsFirst);
  if (whole[0]?.role !== "user") whole.unshift({ role: "user", content: textBlocks(OPENING) });
  const last = whole.at(-1);
  if (last?.role !== "assistant") return whole;
  if (!prefill) return [...whole, { role: "user", content: textBlocks(CONTINUING) }];
  return [...whole.slice(0, -1), withoutTrailingSpace(last)];
}

/** The API requires tool results before all other content of a turn. */
function resultsFirst(turn: MessagesTurn): MessagesTurn {
  const isResult = ({ type }: JsonObject): boolean => type === "tool_result";
  const others = turn.content.findIndex((block) => !isResult(block));
  if (others < 0 || !turn.content.slice(others).some(isResult)) return turn;
  const content = [...turn.content.filter(isResult), ...turn.content.filter((block) => !isResult(block))];
  return { ...turn, content };
}

/** The API refuses a prefilled answer that ends in white space. */
function withoutTrailingSpace(turn: MessagesTurn): MessagesTurn {
  const last = turn.content.at(-1);
  if (last?.type !== "text" || typeof last.text !== "string") return turn;
  return { ...turn, content: [...turn.content.slice(0, -1), { ...last, text: last.text.trimEnd() }] };
}

/** Moves a cache mark on the message itself, set by clients whose content is a string, to its last block. */
function marked(blocks: JsonObject[], message: JsonObject): JsonObject[] {
  const mark = cacheControl(message);
  const last = blocks.at(-1);
  if (last === undefined || mark.cache_control === undefined) return blocks;
  return [...blocks.slice(0, -1), { ...mark, ...last }];
}

function assistantBlocks(message: JsonObject, path: string): JsonObject[] {
  const said = contentBlocks(message.content, `${path}.content`);
  const refused = message.refusal;
  if (said.length === 0 && typeof refused === "string") said.push(...textBlocks(refused));
  return [...thinkingBlocks(message, path), ...said, ...toolUses(message, path)];
}

function thinkingBlocks(message: JsonObject, path: string): readonly JsonObject[] {
  const blocks = message.thinking_blocks ?? [];
  if (!Array.isArray(blocks) || !blocks.every(isJsonObject)) {
    throw refusal(`${path}.thinking_blocks`, "must be the list of blocks that came with the answer");
  }
  return blocks;
}

function toolUses(message: JsonObject, path: string): readonly JsonObject[] {
  const calls = message.tool_calls ?? [];
  if (!Array.isArray(calls)) throw refusal(`${path}.tool_calls`, "must be a list");
  return calls.map((call: unknown, at) => toolUse(call, `${path}.tool_calls[${at}]`));
}

function toolUse(call: unknown, path: string): JsonObject {
  const called = isJsonObject(call) ? call.function : undefined;
  if (!isJsonObject(call) || !isJsonObject(called)) throw refusal(path, "must be the call of a function");
  if (typeof called.name !== "string") throw refusal(`${path}.function.name`, "must be a string");
  return {
    type: "tool_use",
    id: toolId(call.id, `${path}.id`),
    name: called.name,
    input: toolInput(called.arguments, `${path}.function.arguments`),
  };
}

/** Parses tool arguments. An empty string is an empty object, because OpenAI's models write absent arguments that way. */
function toolInput(text: unknown, path: string): JsonObject {
  if (text === undefined || text === null || text === "") return {};
  const isJson = typeof text === "string" && !isNestedTooDeeply(text);
  const input = isJson ? parsedJson(text, "free") : text;
  if (!isJsonObject(input))
    throw refusal(path, `must be a JSON object of at most ${MAX_NESTING} levels, written as a string`);
  return input;
}

function toolResult(message: JsonObject, path: string): JsonObject {
  const content = contentBlocks(message.content, `${path}.content`);
  return {
    type: "tool_result",
    tool_use_id: toolId(message.tool_call_id, `${path}.tool_call_id`),
    ...(content.length === 0 ? {} : { content }),
    ...cacheControl(message),
  };
}

/** Replaces characters that the API refuses in other providers' ids, in calls and results alike, so that they still match. */
function toolId(id: unknown, path: string): string {
  if (typeof id !== "string" || id === "") throw refusal(path, "must be the id of a tool call");
  return id.replace(/[^a-zA-Z0-9_-]/g, "_");
}
