/** Content parts of OpenAI's messages as content blocks of Anthropic's. */
import { isJsonObject, type JsonObject, memberOf } from "../chat.js";
import { imageTypeOf } from "../image-type.js";
import { refusal } from "../provider.js";

const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);
/**
 * Base64 but for its last two characters, and these. One expression for the whole would overflow V8's stack from 4.2 million
 * characters on, once the process has so much code that V8 no longer optimizes expressions (`TooMuchRegExpCode` in V8's
 * regexp.cc; as in https://github.com/colinhacks/zod/issues/4283, read on 2026-11-27).
 */
const NOT_IN_BASE64 = /[^A-Za-z0-9+/]/;
const END_OF_BASE64 = /^(?:[A-Za-z0-9+/]{2}|[A-Za-z0-9+/]=|==)$/;

/**
 * Blocks of a message's `content`, which is a string or a list of parts. Empty text and text of white space alone are
 * omitted, because the API refuses such blocks. Parts whose types are not OpenAI's are assumed to be Anthropic's and
 * pass unchanged.
 *
 * @param path of the content, `messages[0].content`
 * @throws ProviderFault `request_refused` naming the part
 */
export function contentBlocks(content: unknown, path: string): JsonObject[] {
  if (content === null || content === undefined) return [];
  if (typeof content === "string") return textBlocks(content);
  if (!Array.isArray(content)) throw refusal(path, "must be text or a list of parts");
  return content.flatMap((part, at) => partBlocks(part, `${path}[${at}]`));
}

/** As `contentBlocks`, for roles whose content is text only. */
export function textOnlyBlocks(content: unknown, path: string): JsonObject[] {
  const blocks = contentBlocks(content, path);
  const other = blocks.find(({ type }) => type !== "text");
  if (other !== undefined) throw refusal(path, "may hold text parts only");
  return blocks;
}

export const textBlocks = (text: string, extras: JsonObject = {}): JsonObject[] =>
  text.trim() === "" ? [] : [{ type: "text", text, ...extras }];

function partBlocks(part: unknown, path: string): JsonObject[] {
  if (!isJsonObject(part) || typeof part.type !== "string") {
    throw refusal(path, "must be an object with a `type`");
  }
  switch (part.type) {
    case "text":
      return textBlocks(stringAt(part, "text", path), cacheControl(part));
    case "refusal":
      return textBlocks(stringAt(part, "refusal", path), cacheControl(part));
    case "image_url":
      return [
        { type: "image", source: imageSource(part.image_url, `${path}.image_url`), ...cacheControl(part) },
      ];
    case "file":
      return [{ type: "document", ...documentOf(part.file, `${path}.file`), ...cacheControl(part) }];
    case "input_audio":
      throw refusal(`${path}.type`, "is input_audio, which no Claude model takes; send a transcript as text");
    default:
      return [part];
  }
}

/** The `cache_control` member that ends a cached prefix; clients may set it on any part, message or tool. */
export function cacheControl(holder: JsonObject): JsonObject {
  const mark = holder.cache_control;
  return isJsonObject(mark) ? { cache_control: mark } : {};
}

function imageSource(image: unknown, path: string): JsonObject {
  const url = typeof image === "string" ? image : stringAt(image, "url", path);
  const urlPath = typeof image === "string" ? path : `${path}.url`;
  if (url.startsWith("https://")) return { type: "url", url };
  if (!url.startsWith("data:")) throw refusal(urlPath, "must be an https: or data: URL");
  const { type, data } = parseDataUrl(url, urlPath);
  const mediaType = imageTypeOf(data) ?? (type === "image/jpg" ? "image/jpeg" : type);
  if (!IMAGE_TYPES.has(mediaType)) {
    throw refusal(urlPath, "must hold a JPEG, PNG, GIF or WebP image, and say so in its media type");
  }
  return { type: "base64", media_type: mediaType, data };
}

/** A PDF or a text in the request, or a file that was uploaded to Anthropic. */
function documentOf(file: unknown, path: string): JsonObject {
  const id = memberOf(file, "file_id");
  if (typeof id === "string") return { source: { type: "file", file_id: id } };
  const { type, data } = parseDataUrl(stringAt(file, "file_data", path), `${path}.file_data`);
  const isText = TEXT_TYPE.test(type);
  if (type !== "application/pdf" && !isText)
    throw refusal(`${path}.file_data`, "must hold a PDF or text, and say so in its media type");
  const title = memberOf(file, "filename");
  return {
    source: isText
      ? { type: "text", media_type: "text/plain", data: Buffer.from(data, "base64").toString("utf8") }
      : { type: "base64", media_type: type, data },
    ...(typeof title === "string" && title !== "" ? { title } : {}),
  };
}

/** What is sent as `text/plain`, the only type of text that Anthropic has (`PlainTextSource` of @anthropic-ai/sdk 1, 2026-11-25). */
const TEXT_TYPE = /^(?:text\/[\w.+-]+|application\/(?:json|xml|yaml|csv))$/;

/** `data:image/png;base64,iVBOR…`; the media type in lower case. */
function parseDataUrl(url: string, path: string): { readonly type: string; readonly data: string } {
  const comma = url.indexOf(",");
  const [type = "", ...parameters] = url.slice("data:".length, comma).toLowerCase().split(";");
  const data = url.slice(comma + 1);
  const whole = comma > 0 && parameters.at(-1)?.trim() === "base64" && data.length % 4 === 0;
  if (!whole || NOT_IN_BASE64.test(data.slice(0, -2)) || !END_OF_BASE64.test(data.slice(-2))) {
    throw refusal(path, "must be a data: URL in base64, data:image/png;base64,…");
  }
  return { type: type.trim(), data };
}

function stringAt(holder: unknown, key: string, path: string): string {
  const value = memberOf(holder, key);
  if (typeof value !== "string") throw refusal(`${path}.${key}`, "must be a string");
  return value;
}
