/** Anthropic's `system` and messages as OpenAI's messages. */
import { exactJson } from "../../../foundation/exact-numbers.js";
import { changesTools } from "../../providers/anthropic/offered-tools.js";
import {
  isJsonObject,
  isSealed,
  type JsonObject,
  objectsIn,
  RETURNED_BY_TOOL,
  sealedMember,
} from "../../providers/chat.js";
import { extraContentOf, withoutExtraContent } from "../extra-content.js";
import { invalid, kindOf, stringAt } from "../faults.js";
import { type OnlyNativeNotes, shownType } from "../only-native.js";
import { blocksOf, chatParts, contentOf, type PlacedBlock, textPart } from "./content.js";

interface Turn {
  readonly role: string;
  readonly content: unknown;
}

/**
 * Translates a conversation.
 *
 * - `system` is the first message, its blocks joined by an empty line; a message of that role stays where it stands.
 * - `tool_result` blocks of user messages that follow each other become `tool` messages, in order, before everything else
 *   of these messages: OpenAI wants them right behind the calls. Images and documents in a result follow in a user message.
 * - An assistant's texts are one text; calls come after it, thinking before.
 *
 * @throws SextantError naming the block that the API does not take there, or its member
 */
export function chatMessages(
  { system, messages }: { readonly system?: unknown; readonly messages: readonly Turn[] },
  notes: OnlyNativeNotes,
): JsonObject[] {
  const chat: JsonObject[] = systemMessage(system, "system");
  /** What users said since the last other message: behind the results of tools. */
  let said: JsonObject[] = [];
  const endUserTurn = (): void => {
    chat.push(...said);
    said = [];
  };
  for (const [at, { role, content }] of messages.entries()) {
    const path = `messages[${at}].content`;
    if (role === "user") {
      const user = userMessages(blocksOf(content, path), notes);
      chat.push(...user.results);
      said.push(...user.said);
      continue;
    }
    endUserTurn();
    if (role === "assistant") chat.push(assistantMessage(blocksOf(content, path), notes));
    else chat.push(...systemMessage(content, path));
  }
  endUserTurn();
  return chat;
}

function systemMessage(content: unknown, path: string): JsonObject[] {
  // What it says of tools is in those that the request offers.
  const said = blocksOf(content, path).filter(({ block }) => !changesTools(block));
  const texts = said.map(({ block, path: place }) => {
    if (block.type !== "text") throw misplaced(block, place, "Instructions are text");
    return stringAt(block, "text", place);
  });
  const text = texts.filter((part) => part !== "").join("\n\n");
  return text === "" ? [] : [{ role: "system", content: text }];
}

interface UserMessages {
  readonly results: readonly JsonObject[];
  readonly said: readonly JsonObject[];
}

const ASSISTANTS_BLOCKS: ReadonlySet<unknown> = new Set(["tool_use", "thinking", "redacted_thinking"]);

function userMessages(blocks: readonly PlacedBlock[], notes: OnlyNativeNotes): UserMessages {
  const results: JsonObject[] = [];
  const shown: JsonObject[] = [];
  const parts: JsonObject[] = [];
  for (const placed of blocks) {
    const { block, path } = placed;
    if (ASSISTANTS_BLOCKS.has(block.type)) throw misplaced(block, path, "Only an assistant's message has it");
    if (block.type === "tool_result") {
      const result = toolResult(placed, notes);
      results.push(result.message);
      shown.push(...result.shown);
    } else parts.push(...chatParts(placed, notes));
  }
  const own = parts.length > 0 || blocks.length === 0 ? [{ role: "user", content: contentOf(parts) }] : [];
  return { results, said: [...(shown.length === 0 ? [] : [{ role: "user", content: shown }]), ...own] };
}

interface ToolResult {
  readonly message: JsonObject;
  /** What a `tool` message cannot hold, under a heading. */
  readonly shown: readonly JsonObject[];
}

