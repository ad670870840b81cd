/** What of a conversation may be changed: its form, never what is said. */
import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject, objectsIn } from "../../../providers/chat.js";
import { imageTypeOf } from "../../../providers/image-type.js";
import { eachMember, type Said, withMember, without } from "./change.js";

type Messages = readonly JsonObject[];

/** A change of the messages of a chat, and of the items of Responses. */
const inMessages =
  (change: (messages: Messages) => Messages) =>
  (body: JsonObject): JsonObject =>
    ["messages", "input"].reduce(
      (whole, name) =>
        withMember(whole, name, (list) => {
          if (!Array.isArray(list) || !list.every(isJsonObject)) return list;
          const changed = change(list);
          return changed.length === list.length && changed.every((message, at) => message === list[at])
            ? list
            : changed;
        }),
      body,
    );

const eachMessage = (change: (message: JsonObject) => JsonObject) =>
  inMessages((messages) => messages.map((message) => change(message)));

export const withoutEmptyText = eachMessage((message) => {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const said = content.filter((block: unknown) => !isJsonObject(block) || !isEmptyText(block));
  return said.length === content.length || said.length === 0 ? message : { ...message, content: said };
});

const isEmptyText = ({ type, text }: JsonObject): boolean =>
  type === "text" && typeof text === "string" && text.trim() === "";

const isEmpty = ({ content }: JsonObject): boolean =>
  content === "" || (Array.isArray(content) && content.length === 0);

export const withoutEmpty = inMessages((messages) =>
  messages.filter(
    (message, at) => !isEmpty(message) || (message.role === "assistant" && at === messages.length - 1),
  ),
);

/** The last message is the beginning of an answer. */
export const withoutTrailingSpace = inMessages((messages) => {
  const before = messages.slice(0, -1);
  const last = messages.at(-1) ?? { content: "" };
  const trimmed = withMember(last, "content", (content) => {
    if (typeof content === "string") return content.trimEnd();
    const blocks = objectsIn(content);
    const end = withMember(blocks.at(-1) ?? {}, "text", (text) => String(text).trimEnd());
    return [...blocks.slice(0, -1), ...(end.text === "" ? [] : [end])];
  });
  return isEmpty(trimmed) ? before : [...before, trimmed];
});

export const inRole = (from: string, to: string) =>
  eachMessage((message) => (message.role === from ? { ...message, role: to } : message));

/** What templates of open models want: instructions first, in one message, and some of them turns. */
const inOrder = (turnsOf: (said: Messages) => Messages) =>
  inMessages((messages) => {
    const isInstruction = ({ role }: JsonObject): boolean => role === "system" || role === "developer";
    const [first, ...others] = messages.filter(isInstruction);
    const system = first && others.reduce(joined, { ...first, role: "system" });
    const said = turnsOf(messages.filter((message) => !isInstruction(message)));
    const ordered = [...(system === undefined ? [] : [system]), ...said];
    return ordered.every((message, at) => message === messages[at]) ? messages : ordered;
  });

export const withInstructionsFirst = inOrder((said) => said);

export const inTurns = inOrder((said) => {
  const turns: JsonObject[] = [];
  for (const message of said) {
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

/** The text itself, or a short one that is always the same for it. */
const shortened = (most: number) => (text: unknown) =>
  typeof text === "string" && text.length > most
    ? `call_${createHash("sha256").update(text).digest("hex")}`.slice(0, most)
    : text;

/** Keys that only group requests. */
export const withShortKey = (body: JsonObject, [, name = "", most]: Said): JsonObject =>
  withMember(body, name, shortened(Number(most)));

/** Ids of calls that another model's provider made. */
export const withShortIds = (body: JsonObject, [, most]: Said): JsonObject => {
  const short = shortened(Number(most));
  const inCall = (call: unknown) => (isJsonObject(call) ? withMember(call, "id", short) : call);
  return eachMessage((message) => {
    const called = withMember(message, "tool_calls", (calls) => eachMember(calls, inCall));
    return withMember(withMember(called, "tool_call_id", short), "call_id", short);
  })(body);
};

/** Calls have thinking before them; what is lost, or was another model's, cannot be had again. */
export const withThoughtsBeforeCalls = eachMessage((message) => {
  const { role, tool_calls: calls, reasoning_content: thought } = message;
  const lacks = role === "assistant" && objectsIn(calls).length > 0 && (thought ?? "") === "";
  return lacks ? { ...message, reasoning_content: LOST_THOUGHT } : message;
});

/** Some hosts refuse an empty one. https://github.com/anomalyco/opencode/issues/10996 (2026-02-11) */
const LOST_THOUGHT = ".";

/** How OpenAI's ids of items begin. Another vendor's, or a client's own, mean nothing to it. */
const ITEM_IDS: Readonly<Record<string, string>> = {
  message: "msg",
  function_call: "fc",
  custom_tool_call: "ctc",
  reasoning: "rs",
};

export const withoutOthersIds = eachMessage((item) => {
  const begin = ITEM_IDS[String(item.type ?? "message")];
  return begin === undefined || String(item.id).startsWith(begin) ? item : without(item, "id");
});

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
