import type { RoutingBody } from "../../../engine/router/routing-body.js";
import type { SextantError } from "../../../foundation/errors.js";
import { ulidOf } from "../../../foundation/request-id.js";
import { errorBody } from "../../http/error-reply.js";
import { type ChatChunk, isJsonObject, type JsonObject } from "../../providers/chat.js";
import { countsWithin } from "../../providers/token-usage.js";
import type { Answer } from "../../run/inference.js";
import type { Attempt, Usage } from "../../traces/trace.js";

/** What every answer to one request has in common. */
export interface AnswerEnvelope {
  readonly requestId: string;
  /** Milliseconds since the epoch, at the arrival of the request. */
  readonly createdAtMs: number;
  readonly model: string;
  readonly provider: string;
  /** Name of the key that answered; absent where the provider has one or none. */
  readonly key?: string | undefined;
  /** Of a routed request. */
  readonly routing?: ExecutedRouting | undefined;
  /** Tokens of the prompt before the provider has counted them: an estimate from its length, made when it is asked for. */
  readonly promptTokens?: () => number;
}

/** A decision with the calls that followed it: `routing` of an executed request. */
interface ExecutedRouting extends RoutingBody {
  readonly attempts: readonly Attempt[];
}

/** Encodes the answers to one request in the format of its endpoint. */
export interface ResponseEncoder {
  /** The whole answer as one JSON object. */
  body(answer: Answer, envelope: AnswerEnvelope): JsonObject;
  /** What keeps a silent stream open; default a comment. */
  readonly keepAlive?: string;
  /** The events of one streamed answer. */
  events(envelope: AnswerEnvelope): EventEncoder;
}

/** Chunks of an answer → the text of their server-sent events, each ended by an empty line. */
export interface EventEncoder {
  /** The first begins with what comes before all content. Empty when this encoding shows nothing of the chunk, or holds it back. */
  chunk(chunk: ChatChunk): string;
  /** Everything that was held back, the usage, and whatever ends a stream of this format. */
  end(usage: Usage): string;
  /** What ends a stream whose answer broke off. May be all there is of it. */
  failure(error: SextantError): string;
}

/** Members that the gateway writes itself; those of a provider are dropped. */
const OWN_MEMBERS: ReadonlySet<string> = new Set([
  "id",
  "object",
  "created",
  "model",
  "provider",
  "choices",
  "usage",
  "request_id",
  "routing",
]);

interface Naming {
  /** `chatcmpl` or `cmpl`. */
  readonly idStart: string;
  readonly object: string;
}

/** The members that come first in every answer and in every event. */
function headOf({ requestId, createdAtMs, model, provider }: AnswerEnvelope, naming: Naming) {
  return {
    id: `${naming.idStart}-${ulidOf(requestId)}`,
    object: naming.object,
    created: Math.floor(createdAtMs / 1000),
    model,
    provider,
  };
}

/** A whole answer around its choices; what else the provider sent (`system_fingerprint`, …) stays. */
export function bodyAround(
  choices: readonly JsonObject[],
  { answer, envelope, naming }: { answer: Answer; envelope: AnswerEnvelope; naming: Naming },
): JsonObject {
  const body: Record<string, unknown> = { ...headOf(envelope, naming), choices };
  for (const key in answer.completion) {
    if (!OWN_MEMBERS.has(key)) body[key] = answer.completion[key];
  }
  body.usage = answer.usage;
  body.request_id = envelope.requestId;
  if (envelope.routing !== undefined) body.routing = envelope.routing;
  return body;
}

/** The text that all events of one answer start with, to be followed by further members. */
export function eventStart(envelope: AnswerEnvelope, naming: Naming): string {
  return `data: ${JSON.stringify(headOf(envelope, naming)).slice(0, -1)}`;
}

/** Members of a chunk that are passed on as the provider sent them: JSON text that follows other members. */
export function passingMembers(chunk: ChatChunk): string {
  let text = "";
  for (const key in chunk) {
    if (OWN_MEMBERS.has(key)) continue;
    const value = JSON.stringify(chunk[key]);
    if (value !== undefined) text += `,${JSON.stringify(key)}:${value}`;
  }
  return text;
}

export interface StreamFrameOptions {
  readonly envelope: AnswerEnvelope;
  /** From `eventStart`. */
  readonly start: string;
  /** The choice of an event before all others, which has the decision of a routed request. */
  readonly firstChoice: string;
  /** A choice without content, for an answer that ended without a finish reason. */
  readonly emptyChoice: string;
  /** Whether the client asked for an event of its own for the usage. */
  readonly includeUsage: boolean;
}

/**
 * The beginning and the end of a stream: the chunk with the last finish reason is held back until the provider has told its usage, and
 * carries it, so that every event has a choice unless the client asked for one without.
 */
export class StreamFrame {
  #first = "";
  /** A chunk with a finish reason, without its closing brace. */
  #held: string | null = null;

  constructor(private readonly options: StreamFrameOptions) {
    const { envelope, start, firstChoice } = options;
    if (envelope.routing !== undefined)
      this.#first = `${start},"choices":[${firstChoice}],"routing":${JSON.stringify(envelope.routing)}}\n\n`;
  }

  /** What comes before all content; empty from then on. */
  first(): string {
    const first = this.#first;
    this.#first = "";
    return first;
  }

  /**
   * The text to send now.
   *
   * @param chunk an event without its closing brace
   */
  pass(chunk: string, finishes: boolean): string {
    const before = this.first() + this.#flushed();
    if (!finishes) return `${before}${chunk}}\n\n`;
    this.#held = chunk;
    return before;
  }

  end(usage: Usage): string {
    const { envelope, start, emptyChoice, includeUsage } = this.options;
    const counted = `"usage":${JSON.stringify(usage)},"request_id":${JSON.stringify(envelope.requestId)}}\n\n`;
    const last = `${this.first()}${this.#held ?? `${start},"choices":[${emptyChoice}]`},${counted}`;
    return `${last}${includeUsage ? `${start},"choices":[],${counted}` : ""}${DONE}`;
  }

  failure(error: SextantError): string {
    return `${this.#flushed()}data: ${JSON.stringify(errorBody(error, this.options.envelope.requestId))}\n\n`;
  }

  #flushed(): string {
    const held = this.#held;
    this.#held = null;
    return held === null ? "" : `${held}}\n\n`;
  }
}

const DONE = "data: [DONE]\n\n";

/** Whether a request asks for its usage in an event of its own: `stream_options.include_usage`. */
export function wantsUsageEvent({ stream_options: options }: JsonObject): boolean {
  return isJsonObject(options) && options.include_usage === true;
}

/** A provider's own usage object as a client sees it: no count is larger than what is billed. */
export const theirCounts = (theirs: JsonObject, { prompt_tokens, completion_tokens }: Usage): JsonObject =>
  countsWithin(theirs, { prompt: prompt_tokens, completion: completion_tokens });
