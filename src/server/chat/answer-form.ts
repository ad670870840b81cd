import { ulidOf } from "../../foundation/request-id.js";
import type { Answer } from "../../inference/answers/answer.js";
import type { ChatChunk, JsonObject } from "../../providers/chat.js";
import type { RoutingBody } from "../../router/routing-body.js";
import type { Attempt, Usage } from "../../traces/trace.js";

/** What every answer to one request has in common. */
export interface AnswerEnvelope {
  readonly requestId: string;
  /** Milliseconds since the epoch, at the arrival of the request. */
  readonly createdAtMs: number;
  readonly model: string;
  readonly provider: string;
}

/** A decision with the calls that followed it: `routing` of an executed request. */
interface ExecutedRouting extends RoutingBody {
  readonly attempts: readonly Attempt[];
}

/** One of the two forms in which OpenAI's API gives an answer: of a chat, or of a text to go on from. */
export interface AnswerForm {
  /** The whole answer as one JSON object. */
  body(answer: Answer, envelope: AnswerEnvelope): JsonObject;
  /** The events of one streamed answer. */
  events(envelope: AnswerEnvelope): AnswerEvents;
}

/** Parts of an answer → the text of their server-sent events: `data: {…}`, each ended by an empty line. */
export interface AnswerEvents {
  /** An event without content that carries the decision: the first of a routed stream. */
  routing(routing: ExecutedRouting): string;
  /** Empty when the form has nothing to say of this chunk. */
  chunk(chunk: ChatChunk): string;
  /** The last event before `[DONE]`. */
  usage(usage: Usage): string;
}

/** Members that a provider may send and that are ours to say. */
const OURS: ReadonlySet<string> = new Set([
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
    if (!OURS.has(key)) body[key] = answer.completion[key];
  }
  body.usage = answer.usage;
  body.request_id = envelope.requestId;
  if (answer.routing !== null) body.routing = { ...answer.routing, attempts: answer.attempts };
  return body;
}

/** The text that all events of one answer start with, to be followed by further members. */
export function eventStart(envelope: AnswerEnvelope, naming: Naming): string {
  return `data: ${JSON.stringify(headOf(envelope, naming)).slice(0, -1)}`;
}

/** Members of a chunk that are the provider's to say, as JSON text to follow others. */
export function passingMembers(chunk: ChatChunk): string {
  let text = "";
  for (const key in chunk) {
    if (OURS.has(key)) continue;
    const value = JSON.stringify(chunk[key]);
    if (value !== undefined) text += `,${JSON.stringify(key)}:${value}`;
  }
  return text;
}

/** The event that ends an answer: no choices, all nine figures. */
export function usageEvent(start: string, { usage, requestId }: { usage: Usage; requestId: string }): string {
  return `${start},"choices":[],"usage":${JSON.stringify(usage)},"request_id":${JSON.stringify(requestId)}}\n\n`;
}
