/** Which answers can be compared, and what is shown of them. */

import { isJsonObject, type JsonObject, textOf } from "../../providers/chat.js";
import { textWithCalls } from "../../run/conversation-text.js";
import type { FinishedAnswer } from "../../run/dependencies.js";
import type { ComparisonEntry } from "../../settings.js";
import { billedCostUsd } from "../../traces/billed-usage.js";

/** An answer that was served, with what is needed to have it given once more. */
export interface ServedAnswer extends Pick<FinishedAnswer, "request" | "text"> {
  readonly requestId: string;
  readonly model: string;
  readonly costUsd: number | null;
}

/** Characters of a prompt beyond which it is not compared: a judge reads it twice (guess). */
const MOST_CHARACTERS = 200_000;

/** Kinds with an answer in words. */
const ANSWERS: ReadonlySet<string> = new Set(["chat", "completion", "router", "responses", "messages"]);
/** An answer that is whole, or as long as it was asked to be. */
const WHOLE: ReadonlySet<string | null> = new Set(["stop", "length"]);
/** Fields with which something else than one text may be answered. */
const BEYOND_TEXT = ["tools", "functions", "audio", "modalities"] as const;

/**
 * The answer where a judge can see all of it, and another model can be asked the same; else why not. Requests that restrict
 * providers are left out: their texts may not go elsewhere.
 */
export function comparable({
  trace,
  request,
  text,
}: FinishedAnswer): ServedAnswer | "unsupported" | "restricted" {
  const { body, choice, native, needsCompletions } = request;
  if (!ANSWERS.has(trace.kind) || trace.model === null || !WHOLE.has(trace.finishReason))
    return "unsupported";
  if (native?.use === "required" || needsCompletions !== undefined) return "unsupported";
  if (BEYOND_TEXT.some((field) => body[field] !== undefined) || (body.n ?? 1) !== 1) return "unsupported";
  if (!body.messages.every(isText) || charactersOf(body.messages) > MOST_CHARACTERS) return "unsupported";
  if (choice.hosts !== undefined || choice.provider !== undefined) return "restricted";
  return { request, text, requestId: trace.requestId, model: trace.model, costUsd: billedCostUsd(trace) };
}

const isText = ({ content, tool_calls: calls, tool_call_id: result }: JsonObject): boolean =>
  calls === undefined &&
  result === undefined &&
  (typeof content === "string" ||
    (Array.isArray(content) && content.every((part) => isJsonObject(part) && typeof part.text === "string")));

const charactersOf = (messages: readonly JsonObject[]): number =>
  messages.reduce(
    (sum, { content }) => sum + (typeof content === "string" ? content : textOf(content)).length,
    0,
  );

/** The conversation as a judge reads it. */
export const promptOf = ({ request }: Pick<ServedAnswer, "request">): string =>
  request.body.messages.map((message) => `[${String(message.role)}]\n${textWithCalls(message)}`).join("\n\n");

/** Whether a comparison is for requests like this. */
export function isFor(
  { preset, key, source, metadata = {} }: ComparisonEntry,
  { trace }: Pick<FinishedAnswer, "trace">,
): boolean {
  return (
    (preset === undefined || trace.routing?.preset === preset) &&
    (key === undefined || trace.principal === key) &&
    (source === undefined || trace.source === source) &&
    Object.entries(metadata).every(
      ([name, value]) => Object.hasOwn(trace.metadata, name) && String(trace.metadata[name]) === value,
    )
  );
}
