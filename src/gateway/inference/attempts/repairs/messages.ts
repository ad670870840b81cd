/** What of a conversation may be changed when a provider refuses it: its form, never what is said. */
import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject } from "../../../providers/chat.js";
import { type Change, type Finder, whenSaid, without } from "./change.js";

function withoutEmptyText({ content, ...message }: JsonObject): JsonObject | null {
  if (!Array.isArray(content)) return null;
  const said = content.filter((block: unknown) => !isJsonObject(block) || !isEmptyText(block));
  return said.length === content.length || said.length === 0 ? null : { ...message, content: said };
}

const isEmptyText = ({ type, text }: JsonObject): boolean =>
  type === "text" && typeof text === "string" && text.trim() === "";

const isEmpty = ({ content }: JsonObject): boolean =>
  content === "" || (Array.isArray(content) && content.length === 0);

const withoutEmpty = (messages: Messages): Messages =>
  messages.filter(
    (message, at) => !isEmpty(message) || (message.role === "assistant" && at === messages.length - 1),
  );

/** The last message is the beginning of an answer. */
function withoutTrailingSpace(messages: Messages): Messages {
  const last = messages.at(-1);
  const before = messages.slice(0, -1);
  const trimmed = last === undefined ? "" : trimmedContent(last.content);
  return trimmed === "" ? before : [...before, { ...last, content: trimmed }];
}

/** Empty when nothing is left. */
function trimmedContent(content: unknown): unknown {
  if (typeof content === "string") return content.trimEnd();
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const last = blocks.at(-1);
  if (!isJsonObject(last) || typeof last.text !== "string") return content;
  const text = last.text.trimEnd();
  const kept = [...blocks.slice(0, -1), ...(text === "" ? [] : [{ ...last, text }])];
  return kept.length === 0 ? "" : kept;
}

const inRole =
  (from: string, to: string) =>
  (message: JsonObject): JsonObject | null =>
    message.role === from ? { ...message, role: to } : null;

/** What templates of open models want: instructions first, in one message, and some of them turns. */
const inOrder =
  (turnsOf: (said: Messages) => Messages) =>
  (messages: Messages): Messages => {
    const isInstruction = ({ role }: JsonObject): boolean => role === "system" || role === "developer";
    const [first, ...others] = messages.filter(isInstruction);
    const system = first && others.reduce(joined, { ...first, role: "system" });
    const said = turnsOf(messages.filter((message) => !isInstruction(message)));
    const ordered = [...(system === undefined ? [] : [system]), ...said];
    return ordered.every((message, at) => message === messages[at]) ? messages : ordered;
  };

function inTurns(messages: readonly JsonObject[]): readonly JsonObject[] {
  const turns: JsonObject[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last !== undefined && isOneTurn(last, message)) turns.splice(-1, 1, joined(last, message));
    else turns.push(message);
  }
  return turns;
}

const isOneTurn = (one: JsonObject, next: JsonObject): boolean =>
  one.role === next.role && one.role !== "tool" && !("tool_calls" in one) && !("tool_calls" in next);

function joined(one: JsonObject, next: JsonObject): JsonObject {
  const both = [one.content ?? "", next.content ?? ""];
  const isText = both.every((content) => typeof content === "string");
  return { ...one, content: isText ? both.join("\n\n") : both.flatMap(partsOf) };
}

const partsOf = (content: unknown): readonly unknown[] =>
  Array.isArray(content) ? content : [{ type: "text", text: content }];

