/** The output of a response, built from a chat answer piece by piece, with the events that say so. */
import {
  isJsonObject,
  type JsonObject,
  memberOf,
  objectsIn,
  sealedIn,
  textOf,
} from "../../providers/chat.js";
import { extraContentOf } from "../extra-content.js";
import { isCompaction, packedSummary } from "./compaction.js";
import { packedThinking } from "./thinking.js";
import { customInput, ToolNames, toolsIn } from "./tools.js";

/** Receives an event of the stream, without its `sequence_number`. */
export type Emit = (event: JsonObject & { readonly type: string }) => void;

type OwnItem = Record<string, unknown> & { readonly id: string };

interface OpenText {
  readonly kind: "message" | "reasoning";
  readonly item: OwnItem;
  readonly index: number;
  /** The parts of a message, or of a summary, the last one open. */
  readonly parts: OpenPart[];
}

interface OpenPart {
  readonly type: "output_text" | "refusal" | "summary_text";
  readonly texts: string[];
  readonly logprobs: unknown[];
  readonly annotations: JsonObject[];
}

interface OpenCall {
  readonly item: OwnItem;
  readonly index: number;
  readonly custom: boolean;
  /** Whether the model called a custom tool as a function, whose arguments have its input only when they are whole. */
  readonly asFunction: boolean;
  readonly pieces: string[];
}

/**
 * Texts end when something else begins. Calls stay open until the answer ends, because pieces of parallel calls may come
 * interleaved.
 */
export class OutputItems {
  /** In order; complete after `finish`. */
  readonly items: OwnItem[] = [];
  #open: OpenText | null = null;
  readonly #openCalls: OpenCall[] = [];
  /** By index. */
  readonly #calls = new Map<number, OpenCall>();
  readonly #signed = new WeakMap<OwnItem, readonly JsonObject[]>();
  /** Absent until a tool is called. */
  #names: ToolNames | undefined;
  /** Texts of a summary, which is all that a compaction gives. */
  readonly #summary: string[] | null;

  /**
   * @param options.ulid what makes the ids of the items unique
   * @param options.request whose tools are called by the names that it has for them
   * @param keep told of each text before it is kept for the whole item; may throw
   */
  constructor(
    private readonly options: { readonly ulid: string; readonly request: JsonObject },
    private readonly emit: Emit,
    private readonly keep: (text: string) => void = () => {},
  ) {
    this.#summary = isCompaction(options.request) ? [] : null;
  }

  /** @param piece a delta, or a whole message */
  add(piece: JsonObject, logprobs: unknown = null): void {
    if (this.#summary !== null) {
      const said = textOf(piece.content);
      this.keep(said);
      this.#summary.push(said);
      return;
    }
    const reasoning = piece.reasoning_content;
    if (typeof reasoning === "string" && reasoning !== "")
      this.#addText("reasoning", "summary_text", reasoning);
    this.#sign(objectsIn(piece.thinking_blocks));
    for (const sealed of sealedIn(piece)) this.#seal(sealed);
    const text = textOf(piece.content);
    if (text !== "") this.#addText("message", "output_text", text, chatLogprobs(logprobs));
    if (typeof piece.refusal === "string" && piece.refusal !== "") {
      this.#addText("message", "refusal", piece.refusal);
    }
    this.#annotate(objectsIn(piece.annotations));
    objectsIn(piece.tool_calls).forEach((call, position) => {
      this.#addCall(call, typeof call.index === "number" ? call.index : position);
    });
  }

  /** @param status of the items that were still open */
  finish(status: "completed" | "incomplete"): void {
    this.#closeText(status);
    for (const call of this.#openCalls) this.#closeCall(call, status);
    this.#openCalls.length = 0;
    this.#calls.clear();
    const summary = this.#summary?.join("") ?? "";
    if (summary !== "" && status === "completed")
      this.#done(this.#begin("cmp", { type: "compaction", encrypted_content: packedSummary(summary) }));
  }

  #begin(prefix: string, fields: JsonObject): { readonly item: OwnItem; readonly index: number } {
    const index = this.items.length;
    const item: OwnItem = { id: `${prefix}_${this.options.ulid}${index}`, ...fields };
    this.items.push(item);
    this.emit({ type: "response.output_item.added", output_index: index, item: { ...item } });
    return { item, index };
  }

