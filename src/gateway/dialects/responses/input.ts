/** `instructions` and `input` of a Responses request as chat messages. */
import {
  isJsonObject,
  isSealed,
  type JsonObject,
  memberOf,
  objectsIn,
  sealedMember,
  textOf,
} from "../../providers/chat.js";
import { extraContentOf } from "../extra-content.js";
import { invalid, stringAt } from "../faults.js";
import { type OnlyNative, OnlyNativeNotes } from "../only-native.js";
import { COMPACTION_TRIGGER, SUMMARY_REQUEST, summaryIn } from "./compaction.js";
import { thinkingBlocksIn } from "./thinking.js";
import { TOOL_ITEMS, type ToolNames } from "./tools.js";

export interface Conversation {
  readonly messages: readonly JsonObject[];
  readonly onlyNative: OnlyNative | null;
  /** Types of items that say nothing here. */
  readonly leftOut: readonly string[];
}

/** What a provider did for an earlier answer, which says what came of it. */
const HOSTED_CALLS: ReadonlySet<unknown> = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_call",
  "mcp_list_tools",
  "tool_search_call",
]);

/**
 * Items that follow each other from one answer (reasoning, message, calls) become one assistant message, since that is how
 * chat says them.
 *
 * @throws SextantError `invalid_request` naming the item
 */
export function chatConversation({ instructions, input }: JsonObject, names: ToolNames): Conversation {
  const reader = new InputReader(names);
  if (typeof instructions === "string" && instructions !== "") {
    reader.messages.push({ role: "system", content: instructions });
  }
  if (typeof input === "string") reader.messages.push({ role: "user", content: input });
  else if (Array.isArray(input)) {
    for (const [index, item] of input.entries()) {
      if (index < input.length - 1) refuseEarlyTrigger(item, `input[${index}]`);
      reader.read(item, `input[${index}]`);
    }
    reader.showRest();
  }
  const { messages, notes, leftOut } = reader;
  return { messages: messages.map(cleaned), onlyNative: notes.first, leftOut };
}

/** Those whose Responses API cannot read what OpenAI encrypted. */
const OTHER_VENDORS: ReadonlySet<string> = new Set(["x-ai"]);

type OwnMessage = Record<string, unknown>;

class InputReader {
  readonly messages: OwnMessage[] = [];
  readonly notes = new OnlyNativeNotes();
  readonly leftOut: string[] = [];
  /** Parts of outputs that are no text, not shown yet. */
  #shown: JsonObject[] = [];

  constructor(private readonly names: ToolNames) {}