/** Ids of calls that another model's provider made, and keys that only group requests. */
const longIds: Finder = ({ text }) => {
  const [, path = "", length] = LONG_TEXT.exec(text) ?? [];
  const most = Number(length ?? 0);
  const shortIn = (holder: JsonObject, name: string): JsonObject => {
    const id = holder[name];
    if (typeof id !== "string" || id.length <= most) return holder;
    return { ...holder, [name]: `call_${createHash("sha256").update(id).digest("hex")}`.slice(0, most) };
  };
  if (GROUPS.has(path))
    return { field: path, key: path, scope: "always", apply: (body) => shortIn(body, path) };
  if (!/(?:tool_calls\[\d+\]\.id|call_id)$/.test(path)) return null;
  return eachItem("ids of calls", (item) => {
    const calls: readonly unknown[] = Array.isArray(item.tool_calls) ? item.tool_calls : [];
    const called = calls.map((call) => (isJsonObject(call) ? shortIn(call, "id") : call));
    const named = shortIn(shortIn(item, "tool_call_id"), "call_id");
    return called.every((call, at) => call === calls[at]) ? named : { ...named, tool_calls: called };
  });
};

const LONG_TEXT = /^Invalid '([^']*)': string too long\. Expected a string with maximum length (\d+)/;
const GROUPS: ReadonlySet<string> = new Set(["prompt_cache_key", "user", "safety_identifier"]);

/** How OpenAI's ids of items begin. Another vendor's, or a client's own, mean nothing to it. */
const ITEM_IDS: Readonly<Record<string, string>> = {
  ...{ message: "msg", function_call: "fc", custom_tool_call: "ctc", reasoning: "rs" },
};

function withoutOthersId(item: JsonObject): JsonObject {
  const begin = ITEM_IDS[String(item.type ?? "message")];
  return begin === undefined || String(item.id).startsWith(begin) ? item : without(item, "id");
}

type Messages = readonly JsonObject[];

function listChange(
  name: "messages" | "input",
  change: (messages: Messages) => Messages,
): (body: JsonObject) => JsonObject {
  return (body) => {
    const given: unknown = body[name];
    if (!Array.isArray(given) || !given.every(isJsonObject)) return body;
    const changed = change(given);
    const isSame = changed.length === given.length && changed.every((message, at) => message === given[at]);
    return isSame ? body : { ...body, [name]: changed };
  };
}

const messagesChange = (key: string, change: (messages: Messages) => Messages): Change => ({
  ...{ field: "messages", key, scope: "always", apply: listChange("messages", change) },
});

/** Null leaves a message as it is. */
const eachMessage = (key: string, change: (message: JsonObject) => JsonObject | null): Change =>
  messagesChange(key, (messages) => messages.map((message) => change(message) ?? message));

/** Messages of chats, and items of Responses. */
function eachItem(key: string, change: (item: JsonObject) => JsonObject): Change {
  const all = (items: Messages): Messages => items.map(change);
  const [messages, input] = [listChange("messages", all), listChange("input", all)];
  return { field: "messages", key, scope: "always", apply: (body) => input(messages(body)) };
}

export const MESSAGE_FINDERS: readonly Finder[] = [
  whenSaid(
    /text content blocks must (?:be non-empty|contain non-whitespace)/,
    eachMessage("empty text", withoutEmptyText),
  ),
  whenSaid(
    /^messages\.\d+: all messages must have non-empty content/,
    messagesChange("empty messages", withoutEmpty),
  ),
  whenSaid(
    /^messages: final assistant content cannot end with trailing whitespace/,
    messagesChange("trailing space", withoutTrailingSpace),
  ),
  // Instructions in the middle of a conversation: newer Claudes take them, older ones as a user's words.
  whenSaid(/Unexpected role "system"/, eachMessage("system role", inRole("system", "user"))),
  whenSaid(
    /^(?:Failed to deserialize the JSON body into the target type: )?messages\[\d+\]\.role: unknown variant `developer`/,
    eachMessage("developer role", inRole("developer", "system")),
  ),
  whenSaid(
    /^(?:Conversation roles|After the optional system message, conversation roles) must alternate/,
    messagesChange("order", inOrder(inTurns)),
  ),
  whenSaid(
    /^System message must be at the beginning/,
    messagesChange(
      "order",
      inOrder((said) => said),
    ),
  ),
  longIds,
  whenSaid(
    /^Invalid 'input\[\d+\]\.id'.*Expected an ID that begins with/,
    eachItem("ids of items", withoutOthersId),
  ),
];
