import { type ChatCompletion, isJsonObject, type JsonObject, memberOf, objectsIn } from "../chat.js";
import { ProviderFault, type StreamEvent } from "../provider.js";
import { cutOff, invalidReply, readReplyObject } from "./read-reply.js";
import { isEvents, type ServerEvent, ServerEventParser } from "./server-events.js";
import { readEvents, type StreamTranslator, type WholeAnswer } from "./translated-stream.js";

/**
 * What the chunks of a reply add up to: of one JSON object, or of a stream, which some servers send to everyone.
 *
 * @returns `reply`: the object; null for a stream
 * @throws ProviderFault as a stream does, and `invalid_reply` for a reply without an answer
 */
export function wholeAnswer(
  text: string,
  translator: StreamTranslator,
): WholeAnswer & { readonly reply: JsonObject | null } {
  const events: StreamEvent[] = [];
  const reply = isEvents(text.slice(0, 100)) ? null : readReplyObject(text);
  const written = reply === null ? undefined : translator.asWritten?.(reply);
  if (written) return { ...written, reply };
  if (reply === null) readStream(text, { translator, events });
  else translator.read({ event: null, body: reply }, events);
  if (events.length > 0) translator.end?.(events);
  return { ...addedUp(events), reply };
}

/** What chunks add up to. @throws ProviderFault `invalid_reply` without a choice */
export function addedUp(events: readonly StreamEvent[]): WholeAnswer {
  const chunks = events.flatMap(({ chunk }) => chunk ?? []);
  const members: JsonObject = chunks.reduce((all, chunk) => Object.assign(all, chunk), {});
  const choices = objectsIn(chunks.map((chunk) => chunk.choices).reduce(added, []));
  if (choices.length === 0) throw invalidReply("a reply without choices");
  const whole = choices.map(({ delta, ...choice }) => ({ ...choice, message: messageOf(delta) }));
  const completion = { ...members, object: "chat.completion", choices: whole } as unknown as ChatCompletion;
  return { completion, usage: events.findLast(({ usage }) => usage !== null)?.usage ?? null };
}

function readStream(text: string, { translator, events }: Parameters<typeof readEvents>[1]): void {
  const batch: ServerEvent[] = [];
  new ServerEventParser(Number.POSITIVE_INFINITY).read(Buffer.from(`${text}\n\n`), batch);
  try {
    if (readEvents(batch, { translator, events }) === "more") throw cutOff();
  } catch (reason) {
    if (!(reason instanceof ProviderFault) || !translator.complete) throw reason;
  }
}

function messageOf(delta: unknown): JsonObject {
  const message: JsonObject = { content: null, refusal: null, ...(isJsonObject(delta) ? delta : {}) };
  const { content, refusal, tool_calls: pieces } = message;
  if (pieces === undefined && refusal === null) return message;
  const calls = objectsIn(pieces).map(({ index: _index, ...call }) => call);
  return {
    ...message,
    content: content === "" ? null : content,
    ...(pieces === undefined ? {} : { tool_calls: calls }),
  };
}

/** Texts that come in pieces; others are named once. */
const TEXTS = /^(?:content|reasoning_content|reasoning|refusal|arguments|input)$/;

/** What a value and its next piece are together. Items of lists with the same index are pieces of one another. */
function added(before: unknown, piece: unknown): unknown {
  if (piece === undefined || piece === null) return before ?? piece;
  if (Array.isArray(before) && Array.isArray(piece)) {
    const list = [...before];
    for (const item of piece) {
      const index = memberOf(item, "index");
      const at = index === undefined ? -1 : list.findIndex((known) => memberOf(known, "index") === index);
      if (at === -1) list.push(item);
      else list[at] = added(list[at], item);
    }
    return list;
  }
  if (!isJsonObject(before) || !isJsonObject(piece)) return piece;
  const sum: Record<string, unknown> = { ...before };
  for (const name in piece) {
    const [known, value] = [sum[name], piece[name]];
    const isText = typeof known === "string" && typeof value === "string" && TEXTS.test(name);
    sum[name] = isText ? known + value : added(known, value);
  }
  return sum;
}
