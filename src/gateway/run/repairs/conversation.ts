/** What of a conversation may be changed: its form, never what is said. */
import { createHash } from "node:crypto";
import { changesTools, offeredTools } from "../../providers/anthropic/offered-tools.js";
import { isJsonObject, type JsonObject, objectsIn } from "../../providers/chat.js";
import { imageTypeOf } from "../../providers/image-type.js";
import { changedList, eachMember, type Said, withMember, without } from "./change.js";

type Messages = readonly JsonObject[];

/** A change of the messages of a chat, and of the items of Responses. */
const inMessages =
  (change: (messages: Messages) => Messages) =>
  (body: JsonObject): JsonObject => {
    const changed = (list: unknown) =>
      Array.isArray(list) && list.every(isJsonObject) ? changedList(list, change(list)) : list;
    return ["messages", "input"].reduce((whole, name) => withMember(whole, name, changed), body);
  };

/** Without messages that become undefined. */
const eachMessage = (change: (message: JsonObject) => JsonObject | undefined) =>
  inMessages((messages) => messages.map(change).filter((message) => message !== undefined));

/** Neither empty texts nor, where there is nothing else in it, a message. */
export const withoutEmpty = eachMessage((message) => {
  const isNone = (part: unknown) =>
    isJsonObject(part) && part.type === "text" && String(part.text ?? "").trim() === "";
  const said = withMember(message, "content", (content) =>
    Array.isArray(content) ? eachMember(content, (part) => (isNone(part) ? undefined : part)) : content,
  );
  const isEmpty = said.content === "" || (Array.isArray(said.content) && said.content.length === 0);
  return isEmpty && !("tool_calls" in said) ? undefined : said;
});

const trimmed = (said: unknown): unknown =>
  typeof said === "string"
    ? said.trimEnd()
    : eachMember(said, (part) => (isJsonObject(part) ? withMember(part, "text", trimmed) : part));

const trimmedAnswers = eachMessage((message) =>
  message.role === "assistant" ? withMember(message, "content", trimmed) : message,
);
export const withoutTrailingSpace = (body: JsonObject): JsonObject => withoutEmpty(trimmedAnswers(body));

export const inRole = (from: string, to: string) =>
  eachMessage((message) => (message.role === from ? { ...message, role: to } : message));

/** Without the effort that a message asks for from there on. */
export const withoutTurnEffort = (body: JsonObject): JsonObject =>
  withoutEmpty(eachMessage((message) => without(message, "output_config"))(body));

const asUsersText = eachMessage((message) => {
  if (message.role !== "system") return message;
  const content = eachMember(message.content, (block) =>
    isJsonObject(block) && changesTools(block) ? undefined : block,
  );
  return { role: "user", content };
});

/** Instructions between the turns as what the user says, and the tools that they add or remove as they are offered by then. */
export function withoutInstructionTurns(body: JsonObject): JsonObject {
  const messages = objectsIn(body.messages);
  const isChanging = messages.some(({ content }) => objectsIn(content).some(changesTools));
  const offered = () =>
    offeredTools({ tools: body.tools, messages }).map((tool) =>
      isJsonObject(tool) ? without(tool, "defer_loading") : tool,
    );
  return withoutEmpty(asUsersText(isChanging ? withMember(body, "tools", offered) : body));
}

/** What templates of open models want: instructions first, in one message, and then turns. */
export const inTurns = inMessages((messages) => {
  const isInstruction = ({ role }: JsonObject): boolean => role === "system" || role === "developer";
  const instructions = messages.filter(isInstruction);
  const system = instructions.map((message) => withMember(message, "role", () => "system"));
  const turns: JsonObject[] = [];
  for (const message of [...system, ...messages.filter((one) => !isInstruction(one))]) {
    const last = turns.at(-1);
    if (last !== undefined && isOneTurn(last, message)) turns.splice(-1, 1, joined(last, message));
    else turns.push(message);
  }
  return turns;
});

const isOneTurn = (one: JsonObject, next: JsonObject): boolean =>
  one.role === next.role && one.role !== "tool" && !("tool_calls" in one) && !("tool_calls" in next);

function joined(one: JsonObject, next: JsonObject): JsonObject {
  const both = [one.content ?? "", next.content ?? ""];
  const isText = both.every((content) => typeof content === "string");
  return { ...one, content: isText ? both.join("\n\n") : both.flatMap(partsOf) };
}

const partsOf = (content: unknown): readonly unknown[] =>
  Array.isArray(content) ? content : [{ type: "text", text: content }];

/** Ids of calls that another vendor made, or a key that only groups requests: short, and always the same for the same one. */
export function withShortIds(body: JsonObject, [, name = "", length]: Said): JsonObject {
  const names = name.endsWith("id") ? ["id", "call_id", "tool_call_id"] : [name];
  const most = Number(length);
  const shortened = (value: unknown, at: string): unknown => {
    if (["", "messages", "input", "tool_calls"].includes(at)) return eachMember(value, shortened);
    if (!names.includes(at) || typeof value !== "string" || value.length <= most) return value;
    return `call_${createHash("sha256").update(value).digest("hex")}`.slice(0, most);
  };
  return shortened(body, "") as JsonObject;
}

/** Calls have thinking before them; what is lost, or was another model's, cannot be had again. */
export const withThoughtsBeforeCalls = eachMessage((message) => {
  const { role, tool_calls: calls, reasoning_content: thought } = message;
  const lacks = role === "assistant" && objectsIn(calls).length > 0 && (thought ?? "") === "";
  return lacks ? { ...message, reasoning_content: LOST_THOUGHT } : message;
});

/** Some hosts refuse an empty one. https://github.com/anomalyco/opencode/issues/10996 (2026-02-11) */
const LOST_THOUGHT = ".";

/** Another vendor's id of an item, or a client's own, means nothing to OpenAI. */
const OTHERS_ID = /^(?:message (?!msg)|function_call (?!fc)|custom_tool_call (?!ctc)|reasoning (?!rs))/;

export const withoutOthersIds = eachMessage((item) =>
  OTHERS_ID.test(`${item.type ?? "message"} ${item.id}`) ? without(item, "id") : item,
);

/** Images are of the type that their bytes are. */
export const withImageTypes = eachMessage((message) => typedImages(message, "") as JsonObject);

function typedImages(part: unknown, name: string): unknown {
  if (typeof part === "string" && ["url", "image_url"].includes(name))
    return part.replace(DATA_URL, (url, start: string) => {
      const type = imageTypeOf(part.slice(url.length));
      return type === undefined ? url : `${start}${type};base64,`;
    });
  if (isJsonObject(part) && part.type === "base64" && String(part.media_type).startsWith("image/"))
    return withMember(part, "media_type", (given) => imageTypeOf(part.data) ?? given);
  return eachMember(part, typedImages);
}

const DATA_URL = /^(data:)image\/[^;,]*;base64,/i;
