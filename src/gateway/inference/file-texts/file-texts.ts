import {
  BYTES_PER_TOKEN,
  estimatePromptTokens,
  estimateTextTokens,
  isTelling,
  ownText,
} from "../../../engine/index.js";
import { type ChatBody, isJsonObject, type JsonObject } from "../../providers/chat.js";
import type { Settings } from "../../settings/settings.js";
import { conversationOf, textPieces } from "../text/conversation-text.js";
import type { PdfReader } from "./pdf-reader.js";

export interface FileTextSources {
  readonly pdfs: Pick<PdfReader, "read">;
  readonly settings: Pick<Settings, "routedFileMaxBytes" | "routedFileMaxPages" | "routedFileMaxCharacters">;
}

/** A request as it is judged. */
export interface JudgedRequest {
  /** With the texts of files in their place. */
  readonly body: ChatBody;
  /** Estimated, with pages and characters beyond those that were read. */
  readonly promptTokens: number;
  /** Of each file that was not read, why, as a clause. */
  readonly notes: readonly string[];
}

/** User messages whose files may be read: as many as routing looks at. */
const MOST_MESSAGES = 4;

/**
 * Puts the texts of files in their place, in those messages that a decision rests on: the last one of the user, and earlier ones while these
 * say little. Undefined, at once, when these have no files.
 */
export function withFileTexts(body: ChatBody, sources: FileTextSources): Promise<JudgedRequest> | undefined {
  const asked = body.messages.filter(({ role }) => role === "user").slice(-MOST_MESSAGES);
  return asked.some(hasFile) ? read(body, asked.reverse(), sources) : undefined;
}

async function read(
  body: ChatBody,
  asked: readonly JsonObject[],
  sources: FileTextSources,
): Promise<JudgedRequest> {
  const judged = new Map<JsonObject, JsonObject>();
  const notes: string[] = [];
  let unreadTokens = 0;
  let maxCharacters = sources.settings.routedFileMaxCharacters;
  let said = "";
  for (const message of asked) {
    if (isTelling(said)) break;
    const parts: unknown[] = [];
    for (const part of partsOf(message)) {
      const file = isFile(part) ? await textOfFile(part.file, { ...sources, maxCharacters }) : null;
      if (file !== null && "unread" in file) notes.push(`a file was not read: it ${file.unread}`);
      if (file === null || "unread" in file) {
        parts.push(part);
        continue;
      }
      parts.push({ type: "text", text: file.text });
      maxCharacters -= file.text.length;
      unreadTokens += file.unreadTokens;
    }
    const whole = { ...message, content: parts };
    if (hasFile(message)) judged.set(message, whole);
    said += ownText(textPieces(parts)).text;
  }
  const messages = body.messages.map((message) => judged.get(message) ?? message);
  const promptTokens = Math.ceil(estimatePromptTokens(conversationOf(messages)) + unreadTokens);
  return { body: { ...body, messages }, promptTokens, notes };
}

interface ReadFile {
  readonly text: string;
  readonly unreadTokens: number;
}

type FileOptions = FileTextSources & { readonly maxCharacters: number };

async function textOfFile(
  file: JsonObject,
  { pdfs, settings, maxCharacters }: FileOptions,
): Promise<ReadFile | { readonly unread: string }> {
  const { file_data: data } = file;
  if (typeof data !== "string") return { unread: "is not part of the request" };
  const isUrl = data.startsWith("data:");
  const comma = isUrl ? data.indexOf(",") : -1;
  const type = isUrl ? data.slice("data:".length, comma).toLowerCase().replace(/;.*$/, "") : "";
  const content = data.slice(comma + 1);
  if (content.length * 0.75 > settings.routedFileMaxBytes)
    return { unread: `is larger than ${settings.routedFileMaxBytes} bytes` };
  if (maxCharacters <= 0) return { unread: "comes after others that have the most characters that are read" };
  if (type === "application/pdf" || content.startsWith(PDF_START)) {
    const { routedFileMaxPages: maxPages } = settings;
    const read = await pdfs.read({ data: content, maxPages, maxCharacters });
    if ("unread" in read) return read;
    const pagesLeft = read.pages - read.pagesRead;
    return { text: read.text, unreadTokens: (estimateTextTokens(read.text) / read.pagesRead) * pagesLeft };
  }
  if (!TEXT_TYPE.test(type))
    return { unread: `is neither a PDF nor text${type === "" ? "" : `, but ${type}`}` };
  const text = decoded(content, maxCharacters);
  const bytesLeft = Math.max(0, content.length * 0.75 - Buffer.byteLength(text));
  return { text, unreadTokens: bytesLeft / BYTES_PER_TOKEN };
}

/** `%PDF-` in base64: some clients leave the type out. */
const PDF_START = "JVBERi0";

const TEXT_TYPE =
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|csv|x-ndjson|javascript|sql)$|.*\+(?:json|xml)$)/;

/** The first characters of a text in base64; a character takes at most four bytes. */
const decoded = (base64: string, characters: number): string =>
  Buffer.from(base64.slice(0, Math.ceil((characters * 4) / 3) * 4), "base64")
    .toString("utf8")
    .slice(0, characters);

type FilePart = JsonObject & { readonly file: JsonObject };

const isFile = (part: unknown): part is FilePart =>
  isJsonObject(part) && part.type === "file" && isJsonObject(part.file);

const partsOf = ({ content }: JsonObject): readonly unknown[] =>
  Array.isArray(content) ? content : [{ type: "text", text: content }];

const hasFile = (message: JsonObject): boolean => partsOf(message).some(isFile);
