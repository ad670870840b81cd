import { randomUUID } from "node:crypto";
import { exactJson } from "../../../foundation/exact-numbers.js";
import { isJsonObject, type JsonObject, memberOf, objectsIn, parsedJson, textOf } from "../chat.js";
import { faultInReply } from "../http/fault.js";
import { GeminiThoughts } from "./gemini-thoughts.js";

interface Call {
  /** Its place among the calls of the choice; null until its name came. */
  index: number | null;
  /** As the server gave it; empty without one. */
  id: string;
  /** Its arguments so far. */
  given: string;
}

/**
 * One choice of an answer as every client of chat completions reads it, whatever its server wrote: `content` is a text or
 * null, `reasoning_content` has the reasoning by whichever name it came, the finish reason is an official one, and each
 * call has an index, an id, a type and a name, once, and arguments that are a text.
 */
export class RepairedChoice {
  readonly #calls: Call[] = [];
  /** The latest call by each index that the server gave. */
  readonly #latest = new Map<unknown, Call>();
  readonly #thoughts = new GeminiThoughts();
  #introduced = false;
  #spoke = false;
  #reason: string | null = null;

  /** @param functions whether the request has `functions`, the old form of `tools`, whose clients read `function_call` */
  constructor(private readonly functions: boolean) {}

  get reason(): string {
    const reason = this.#reason ?? "stop";
    if (reason !== "stop" && reason !== "tool_calls") return reason;
    return this.#numbered.length > 0 ? "tool_calls" : "stop";
  }

  /** Whether it is whole if no reason comes: something was said, and no call is cut. */
  get seemsWhole(): boolean {
    return this.#spoke && this.#calls.every(({ given }) => !given.startsWith("{") || isWhole(given));
  }

  /**
   * @param choice what may have a `finish_reason`. @returns whether it has
   * @throws ProviderFault for a reason that stands for a failure
   */
  finish(choice: JsonObject): boolean {
    const given = word(choice.finish_reason);
    const name = given.toLowerCase().replaceAll("-", "_");
    if (FAILURES.test(name)) throw faultInReply("error" in choice ? choice : { error: { code: given } });
    if (NO_REASONS.has(name)) return false;
    const known = REASONS.find(([, names]) => names.test(name))?.[0] ?? "stop";
    this.#reason = known === "function_call" && !this.functions ? "stop" : known;
    return true;
  }