  read(item: unknown, path: string): void {
    if (!isJsonObject(item)) throw invalid(path, "must be an object with a `type` or a `role`");
    const type = item.type ?? "message";
    if (type !== "function_call_output" && type !== "custom_tool_call_output") this.showRest();
    switch (type) {
      case "message":
        this.#readMessage(item, path);
        break;
      case "reasoning":
        this.#readReasoning(item);
        break;
      case "function_call":
        this.#addCall({
          id: stringAt(item, "call_id", path),
          type: "function",
          function: { name: this.#nameOf(item, path), arguments: stringAt(item, "arguments", path) },
          ...extraContentOf(item),
        });
        break;
      case "custom_tool_call":
        this.#addCall({
          id: stringAt(item, "call_id", path),
          type: "custom",
          custom: { name: this.#nameOf(item, path), input: stringAt(item, "input", path) },
          ...extraContentOf(item),
        });
        break;
      case "function_call_output":
      case "custom_tool_call_output":
        this.#readOutput(item, path);
        break;
      case "item_reference":
        refuseOwnItem(item, path);
        this.notes.add(`${path}.type`, "an item kept by the provider");
        break;
      case "compaction":
        this.#readCompaction(item, path);
        break;
      case COMPACTION_TRIGGER:
        this.messages.push({ role: "user", content: SUMMARY_REQUEST });
        break;
      default:
        if (HOSTED_CALLS.has(type)) this.leftOut.push(String(type));
        else if (!TOOL_ITEMS.has(type))
          this.notes.add(`${path}.type`, `an input item of type ${JSON.stringify(type)}`);
    }
  }

  #readCompaction(item: JsonObject, path: string): void {
    const content = summaryIn(item);
    if (content === null)
      this.notes.add(`${path}.type`, "a conversation that OpenAI compacted", OTHER_VENDORS);
    else this.messages.push({ role: "user", content });
  }

  #nameOf(item: JsonObject, path: string): unknown {
    return this.names.inChat({ name: stringAt(item, "name", path), namespace: item.namespace });
  }

  #readMessage(item: JsonObject, path: string): void {
    const { role } = item;
    if (role === "assistant") {
      this.#addAnswer(item.content, `${path}.content`);
      return;
    }
    if (role !== "user" && role !== "system" && role !== "developer") {
      throw invalid(`${path}.role`, "must be user, system, developer or assistant");
    }
    this.messages.push({ role, content: this.#contentOf(item.content, `${path}.content`) });
  }

  /** What an earlier answer said. */
  #addAnswer(content: unknown, path: string): void {
    const message = this.#answer("content");
    if (typeof content === "string") {
      append(message, "content", content);
      return;
    }
    if (!Array.isArray(content)) throw invalid(path, "must be a string or a list of parts");
    const texts: string[] = [];
    const refusals: string[] = [];
    content.forEach((part: unknown, index) => {
      const partPath = `${path}[${index}]`;
      if (!isJsonObject(part)) throw invalid(partPath, "must be an object with a `type`");
      if (part.type === "refusal") refusals.push(stringAt(part, "refusal", partPath));
      else texts.push(stringAt(part, "text", partPath));
    });
    if (texts.length > 0) append(message, "content", texts.join(""));
    if (refusals.length > 0) append(message, "refusal", refusals.join(""));
  }

  /** What its provider alone can read goes back to it; the summaries of models say nothing that a model can use. */
  #readReasoning(item: JsonObject): void {
    const { encrypted_content: content } = item;
    if (isSealed(content)) {
      const { reasoning_details: details } = sealedMember([content]);
      const message = this.#answer("content");
      message.reasoning_details = [...listIn(message, "reasoning_details"), ...objectsIn(details)];
      return;
    }
    const blocks = thinkingBlocksIn(content);
    if (blocks === null) return;
    const message = this.#answer("thinking_blocks");
    message.thinking_blocks = [...listIn(message, "thinking_blocks"), ...blocks];
  }

  #addCall(call: JsonObject): void {
    const last = this.messages.at(-1);
    const message = last?.role === "assistant" ? last : this.#answer("tool_calls");
    message.tool_calls = [...listIn(message, "tool_calls"), call];
  }

  #readOutput(item: JsonObject, path: string): void {
    const id = stringAt(item, "call_id", path);
    const parts = this.#contentOf(item.output, `${path}.output`);
    this.messages.push({ role: "tool", tool_call_id: id, content: textOf(parts) });
    // A tool message holds text only: the rest is shown by the user.
    this.#shown.push(...objectsIn(parts).filter(({ type }) => type !== "text"));
  }

  /** Shows the images and files of outputs, once no output follows: chat wants those of parallel calls without a gap. */
  showRest(): void {
    if (this.#shown.length > 0) this.messages.push({ role: "user", content: this.#shown });
    this.#shown = [];
  }

  /**
   * The assistant message under way. A new one when there is none, or when it has that member already and has called nothing:
   * between a call and its output chat allows no other message.
   */
  #answer(member: string): OwnMessage {
    const last = this.messages.at(-1);
    if (last?.role === "assistant" && (last[member] === undefined || last.tool_calls !== undefined))
      return last;
    const message: OwnMessage = { role: "assistant" };
    this.messages.push(message);
    return message;
  }

  #contentOf(content: unknown, path: string): string | readonly JsonObject[] {
    if (typeof content === "string") return content;
    if (!Array.isArray(content)) throw invalid(path, "must be a string or a list of parts");
    return content.flatMap((part: unknown, index) => this.#partOf(part, `${path}[${index}]`));
  }

  #partOf(part: unknown, path: string): readonly JsonObject[] {
    if (!isJsonObject(part)) throw invalid(path, "must be an object with a `type`");
    switch (part.type) {
      case "input_text":
      case "output_text":
      case "text":
        return [{ type: "text", text: stringAt(part, "text", path) }];
      case "input_image":
        return this.#imageOf(part, path);
      case "input_file":
        return this.#fileOf(part, path);
      case "input_audio":
        return [{ type: "input_audio", input_audio: part.input_audio }];
      default:
        throw invalid(`${path}.type`, "must be one of input_text, input_image, input_file, input_audio");
    }
  }

  #imageOf({ image_url: url, detail, file_id: fileId }: JsonObject, path: string): readonly JsonObject[] {
    if (typeof url === "string") {
      return [{ type: "image_url", image_url: { url, ...(typeof detail === "string" ? { detail } : {}) } }];
    }
    if (typeof fileId !== "string") throw invalid(`${path}.image_url`, "must be a URL or a data: URI");
    this.notes.add(`${path}.file_id`, "an image that was uploaded before");
    return [];
  }

  #fileOf(
    { file_data: data, filename, file_id: id, file_url: url }: JsonObject,
    path: string,
  ): readonly JsonObject[] {
    if (typeof url === "string") {
      this.notes.add(`${path}.file_url`, "a file by its URL");
      return [];
    }
    const file = {
      ...(typeof data === "string" ? { file_data: data } : {}),
      ...(typeof filename === "string" ? { filename } : {}),
      ...(typeof id === "string" ? { file_id: id } : {}),
    };
    if (file.file_data === undefined && file.file_id === undefined) {
      throw invalid(path, "must have `file_data`, `file_id` or `file_url`");
    }
    return [{ type: "file", file }];
  }
}

/** An answer that only called tools has null for a content, as chat's answers do. */
function cleaned(message: OwnMessage): JsonObject {
  return message.role === "assistant" && message.content === undefined
    ? { ...message, content: null }
    : message;
}

function append(message: OwnMessage, member: "content" | "refusal", text: string): void {
  const before = message[member];
  message[member] = typeof before === "string" ? before + text : text;
}

const listIn = (message: OwnMessage, member: string): readonly JsonObject[] => objectsIn(message[member]);

function refuseEarlyTrigger(item: unknown, path: string): void {
  if (memberOf(item, "type") === COMPACTION_TRIGGER)
    throw invalid(`${path}.type`, `is ${COMPACTION_TRIGGER}, which must be the last item`);
}

/** Items of a response that was translated are remembered here alone: no provider knows their ids. */
function refuseOwnItem({ id }: JsonObject, path: string): void {
  if (typeof id !== "string" || !/^[a-z]+_[0-9A-HJKMNP-TV-Z]{26}\d+$/.test(id)) return;
  throw invalid(
    `${path}.id`,
    "names an item of a response that was not kept, or is no longer kept. Send the item itself: with `store: false`, clients do so",
  );
}
