import { setImmediate as turn } from "node:timers/promises";
import { isNestedTooDeeply, MAX_NESTING } from "../../../foundation/nesting.js";
import { isJsonObject, type JsonObject, memberOf, parsedJson } from "../chat.js";
import { ProviderFault } from "../provider.js";
import type { TokenUsage } from "../token-usage.js";
import { withoutSecret } from "./caller-message.js";
import { faultInReply } from "./fault.js";
import type { ServerEvent } from "./server-events.js";

/** An object that was just read and is not shared. */
export type OwnObject = Record<string, unknown>;

/**
 * The object that a successful reply, or an event of a stream, consists of.
 *
 * @throws ProviderFault `invalid_reply` for anything else, and what an error in it says
 */
export function readReplyObject(text: string, numbers?: "plain"): OwnObject {
  // It could be read, but not sent on.
  if (isNestedTooDeeply(text))
    throw invalidReply(`lists and objects nested more than ${MAX_NESTING} levels deep`);
  const value = parsedJson(text, numbers);
  if (value === undefined) throw invalidReply(text.trim() === "" ? "nothing" : "something other than JSON");
  // Gemini wraps its errors in a list.
  const body: unknown = Array.isArray(value) ? value[0] : value;
  if (isJsonObject(body) && reportsError(body)) throw faultInReply(body);
  if (isJsonObject(value)) return value as OwnObject;
  throw invalidReply("something other than a JSON object");
}

/** An event whose data is an object. */
export interface ObjectEvent {
  /** Its name; `LAST` for the end of OpenAI's streams, whose object is empty. */
  readonly event: string | null;
  readonly body: OwnObject;
}

/** `data: [DONE]`, which others send too. */
export const LAST = "[DONE]";

/**
 * Null for what servers and proxies send to keep a stream open: no data, or a word.
 *
 * @throws as `readReplyObject`, and what an event named `error` says
 */
export function objectEvent({ event, data }: ServerEvent): ObjectEvent | null {
  if (data.startsWith(LAST)) return { event: LAST, body: {} };
  const isJson = data.startsWith("{") || /^\s*[[{]/.test(data);
  const numbers = event === null && isPlain(data) ? "plain" : undefined;
  const body = isJson ? readReplyObject(data, numbers) : null;
  if (event === "error") throw faultInReply(body ?? { error: data });
  return body === null ? null : { event, body };
}

/** Whether a chunk has no calls: to look for their numbers in each piece of a text would take a thirtieth of a stream. */
const isPlain = (chunk: string): boolean => !chunk.includes("_call");

/** The fault of an answer that ended too early. */
export const cutOff = (): ProviderFault =>
  new ProviderFault("cut_off", "the provider's answer ended before it was finished", { status: 200 });

/** The fault of a reply with a 2xx status that the dialect does not allow. */
export const invalidReply = (what: string, status = 200): ProviderFault =>
  new ProviderFault("invalid_reply", `the provider sent ${what}`, { status });

/** `{"error": …}`, as OpenAI and Anthropic have it, and vLLM's error without a wrapping. */
function reportsError(body: JsonObject): boolean {
  return (body.error !== undefined && body.error !== null) || body.object === "error";
}

/** What an adapter knows about the replies of its dialect. */
export interface FailedReplyOptions {
  /** The configured key, which no error may quote; undefined without one. */
  readonly secret: string | undefined;
  /** Reads the dialect's usage object. @returns null when it holds no count */
  readonly readUsage: (usage: unknown) => TokenUsage | null;
}

/** The fault of a failed call as its adapter reports it: without the key, and with the usage that the reply told of. */
export function reportedFault(reason: unknown, { secret, readUsage }: FailedReplyOptions): unknown {
  if (!(reason instanceof ProviderFault)) return reason;
  const usage = reason.usage ?? readUsage(reason.reportedUsage);
  return withoutSecret(usage === null ? reason : reason.with({ usage }), secret);
}

/** Characters from which on the steps with a reply take their turns with other work: some milliseconds each. */
const LARGE = 1_048_576;

/**
 * Reads the whole reply of a call that succeeded, in steps where `read` is asynchronous.
 *
 * @throws ProviderFault what `read` throws, with the usage that the reply told of, or with its text when it was cut short
 */
export async function readWhole<Result>(text: string, read: Read<Result>): Promise<Result> {
  if (text.length < LARGE) return readOrFault(text, read);
  // The first turn is the end of the one in which the reply came.
  await turn();
  await turn();
  const result = await readOrFault(text, read);
  await turn();
  return result;
}

type Read<Result> = (text: string) => Result | Promise<Result>;

async function readOrFault<Result>(text: string, read: Read<Result>): Promise<Result> {
  try {
    return await read(text);
  } catch (reason) {
    if (!(reason instanceof ProviderFault) || reason.reportedUsage !== undefined) throw reason;
    throw reason.with(remainsOf(text));
  }
}

function remainsOf(text: string): { readonly reportedUsage?: unknown; readonly partialReply?: string } {
  const body = parsedJson(text);
  if (body !== undefined) return { reportedUsage: memberOf(body, "usage") };
  // A page of a proxy was not generated by a model.
  return text.trimStart().startsWith("{") ? { partialReply: text } : {};
}