  #done({ item, index }: { readonly item: OwnItem; readonly index: number }): void {
    this.emit({ type: "response.output_item.done", output_index: index, item });
  }

  #textItem(kind: OpenText["kind"]): OpenText {
    if (this.#open?.kind === kind) return this.#open;
    this.#closeText("completed");
    const started =
      kind === "reasoning"
        ? this.#begin("rs", { type: "reasoning", summary: [] })
        : this.#begin("msg", { type: "message", status: "in_progress", role: "assistant", content: [] });
    this.#open = { kind, ...started, parts: [] };
    return this.#open;
  }

  #addText(
    kind: OpenText["kind"],
    type: OpenPart["type"],
    text: string,
    logprobs: readonly unknown[] = [],
  ): void {
    const open = this.#textItem(kind);
    const part = this.#partOf(open, type);
    this.keep(text);
    part.texts.push(text);
    part.logprobs.push(...logprobs);
    this.emit({
      type: `${EVENT_OF[type]}.delta`,
      ...placeOf(open),
      delta: text,
      ...(type === "output_text" ? { logprobs } : {}),
    });
  }

  #partOf(open: OpenText, type: OpenPart["type"]): OpenPart {
    const last = open.parts.at(-1);
    if (last?.type === type) return last;
    if (last !== undefined) this.#closePart(open, last);
    const part: OpenPart = { type, texts: [], logprobs: [], annotations: [] };
    open.parts.push(part);
    this.emit({ type: `${PART_EVENT_OF[open.kind]}.added`, ...placeOf(open), part: shownPart(part) });
    return part;
  }

  #closePart(open: OpenText, part: OpenPart): void {
    const whole = part.texts.join("");
    const { type } = part;
    this.emit({
      type: `${EVENT_OF[type]}.done`,
      ...placeOf(open),
      [type === "refusal" ? "refusal" : "text"]: whole,
      ...(type === "output_text" ? { logprobs: part.logprobs } : {}),
    });
    this.emit({ type: `${PART_EVENT_OF[open.kind]}.done`, ...placeOf(open), part: shownPart(part) });
  }

  #closeText(status: "completed" | "incomplete"): void {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    const last = open.parts.at(-1);
    if (last !== undefined) this.#closePart(open, last);
    const parts = open.parts.map(shownPart);
    if (open.kind === "reasoning") open.item.summary = parts;
    else Object.assign(open.item, { status, content: parts });
    this.#done(open);
  }

  #sign(blocks: readonly JsonObject[]): void {
    if (blocks.length === 0) return;
    const { item } = this.#textItem("reasoning");
    const before = this.#signed.get(item) ?? [];
    const all = [...before, ...blocks];
    this.#signed.set(item, all);
    item.encrypted_content = packedThinking(all);
  }

  /** Each item of reasoning is sealed on its own. */
  #seal(sealed: string): void {
    this.#textItem("reasoning").item.encrypted_content = sealed;
    this.#closeText("completed");
  }

  #annotate(annotations: readonly JsonObject[]): void {
    const open = this.#open;
    const part = open?.parts.at(-1);
    if (open?.kind !== "message" || part?.type !== "output_text") return;
    for (const annotation of annotations) {
      const flat = flatAnnotation(annotation);
      this.emit({
        type: "response.output_text.annotation.added",
        ...placeOf(open),
        annotation_index: part.annotations.length,
        annotation: flat,
      });
      part.annotations.push(flat);
    }
  }

  #addCall(call: JsonObject, at: number): void {
    const open = this.#calls.get(at) ?? this.#openCall(call, at);
    const isFunction = open.asFunction || !open.custom;
    const piece = memberOf(call[isFunction ? "function" : "custom"], isFunction ? "arguments" : "input");
    if (typeof piece !== "string" || piece === "") return;
    this.keep(piece);
    open.pieces.push(piece);
    if (!open.asFunction) this.#emitPiece(open, piece);
  }

  #emitPiece(open: OpenCall, piece: string): void {
    this.emit({
      type: `${callEvent(open)}.delta`,
      item_id: open.item.id,
      output_index: open.index,
      delta: piece,
    });
  }

  #openCall(call: JsonObject, at: number): OpenCall {
    this.#closeText("completed");
    const called = isJsonObject(call.custom) ? call.custom : call.function;
    const named = memberOf(called, "name");
    this.#names ??= new ToolNames(toolsIn(this.options.request));
    const own = this.#names.own(named);
    const custom = own?.custom ?? isJsonObject(call.custom);
    const started = this.#begin(custom ? "ctc" : "fc", {
      type: custom ? "custom_tool_call" : "function_call",
      status: "in_progress",
      call_id: typeof call.id === "string" ? call.id : `call_${this.options.ulid}${at}`,
      name: own?.name ?? (typeof named === "string" ? named : ""),
      ...(own?.namespace !== undefined && { namespace: own.namespace }),
      [custom ? "input" : "arguments"]: "",
      ...extraContentOf(call),
    });
    const open = { ...started, custom, asFunction: custom && !isJsonObject(call.custom), pieces: [] };
    this.#calls.set(at, open);
    this.#openCalls.push(open);
    return open;
  }

  #closeCall(open: OpenCall, status: "completed" | "incomplete"): void {
    const pieces = open.pieces.join("");
    const given = open.asFunction ? customInput(pieces) : pieces;
    if (open.asFunction) this.#emitPiece(open, given);
    const member = open.custom ? "input" : "arguments";
    this.emit({
      type: `${callEvent(open)}.done`,
      item_id: open.item.id,
      output_index: open.index,
      ...(open.custom ? {} : { name: open.item.name }),
      [member]: given,
    });
    Object.assign(open.item, { status, [member]: given });
    this.#done(open);
  }
}

const EVENT_OF = {
  output_text: "response.output_text",
  refusal: "response.refusal",
  summary_text: "response.reasoning_summary_text",
} as const;

const PART_EVENT_OF = {
  message: "response.content_part",
  reasoning: "response.reasoning_summary_part",
} as const;

const callEvent = ({ custom }: OpenCall): string =>
  custom ? "response.custom_tool_call_input" : "response.function_call_arguments";

/** Which part of which item an event is about: the last one. */
function placeOf({ kind, item, index, parts }: OpenText): JsonObject {
  const part = parts.length - 1;
  return {
    item_id: item.id,
    output_index: index,
    [kind === "reasoning" ? "summary_index" : "content_index"]: part,
  };
}

function shownPart({ type, texts, logprobs, annotations }: OpenPart): JsonObject {
  const text = texts.join("");
  if (type === "refusal") return { type, refusal: text };
  return type === "summary_text"
    ? { type, text }
    : { type, text, annotations: [...annotations], logprobs: [...logprobs] };
}

/** Chat nests what it says of a citation under its type. */
function flatAnnotation(annotation: JsonObject): JsonObject {
  const { type } = annotation;
  const inner = typeof type === "string" ? annotation[type] : undefined;
  return isJsonObject(inner) ? { type, ...inner } : annotation;
}

function chatLogprobs(logprobs: unknown): readonly unknown[] {
  const content = memberOf(logprobs, "content");
  return Array.isArray(content) ? content : [];
}
