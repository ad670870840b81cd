/** What earlier answers of other providers' models left in a conversation, as a provider takes it. */
import { createHash } from "node:crypto";
import { type ChatBody, isJsonObject, type JsonObject, sealedIn } from "../chat.js";
import type { Quirks } from "./quirks.js";

type Messages = ChatBody["messages"];

interface SentMessagesOptions extends Pick<Quirks, "thoughtSignatures" | "messages"> {
  readonly upstreamModel: string;
}

/**
 * The messages to send. They are those given, unless
 *
 * - they have signed thinking of Claude's (`thinking_blocks`) or reasoning that OpenAI encrypted for Responses: chat completions
 *   of no provider can read them, and strict ones refuse them
 * - they have Gemini's thought signatures (`extra_content`), and the provider is another vendor's
 * - Gemini 3 or later is to read calls without a signature, made by another model or sent back without it: it would refuse them
 * - the provider is Mistral, and they have ids of calls, `reasoning_content`, empty answers or an order that it refuses
 */
export function sentMessages(
  messages: Messages,
  { thoughtSignatures, messages: taken, upstreamModel }: SentMessagesOptions,
): Messages {
  const known =
    taken === "mistral" ? inMistralsOrder(messages.filter(saysSomething).map(asMistralTakes)) : messages;
  const read = known.some(holdsReasoning) ? known.map(withoutReasoning) : known;
  if (thoughtSignatures === "dropped") return read.some(isSigned) ? read.map(withoutSignatures) : read;
  const checks = thoughtSignatures === "checked" && CHECKING_MODEL.test(upstreamModel);
  return checks && read.some(lacksSignature) ? read.map(withSignature) : read;
}

/** Gemini from 3 on checks signatures. ai.google.dev/gemini-api/docs/thought-signatures */
const CHECKING_MODEL = /(?:^|\/)gemini-(?![12](?:[.-]|$))/;

/** What Google has for calls that Gemini did not make. ai.google.dev/gemini-api/docs/thought-signatures#faqs */
const NO_SIGNATURE = { google: { thought_signature: "skip_thought_signature_validator" } };

const holdsReasoning = (message: JsonObject): boolean =>
  "thinking_blocks" in message || sealedIn(message).length > 0;

function withoutReasoning(message: JsonObject): JsonObject {
  const { thinking_blocks: _claudes, reasoning_details: details, ...rest } = message;
  return details === undefined || sealedIn(message).length > 0
    ? rest
    : { ...rest, reasoning_details: details };
}

const callsOf = ({ tool_calls: calls }: JsonObject): readonly unknown[] =>
  Array.isArray(calls) ? calls : [];

const hasExtra = (value: unknown): boolean => isJsonObject(value) && "extra_content" in value;

const isSigned = (message: JsonObject): boolean => hasExtra(message) || callsOf(message).some(hasExtra);

function withoutSignatures(message: JsonObject): JsonObject {
  if (!isSigned(message)) return message;
  const { extra_content: _googles, ...rest } = message;
  if (!Array.isArray(rest.tool_calls)) return rest;
  return { ...rest, tool_calls: rest.tool_calls.map(withoutExtra) };
}

function withoutExtra(call: unknown): unknown {
  if (!isJsonObject(call)) return call;
  const { extra_content: _googles, ...rest } = call;
  return rest;
}

/** Of parallel calls, Gemini signs the first. */
function lacksSignature(message: JsonObject): boolean {
  const calls = callsOf(message);
  return calls.length > 0 && !calls.some((call) => isJsonObject(call) && isJsonObject(call.extra_content));
}

function withSignature(message: JsonObject): JsonObject {
  if (!lacksSignature(message)) return message;
  const [first, ...others] = callsOf(message);
  return { ...message, tool_calls: [{ ...(first as JsonObject), extra_content: NO_SIGNATURE }, ...others] };
}

/** Mistral refuses answers with neither content nor calls. github.com/solbrowse/extension/issues/16 (2025-06-30) */
function saysSomething(message: JsonObject): boolean {
  const { role, content } = message;
  const isEmpty = Array.isArray(content) ? content.length === 0 : (content ?? "") === "";
  return role !== "assistant" || !isEmpty || callsOf(message).length > 0;
}

/** A message whose ids of calls are nine letters and digits, without reasoning. */
function asMistralTakes(message: JsonObject): JsonObject {
  const { reasoning_content: _reasoning, ...rest } = message;
  return {
    ...rest,
    ...(Array.isArray(rest.tool_calls) ? { tool_calls: rest.tool_calls.map(withShortId) } : {}),
    ...("tool_call_id" in rest ? { tool_call_id: shortId(rest.tool_call_id) } : {}),
  };
}

/**
 * An answer between a tool's output and what the user says next, and the beginning of an answer marked as one.
 * github.com/avante-corp/avante.nvim/pull/2695 (2025-09-07), github.com/0xPlaygrounds/rig/pull/1130 (2025-12-08)
 */
function inMistralsOrder(messages: Messages): Messages {
  const ordered = messages.flatMap((message, at) =>
    message.role === "user" && messages[at - 1]?.role === "tool" ? [BETWEEN, message] : [message],
  );
  const last = ordered.at(-1);
  return last?.role === "assistant" ? [...ordered.slice(0, -1), { prefix: true, ...last }] : ordered;
}

const BETWEEN = { role: "assistant", content: "OK." };

const withShortId = (call: unknown): unknown =>
  isJsonObject(call) ? { ...call, id: shortId(call.id) } : call;

/** The id itself where Mistral takes it, else one that is always the same for it, so that prompts stay cached. */
function shortId(id: unknown): unknown {
  if (typeof id !== "string" || /^[a-zA-Z0-9]{9}$/.test(id)) return id;
  return createHash("sha256").update(id).digest("hex").slice(0, 9);
}
