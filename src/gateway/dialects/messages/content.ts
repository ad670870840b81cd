/** Content blocks of Anthropic's messages as content parts of OpenAI's. */
import { isJsonObject, type JsonObject } from "../../providers/chat.js";
import { invalid, kindOf, objectAt, stringAt } from "../faults.js";
import { type OnlyNativeNotes, shownType } from "../only-native.js";

/** A content block and where it stands. */
export interface PlacedBlock {
  readonly block: JsonObject;
  /** `messages[0].content[1]`. */
  readonly path: string;
}

/**
 * The blocks of a `content`; text alone is one block.
 *
 * @throws SextantError naming what is no block
 */
export function blocksOf(content: unknown, path: string): readonly PlacedBlock[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [{ block: { type: "text", text: content }, path }];
  if (!Array.isArray(content))
    throw invalid(path, `${kindOf(content)}: it must be a string or a list of content blocks`);
  return content.map((block: unknown, at) => {
    const place = `${path}[${at}]`;
    if (isJsonObject(block) && typeof block.type === "string") return { block, path: place };
    throw invalid(place, "must be a content block, an object with a `type`");
  });
}

/**
 * What a user says, or a tool returns, as parts. `cache_control` and citations of earlier answers are left out. Blocks
 * without a counterpart go to `notes`.
 *
 * @throws SextantError naming the member that is missing or wrong
 */
export function chatParts({ block, path }: PlacedBlock, notes: OnlyNativeNotes): readonly JsonObject[] {
  switch (block.type) {
    case "text":
      return [textPart(stringAt(block, "text", path))];
    case "image":
      return imageParts(objectAt(block, "source", path), { path: `${path}.source`, notes });
    case "document":
      return documentParts(block, { path, notes });
    case "search_result":
      return [textPart(searchResultText(block, path))];
    // The tool is among those that the request offers: `offered-tools.ts`.
    case "tool_reference":
      return [textPart(`You can call the tool ${stringAt(block, "tool_name", path)} now.`)];
    default:
      notes.add(`${path}.type`, `the content block ${shownType(String(block.type))}`);
      return [];
  }
}

export const textPart = (text: string): JsonObject => ({ type: "text", text });

/** Text alone as a string, which every server takes; else the parts. */
export function contentOf(parts: readonly JsonObject[]): string | readonly JsonObject[] {
  const [first] = parts;
  if (first === undefined) return "";
  return parts.length === 1 && first.type === "text" ? String(first.text) : parts;
}

interface Place {
  readonly path: string;
  readonly notes: OnlyNativeNotes;
}

function imageParts(source: JsonObject, { path, notes }: Place): readonly JsonObject[] {
  switch (source.type) {
    case "base64":
      return [imagePart(dataUrl(source, path))];
    case "url":
      return [imagePart(stringAt(source, "url", path))];
    default:
      noteSource(source, { path, notes });
      return [];
  }
}

const imagePart = (url: string): JsonObject => ({ type: "image_url", image_url: { url } });

/** OpenAI wants a name with every file. */
const UNNAMED = "document.pdf";

function documentParts(block: JsonObject, { path, notes }: Place): readonly JsonObject[] {
  if (isJsonObject(block.citations) && block.citations.enabled === true)
    notes.add(`${path}.citations`, "citations");
  const source = objectAt(block, "source", path);
  const place = { path: `${path}.source`, notes };
  const heading = [block.title, block.context].filter((line) => typeof line === "string" && line !== "");
  switch (source.type) {
    case "base64": {
      const filename = typeof block.title === "string" && block.title !== "" ? block.title : UNNAMED;
      return [{ type: "file", file: { filename, file_data: dataUrl(source, place.path) } }];
    }
    case "text":
      return [textPart([...heading, stringAt(source, "data", place.path)].join("\n\n"))];
    case "content": {
      const parts = blocksOf(source.content, `${place.path}.content`).flatMap((placed) =>
        chatParts(placed, notes),
      );
      return heading.length === 0 ? parts : [textPart(heading.join("\n\n")), ...parts];
    }
    default:
      noteSource(source, place);
      return [];
  }
}

/** Addresses of documents, and files uploaded to Anthropic: chat has no form for them. */
function noteSource(source: JsonObject, { path, notes }: Place): void {
  const type = stringAt(source, "type", path);
  notes.add(`${path}.type`, type === "url" ? "a document by its URL" : `the source ${shownType(type)}`);
}

function dataUrl(source: JsonObject, path: string): string {
  return `data:${stringAt(source, "media_type", path)};base64,${stringAt(source, "data", path)}`;
}

function searchResultText(block: JsonObject, path: string): string {
  const texts = blocksOf(block.content, `${path}.content`).map(({ block: inner, path: place }) =>
    stringAt(inner, "text", place),
  );
  return [stringAt(block, "title", path), stringAt(block, "source", path), ...texts].join("\n\n");
}
