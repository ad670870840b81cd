import { type ChatChoice, type ChatChunk, type ChunkChoice, isJsonObject, type JsonObject } from "../chat.js";
import { faultInReply } from "../http/fault.js";
import { invalidReply, type OwnObject, readReplyObject } from "../http/read-reply.js";
import type { ServerEvent } from "../http/server-events.js";
import type { StreamTranslator } from "../http/translated-stream.js";
import type { StreamEvent } from "../provider.js";
import { type TokenUsage, withTier } from "../token-usage.js";
import type { Quirks } from "./quirks.js";
import { usageOf } from "./usage.js";

const LAST = "[DONE]";

export interface ChunkReaderOptions {
  readonly quirks: Quirks;
  readonly reader: ChoiceReader;
  /** How many choices were asked for. */
  readonly wanted: number;
}

/**
 * The events of a stream as chunks, which are forwarded as they came but for `usage`: the count is handed over beside
 * them, and an event that holds nothing else is no chunk.
 */
export class ChunkReader implements StreamTranslator {
  readonly #started = new Set<number>();
  readonly #finished = new Set<number>();
  /** As the last chunk said that named one. */
  #tier: unknown;

  constructor(private readonly options: ChunkReaderOptions) {}

  /** Every choice has its finish reason. */
  get complete(): boolean {
    return this.#finished.size >= Math.max(this.options.wanted, this.#started.size);
  }

  read({ event, data }: ServerEvent, events: StreamEvent[]): "more" | "finished" {
    if (data === LAST) {
      if (this.#started.size === 0) throw invalidReply("a stream without an answer");
      return "finished";
    }
    const body = readReplyObject(data);
    if (event === "error") throw faultInReply(body);
    const usage = this.#usageIn(body);
    const { choices } = body;
    if (Array.isArray(choices) && (choices.length > 0 || usage === null)) {
      events.push({ chunk: this.#chunk(body, choices), usage });
    } else if (usage !== null) events.push({ chunk: null, usage });
    return "more";
  }

  /** Groq's older way is a usage object, or the word of a failure, in a member of its own. */
  #usageIn({ usage, service_tier: tier, x_groq: groq }: OwnObject): TokenUsage | null {
    this.#tier = tier ?? this.#tier;
    const own = isJsonObject(usage) ? withTier(usageOf(usage, this.options.quirks), this.#tier) : null;
    if (own !== null || !isJsonObject(groq)) return own;
    if (typeof groq.error === "string" && groq.error !== "") throw faultInReply(groq);
    return usageOf(groq.usage, this.options.quirks);
  }

  /** Changes the object in place: it was read a moment ago, and a copy of each chunk would cost more than its reading. */
  #chunk(body: OwnObject, choices: unknown[]): ChatChunk {
    const { reader } = this.options;
    for (let at = 0; at < choices.length; at++) choices[at] = this.#tracked(reader.piece(choices[at], at));
    if (reader.translates) body.object = "chat.completion.chunk";
    if (body.usage !== undefined) body.usage = undefined;
    return body as unknown as ChatChunk;
  }

  #tracked(choice: ChunkChoice): ChunkChoice {
    const { index } = choice;
    if (choice.finish_reason !== null) this.#finished.add(index);
    if (this.#started.has(index)) return choice;
    this.#started.add(index);
    return this.options.reader.translates
      ? { ...choice, delta: { role: "assistant", ...choice.delta } }
      : choice;
  }
}

/** How the choices of one endpoint become those of chat. What the dialect requires and a provider left out is added. */
export interface ChoiceReader {
  /** Whether the endpoint is another one than chat's. */
  readonly translates: boolean;
  whole(choice: unknown, position: number): ChatChoice;
  piece(choice: unknown, position: number): ChunkChoice;
}

export const CHAT_CHOICES: ChoiceReader = {
  translates: false,
  whole(value, position) {
    const choice = readable(value);
    if (!isJsonObject(choice.message)) throw invalidReply("a choice without a message");
    return withBasics(choice, position) as ChatChoice;
  },
  piece(value, position) {
    const choice = readable(value);
    return withBasics(
      isJsonObject(choice.delta) ? choice : { ...choice, delta: {} },
      position,
    ) as ChunkChoice;
  },
};

export const TEXT_CHOICES: ChoiceReader = {
  translates: true,
  whole(value, position) {
    const { text, ...choice } = readable(value);
    if (typeof text !== "string") throw invalidReply("a choice without a text");
    return withBasics({ ...choice, message: { role: "assistant", content: text } }, position) as ChatChoice;
  },
  piece(value, position) {
    const { text, ...choice } = readable(value);
    const delta = typeof text === "string" ? { content: text } : {};
    return withBasics({ ...choice, delta }, position) as ChunkChoice;
  },
};

function readable(choice: unknown): JsonObject {
  if (!isJsonObject(choice)) throw invalidReply("a choice that is not an object");
  // OpenRouter's way of saying that the model behind it failed.
  if (choice.finish_reason === "error") throw faultInReply(choice);
  return choice;
}

/** The choice itself, unless its index or its finish reason is missing. */
function withBasics(choice: JsonObject, position: number): JsonObject {
  const { index, finish_reason: finish } = choice;
  if (typeof index === "number" && (typeof finish === "string" || finish === null)) return choice;
  return {
    ...choice,
    index: typeof index === "number" ? index : position,
    finish_reason: typeof finish === "string" ? finish : null,
  };
}