function toolResult({ block, path }: PlacedBlock, notes: OnlyNativeNotes): ToolResult {
  const id = stringAt(block, "tool_use_id", path);
  const parts = blocksOf(block.content, `${path}.content`).flatMap((placed) => chatParts(placed, notes));
  const texts = parts.filter(({ type }) => type === "text").map(({ text }) => String(text));
  const others = parts.filter(({ type }) => type !== "text");
  if (others.length > 0) texts.push("(What else this tool returned is in the next user message.)");
  const text = texts.join("\n");
  return {
    message: {
      role: "tool",
      tool_call_id: id,
      content: block.is_error === true ? `Error: ${text}` : text,
    },
    shown: others.length === 0 ? [] : [textPart(`${RETURNED_BY_TOOL}${id}:`), ...others],
  };
}

function assistantMessage(blocks: readonly PlacedBlock[], notes: OnlyNativeNotes): JsonObject {
  const texts: string[] = [];
  const calls: JsonObject[] = [];
  const thoughts: PlacedBlock[] = [];
  for (const placed of blocks) {
    const { block, path } = placed;
    switch (block.type) {
      case "text":
        texts.push(stringAt(block, "text", path));
        break;
      case "tool_use":
        calls.push(toolCall(block, path));
        break;
      case "thinking":
      case "redacted_thinking":
        thoughts.push(placed);
        break;
      case "image":
      case "document":
      case "tool_result":
        throw misplaced(block, path, "Only a user's message has it");
      default:
        notes.add(`${path}.type`, `the content block ${shownType(String(block.type))}`);
    }
  }
  const text = texts.join("");
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...thoughtsOf(thoughts, calls.length > 0),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function toolCall(block: JsonObject, path: string): JsonObject {
  const input = block.input ?? {};
  if (!isJsonObject(input)) throw invalid(`${path}.input`, `${kindOf(input)}: it must be an object`);
  return {
    id: stringAt(block, "id", path),
    type: "function",
    function: { name: stringAt(block, "name", path), arguments: exactJson(input) },
    ...extraContentOf(block),
  };
}

/**
 * Signed thinking is Claude's, and goes back to it as `thinking_blocks`, unless another provider sealed it. Unsigned thinking is that of another model, whose
 * `reasoning_content` it was: models that want theirs back (DeepSeek, Kimi) want it with the call of a tool, and some
 * servers refuse the field, so it is kept there alone.
 */
function thoughtsOf(thoughts: readonly PlacedBlock[], called: boolean): JsonObject {
  const seals = thoughts.map(({ block }) => sealOf(block)).filter(isSealed);
  const signed = thoughts.filter(
    ({ block }) => !isSealed(sealOf(block)) && (block.type === "redacted_thinking" || isSigned(block)),
  );
  const unsigned = thoughts
    .filter(({ block }) => block.type === "thinking" && !isSigned(block))
    .map(({ block, path }) => stringAt(block, "thinking", path))
    .join("");
  return {
    ...sealedMember(seals),
    ...(signed.length === 0 ? {} : { thinking_blocks: signed.map(({ block }) => block) }),
    ...(unsigned === "" || !called ? {} : { reasoning_content: unsigned }),
  };
}

/** What only the block's provider can read. */
const sealOf = ({ type, data, signature }: JsonObject): unknown =>
  type === "redacted_thinking" ? data : type === "thinking" ? signature : undefined;

const isSigned = ({ signature }: JsonObject): boolean => typeof signature === "string" && signature !== "";

const misplaced = ({ type }: JsonObject, path: string, rule: string) =>
  invalid(`${path}.type`, `is "${shownType(String(type))}". ${rule}`);

/**
 * A message as Anthropic's own API takes it: without what answers of other vendors' models left in it, which Anthropic
 * refuses. That is reasoning without a signature or sealed by another provider, and `extra_content` of calls.
 */
export function nativeMessage(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content) || !objectsIn(content).some(isOtherVendors)) return message;
  const blocks = content.filter((block) => !(isJsonObject(block) && isOthersThinking(block)));
  return { ...message, content: blocks.map(withoutExtraContent) };
}

const isOtherVendors = (block: JsonObject): boolean => "extra_content" in block || isOthersThinking(block);

const isOthersThinking = (block: JsonObject): boolean =>
  isSealed(sealOf(block)) || (block.type === "thinking" && (block.signature ?? "") === "");
