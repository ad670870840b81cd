import {
  type ChatChunk,
  type ChatCompletion,
  type ChunkChoice,
  isJsonObject,
  type JsonObject,
  memberOf,
} from "../chat.js";
import { faultInReply } from "../http/fault.js";
import { cutOff, invalidReply, LAST, type ObjectEvent, type OwnObject } from "../http/read-reply.js";
import type { StreamTranslator, WholeAnswer } from "../http/translated-stream.js";
import type { StreamEvent } from "../provider.js";
import { servedTier, type TokenUsage } from "../token-usage.js";
import type { Quirks } from "./quirks.js";
import { RepairedChoice } from "./repaired-choice.js";
import { usageOf } from "./usage.js";

export interface ChunkReaderOptions {
  readonly quirks: Quirks;
  /** How many choices were asked for. */
  readonly wanted: number;
  /** Whether they were asked for with `functions`. */
  readonly functions: boolean;
}

/**
 * The events of a stream as chunks that all clients read. Nothing changes in them but what is repaired, and `usage`, which
 * is handed over beside them. Finish reasons come together in a last chunk: until the end, more may follow them.
 */
export class ChunkReader implements StreamTranslator {
  readonly #choices = new Map<number, RepairedChoice>();
  /** By index, the last piece of each choice that has its finish reason, without what it said. */
  readonly #ended = new Map<number, JsonObject>();
  /** The last event with choices. */
  #last: JsonObject = {};
  /** As the last chunk said that named one. */
  #tier: unknown;

  constructor(private readonly options: ChunkReaderOptions) {}

  /** Every choice has its finish reason. */
  get complete(): boolean {
    return this.#ended.size >= Math.max(this.options.wanted, this.#choices.size);
  }

  read({ event, body }: ObjectEvent, events: StreamEvent[]): "more" | "finished" {
    if (event === LAST) return this.#endedBy();
    const usage = this.#usageIn(body);
    const { choices } = body;
    const isAnswer = Array.isArray(choices) && (choices.length > 0 || usage === null);
    const chunk = isAnswer ? this.#chunk(body, choices) : null;
    if (chunk !== null || usage !== null) events.push({ chunk, usage });
    return "more";
  }

  /** Texts in OpenAI's own form, as nearly all whole answers are: to read them as a stream would take a twentieth of a request. */
  asWritten(reply: OwnObject): WholeAnswer | null {
    const { choices } = reply;
    if (!Array.isArray(choices) || choices.length === 0 || !choices.every(isText)) return null;
    if (reply.object !== "chat.completion") return null;
    const usage = this.#usageIn(reply);
    reply.usage = undefined;
    return { completion: reply as unknown as ChatCompletion, usage };
  }

  end(events: StreamEvent[]): void {
    const choices = Array.from(this.#choices, ([index, choice]) => {
      return { ...this.#ended.get(index), index, delta: choice.rest(), finish_reason: choice.reason };
    });
    events.push({ chunk: { ...this.#last, choices }, usage: null });
  }

  /** `[DONE]`, which ends an answer without a finish reason too. */
  #endedBy(): "finished" {
    if (this.#choices.size === 0) throw invalidReply("a stream without an answer");
    for (const [index, choice] of this.#choices)
      if (!this.#ended.has(index) && !choice.seemsWhole) throw cutOff();
    return "finished";
  }

  /**
   * Beside the choices, in the first of them (Moonshot: https://github.com/AstrBotDevs/AstrBot/issues/6614, 2026-03-19), or in
   * a member of its own, which is Groq's older way, also for the word of a failure.
   */
  #usageIn({ usage, service_tier: tier, x_groq: groq, choices }: JsonObject): TokenUsage | null {
    this.#tier = tier ?? this.#tier;
    const inChoice = Array.isArray(choices) ? memberOf(choices[0], "usage") : undefined;
    if (usage === undefined && inChoice === undefined && groq === undefined) return null;
    const { quirks } = this.options;
    if (isJsonObject(groq) && typeof groq.error === "string" && groq.error !== "") throw faultInReply(groq);
    const tokens =
      usageOf(usage, quirks) ?? usageOf(inChoice, quirks) ?? usageOf(memberOf(groq, "usage"), quirks);
    return tokens && { ...tokens, ...servedTier(this.#tier) };
  }

  /** Changes the object in place: it was read a moment ago, and a copy of each chunk would cost more than its reading. */
  #chunk(body: OwnObject, choices: unknown[]): ChatChunk | null {
    this.#last = body;
    const { length } = choices;
    let shown = 0;
    for (let at = 0; at < length; at++) {
      const piece = this.#piece(readable(choices[at]), at);
      if (piece !== null) choices[shown++] = piece;
    }
    if (shown < length) choices.length = shown;
    if (body.usage !== undefined) body.usage = undefined;
    return shown === 0 && length > 0 ? null : (body as unknown as ChatChunk);
  }

  /** @returns null for one that says no more than the finish reason */
  #piece(choice: JsonObject, position: number): ChunkChoice | null {
    const index = typeof choice.index === "number" ? choice.index : position;
    let known = this.#choices.get(index);
    // MiniMax ends with the whole message once more: https://github.com/GCWing/OpenBitFun/pull/792 (2026-05-19).
    const given = saidIn(choice, known === undefined ? choice.message : undefined);
    if (known === undefined) {
      known = new RepairedChoice(this.options.functions);
      this.#choices.set(index, known);
    }
    const delta = known.piece(given ?? {});
    const isWhole = delta === choice.delta && index === choice.index && choice.usage === undefined;
    if (isWhole && choice.finish_reason === null) return choice as ChunkChoice;
    const { message: _message, text: _text, usage: _usage, ...rest } = choice;
    if (!known.finish(choice)) return { ...rest, index, delta, finish_reason: null };
    if (given === null && "role" in delta) throw invalidReply("a choice without a message");
    const { logprobs: _logprobs, ...ending } = rest;
    const isSaid = "role" in delta || saysSomething(delta);
    this.#ended.set(index, isSaid ? ending : rest);
    return isSaid ? { ...rest, index, delta, finish_reason: null } : null;
  }
}

/** The delta or the message of a choice, whichever says something, or the text of a legacy one; null without any. */
function saidIn({ delta, text }: JsonObject, message: unknown): JsonObject | null {
  if (isJsonObject(delta) && (!isJsonObject(message) || saysSomething(delta))) return delta;
  if (isJsonObject(message)) return message;
  return typeof text === "string" ? { content: text } : null;
}

const saysSomething = ({ role: _role, ...said }: JsonObject): boolean =>
  Object.values(said).some((value) => (value ?? "") !== "");

const OF_CHOICES: ReadonlySet<string> = new Set(["index", "message", "logprobs", "finish_reason"]);
const OF_TEXTS: ReadonlySet<string> = new Set(["role", "content", "refusal", "annotations"]);

function isText(choice: unknown): boolean {
  if (!isJsonObject(choice) || !isJsonObject(choice.message)) return false;
  const { index, message, finish_reason: reason } = choice;
  for (const name in choice) if (!OF_CHOICES.has(name)) return false;
  for (const name in message) if (!OF_TEXTS.has(name)) return false;
  const isEnded = reason === "stop" || reason === "length" || reason === "content_filter";
  const isSaid = message.role === "assistant" && typeof message.content === "string";
  return isEnded && isSaid && typeof index === "number" && (message.refusal ?? null) === null;
}

function readable(choice: unknown): JsonObject {
  if (!isJsonObject(choice)) throw invalidReply("a choice that is not an object");
  return choice;
}