  /** @param given a delta. @returns the same object where there is nothing to repair */
  piece(given: JsonObject): JsonObject {
    const { role, content, tool_calls: calls, function_call: called } = given;
    if (this.#introduced && !this.#thoughts.isOpen && isTextAlone(given)) {
      this.#spoke ||= content !== "";
      return given;
    }
    const reasoning = reasoningIn(given);
    const isText = typeof content === "string" || content === undefined || content === null;
    const pieces = called === undefined || calls || this.functions ? partsOf(calls) : [{ function: called }];
    const made = pieces.length === 0 ? pieces : pieces.flatMap((piece) => this.#call(piece));
    this.#spoke ||= made.length > 0 || (content ?? "") !== "";
    const thoughts = this.#thoughts.separated(given);
    const isPlain = isText && reasoning === "" && thoughts === null;
    const isSame = Array.isArray(calls)
      ? calls.length > 0 && calls.every((one, at) => one === made[at])
      : made === pieces && calls === undefined;
    if (isPlain && isSame && this.#introduced && role === undefined) return given;
    const { role: _role, tool_calls: _calls, function_call: _called, ...rest } = given;
    const repaired = {
      ...(this.#introduced ? {} : { role: "assistant" }),
      ...rest,
      ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
      ...(isText ? thoughts : { content: textOf(partsOf(content).filter(isSaid)) }),
      ...(this.functions && called !== undefined ? { function_call: called } : {}),
    };
    this.#introduced = true;
    return made.length === 0 ? repaired : { ...repaired, tool_calls: made };
  }

  /** What is still to be said when the choice ends: the arguments of calls that came without any. */
  rest(): JsonObject {
    if (this.#introduced && this.#calls.length === 0) return {};
    const empty = this.#numbered.filter(({ given }) => given === "");
    const calls = empty.map(({ index }) => ({ index, function: { arguments: "{}" } }));
    return { ...this.piece({}), ...(calls.length === 0 ? {} : { tool_calls: calls }) };
  }

  get #numbered(): readonly Call[] {
    return this.#calls.filter(({ index }) => index !== null);
  }

  /** The piece of a call for clients; none while its name has not come. */
  #call(piece: JsonObject): readonly JsonObject[] {
    const begun = this.#latest.get(piece.index);
    const more = memberOf(piece.function, "arguments");
    if (begun !== undefined && begun.index === piece.index && typeof more === "string" && !isNamed(piece)) {
      begun.given += more;
      return [piece];
    }
    const [kind, member] = isJsonObject(piece.custom) ? CUSTOM : FUNCTION;
    const {
      name: named,
      [member]: theirs,
      ...called
    }: JsonObject = { ...(piece[kind] as JsonObject | undefined) };
    const name = named === "null" ? "" : word(named);
    const call = this.#callOf(piece, name);
    // Some servers say a call again when it is whole.
    if (call.index !== null && name !== "" && isWhole(call.given)) return [];
    const given =
      theirs === undefined || theirs === null ? "" : typeof theirs === "string" ? theirs : exactJson(theirs);
    call.given += given;
    const { id: _id, type: _type, ...rest } = piece;
    if (call.index !== null) return [{ ...rest, index: call.index, [kind]: { ...called, [member]: given } }];
    if (name === "") return [];
    call.index = this.#numbered.length;
    const id = call.id === "" ? `call_${randomUUID().replaceAll("-", "")}` : call.id;
    return [
      { ...rest, index: call.index, id, type: kind, [kind]: { ...called, name, [member]: call.given } },
    ];
  }

  #callOf({ index, id: theirs }: JsonObject, name: string): Call {
    const id = word(theirs);
    const known =
      typeof index === "number"
        ? this.#latest.get(index)
        : (this.#calls.find((call) => id !== "" && call.id === id) ?? this.#calls.at(-1));
    if (known !== undefined && !beginsAnother(known, { id, name })) {
      known.id ||= id;
      return known;
    }
    const call: Call = { index: null, id, given: "" };
    this.#calls.push(call);
    if (typeof index === "number") this.#latest.set(index, call);
    return call;
  }
}

/** Nearly every piece of an answer. */
function isTextAlone(delta: JsonObject): boolean {
  for (const name in delta) if (name !== "content") return false;
  return typeof delta.content === "string";
}

const FUNCTION = ["function", "arguments"] as const;
const CUSTOM = ["custom", "input"] as const;

/** A name with another id, or after whole arguments, whichever index it has: some servers give every call the same one. */
function beginsAnother(known: Call, { id, name }: { readonly id: string; readonly name: string }): boolean {
  if (name === "") return false;
  return id !== "" && known.id !== "" ? id !== known.id : known.index !== null && isWhole(known.given);
}

const isNamed = ({ id, type, function: called }: JsonObject): boolean =>
  id !== undefined || type !== undefined || memberOf(called, "name") !== undefined;

/** Arguments to which nothing can be added. */
const isWhole = (given: string): boolean => given.trimEnd().endsWith("}") && isJsonObject(parsedJson(given));

/**
 * What other servers say for OpenAI's reasons: Anthropic's and Gemini's names behind gateways, and Mistral's `model_length`.
 * That any other word stands for `stop` is a guess.
 */
const REASONS: readonly (readonly [string, RegExp])[] = [
  ["function_call", /^function_call$/],
  ["tool_calls", /^tool_/],
  ["length", /length|max_(?:output_)?tokens|context_window|incomplete|pause_turn/],
  [
    "content_filter",
    /filter|safety|recitation|refusal|sensitive|blocklist|prohibited|spii|guardrail|moderation/,
  ],
];

/**
 * DeepSeek's `insufficient_system_resource` (https://api-docs.deepseek.com/api/create-chat-completion), GLM's `network_error`
 * (https://github.com/NousResearch/hermes-agent/pull/92161, 2026-08-22), Gemini's `MALFORMED_FUNCTION_CALL`
 * (https://github.com/NousResearch/hermes-agent/pull/83886, 2026-08-11), vLLM's `abort`
 * (https://github.com/vllm-project/vllm/issues/57082, 2026-09-15), OpenRouter's `error`.
 */
const FAILURES = /^error|network_error|insufficient_system_resource|malformed|^abort/;

/** The last one is KoboldCpp's (https://github.com/PowerShell/AIShell/issues/350, 2025-03-07). */
const NO_REASONS: ReadonlySet<string> = new Set(["", "null"]);

/** Reasoning that `reasoning_content` does not have: by another name, or in a list. */
function reasoningIn(given: JsonObject): string {
  const { reasoning_content: known, reasoning, thinking, reasoning_details: details, content } = given;
  if (word(known) !== "") return "";
  const text = word(reasoning) || word(thinking);
  if (text !== "" || (details === undefined && typeof content !== "object")) return text;
  const parts = [...objectsIn(details), ...partsOf(content).filter((part) => !isSaid(part))];
  return parts.map(({ thinking, summary, text }) => textOf(thinking ?? summary ?? text)).join("");
}

/** Mistral's `thinking` and Databricks' `reasoning` are parts beside those of the answer. */
const isSaid = ({ type }: JsonObject): boolean => type !== "thinking" && type !== "reasoning";

const partsOf = (value: unknown): readonly JsonObject[] => (isJsonObject(value) ? [value] : objectsIn(value));

const word = (value: unknown): string => (typeof value === "string" ? value : "");
