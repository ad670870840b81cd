import { isJsonObject, type JsonObject, objectsIn } from "../providers/chat.js";
import type {
  TracedAttachment,
  TracedMessage,
  TracedPart,
  TracedToolCall,
} from "../traces/traced-message.js";
import { calledFunction } from "./conversation-text.js";

/** The messages of a request for its trace, without the bytes of images and files. Never throws: malformed fields are left out. */
export const tracedMessages = (messages: readonly JsonObject[]): TracedMessage[] =>
  messages.map(tracedMessage);

function tracedMessage(message: JsonObject): TracedMessage {
  const { role, content, name, refusal, tool_calls: calls, tool_call_id: callId } = message;
  const reasoning = reasoningOf(message);
  return {
    role: role as TracedMessage["role"],
    content: contentOf(content),
    name: typeof name === "string" ? name : undefined,
    reasoning: reasoning === "" ? undefined : reasoning,
    refusal: typeof refusal === "string" ? refusal : undefined,
    tool_calls: Array.isArray(calls) ? calls.filter(isJsonObject).map(callOf) : undefined,
    tool_call_id: typeof callId === "string" ? callId : undefined,
  };
}

function contentOf(content: unknown): TracedMessage["content"] {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.filter(isJsonObject).map(partOf) : null;
}

function partOf(part: JsonObject): TracedPart {
  if (typeof part.text === "string") return { type: "text", text: part.text };
  if (typeof part.refusal === "string") return { type: "refusal", refusal: part.refusal };
  return attachmentOf(part);
}

/** What the part holds is a member of the name of its type. */
function attachmentOf(part: JsonObject): TracedAttachment {
  const type = typeof part.type === "string" ? part.type : "";
  const held = part[type];
  const { url, file_data, data, format, filename }: JsonObject = isJsonObject(held) ? held : { url: held };
  const given = [file_data, data, url].find((text) => typeof text === "string") ?? "";
  const size = sizeOf(String(given));
  return {
    type,
    media_type: typeof format === "string" ? `audio/${format}` : size.media_type,
    bytes: size.bytes,
    ...(typeof filename === "string" && { filename }),
  };
}

/** Of `data:image/png;base64,…`, or of base64 alone. */
function sizeOf(given: string): Pick<TracedAttachment, "media_type" | "bytes"> {
  const [head = "", mediaType = "", encoding = ""] = /^data:([^;,]{0,200})([^,]{0,200}),/.exec(given) ?? [];
  const isBase64 = head === "" ? !given.includes(":") : encoding.endsWith(";base64");
  const padding = given.endsWith("==") ? 2 : Number(given.endsWith("="));
  return {
    media_type: mediaType === "" ? null : mediaType,
    bytes: isBase64 && given !== "" ? Math.floor(((given.length - head.length) * 3) / 4) - padding : null,
  };
}

function callOf(call: JsonObject): TracedToolCall {
  const { name, given } = calledFunction(call);
  const id = typeof call.id === "string" ? { id: call.id } : {};
  return isJsonObject(call.custom)
    ? { ...id, type: "custom", custom: { name, input: given } }
    : { ...id, type: "function", function: { name, arguments: given } };
}

/** What the client sent back of earlier reasoning, by each name that vendors have for it, as far as it can be read. */
function reasoningOf({ reasoning_content, reasoning, thinking_blocks: blocks }: JsonObject): string {
  if (typeof reasoning_content === "string") return reasoning_content;
  if (typeof reasoning === "string") return reasoning;
  return objectsIn(blocks)
    .flatMap(({ thinking }) => (typeof thinking === "string" ? [thinking] : []))
    .join("\n");
}
