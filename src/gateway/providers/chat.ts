/**
 * The one form of requests and answers inside: OpenAI's chat completions, as far as anyone here reads them. Fields that
 * this code does not read pass through every layer unchanged, which is why the types are open.
 */
import { withMarks } from "../../foundation/exact-numbers.js";

/** Any JSON object; never changed in place. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Body of a chat request without `model`, `stream` and the fields that are ours alone. */
export interface ChatBody extends JsonObject {
  readonly messages: readonly JsonObject[];
}

interface Choice extends JsonObject {
  readonly index: number;
  readonly finish_reason: string | null;
}

export interface ChatChoice extends Choice {
  readonly message: JsonObject;
}

/** `chat.completion` as a provider sent it, or as its adapter translated it. */
export interface ChatCompletion extends JsonObject {
  readonly choices: readonly ChatChoice[];
  /** The reply in the provider's own form, when the request was passed on in that form. */
  readonly native?: JsonObject;
}

export interface ChunkChoice extends Choice {
  readonly delta: JsonObject;
}

/** `chat.completion.chunk`. Choices may be empty. */
export interface ChatChunk extends JsonObject {
  readonly choices: readonly ChunkChoice[];
  /** The event in the provider's own form, when the request was passed on in that form. */
  readonly native?: JsonObject;
}

/** Start of reasoning that one provider alone can read, sealed by its adapter: `sextant:PROVIDER:…`. */
const SEAL = "sextant:";

/**
 * Whether a text is reasoning of an answer that only the provider that gave it can read. Clients send it back as it came.
 * In messages of chat it is `reasoning_details`, the field that OpenRouter has for it
 * (openrouter.ai/docs/guides/best-practices/reasoning-tokens), in Messages `redacted_thinking`, in Responses `encrypted_content`.
 */
export const isSealed = (text: unknown): text is string => typeof text === "string" && text.startsWith(SEAL);

/** @param content as the provider gave it; `at`: how many calls of tools came before it in the answer */
export const sealed = (
  provider: string,
  { at, content }: { readonly at: number; readonly content: string },
) => `${SEAL}${encodeURIComponent(provider)}:${at}:${content}`;

/** What `sealed` took; null for another provider's. */
export function unsealed(
  text: string,
  provider: string,
): { readonly at: number; readonly content: string } | null {
  const [, maker = "", at = "", content = ""] = /^sextant:([^:]*):(\d+):(.*)$/s.exec(text) ?? [];
  return maker === encodeURIComponent(provider) ? { at: Number(at), content } : null;
}

/** Sealed reasoning as a member of a message or delta; nothing when there is none. */
export const sealedMember = (texts: readonly string[]): JsonObject =>
  texts.length === 0
    ? {}
    : {
        reasoning_details: texts.map((data) => ({
          type: "reasoning.encrypted",
          format: "openai-responses-v1",
          data,
        })),
      };

/** The sealed reasoning of a message or delta. */
export function sealedIn({ reasoning_details: details }: JsonObject): readonly string[] {
  if (!Array.isArray(details)) return [];
  return details.map((detail: unknown) => (detail as JsonObject | null)?.data).filter(isSealed);
}

/** Whether a value that came as JSON is an object: neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How a user's message begins that has what a message of a tool cannot hold; the id of the call follows. */
export const RETURNED_BY_TOOL = "Returned by the tool call ";

/** The objects in a list; none where there is no list. */
export const objectsIn = (list: unknown): readonly JsonObject[] =>
  Array.isArray(list) ? list.filter(isJsonObject) : NO_OBJECTS;

const NO_OBJECTS: readonly JsonObject[] = [];

/** A member of an object; undefined where there is no object. */
export const memberOf = (holder: unknown, name: string): unknown =>
  isJsonObject(holder) ? holder[name] : undefined;

/** The members that say something: neither null nor undefined. */
export const withoutNulls = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));

/** What a reference such as `#/$defs/name` names in a JSON schema; undefined when there is nothing. */
export function referred(reference: string, root: unknown): unknown {
  let target = root;
  for (const step of reference.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    target = isJsonObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  }
  return target;
}

/** What a text holds as JSON; undefined where it is none, or not yet. @param numbers `free` for arguments of a tool, `plain` without marks */
export function parsedJson(text: string, numbers?: "free" | "plain"): unknown {
  try {
    return JSON.parse(numbers === "plain" ? text : withMarks(text, numbers));
  } catch {
    return undefined;
  }
}

/** The text of a message's `content`, or of a delta's: a string, or the texts of its parts, which some providers send in answers too. */
export function textOf(content: unknown, between = ""): string {
  if (typeof content === "string") return content;
  const texts = objectsIn(content).map(({ text }) => (typeof text === "string" ? text : ""));
  return texts.join(between);
}
