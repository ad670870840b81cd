import { isNestedTooDeeply, MAX_NESTING } from "../../../foundation/nesting.js";
import type { JsonObject } from "../chat.js";
import { isJsonObject } from "../json-object.js";
import { ProviderFault } from "../provider.js";
import { faultInReply } from "./fault.js";

/** An object that was just read and is not shared. */
export type OwnObject = Record<string, unknown>;

/**
 * The object that a successful reply, or an event of a stream, consists of.
 *
 * @throws ProviderFault `invalid_reply` for anything else, and what an error in it says
 */
export function readReplyObject(text: string): OwnObject {
  // It could be read, but not sent on.
  if (isNestedTooDeeply(text))
    throw invalidReply(`lists and objects nested more than ${MAX_NESTING} levels deep`);
  const value = parsed(text);
  // Gemini wraps its errors in a list.
  const body: unknown = Array.isArray(value) ? value[0] : value;
  if (isJsonObject(body) && reportsError(body)) throw faultInReply(body);
  if (isJsonObject(value)) return value as OwnObject;
  throw invalidReply("something else than a JSON object");
}

/** The fault of a reply with a 2xx status that the dialect does not allow. */
export function invalidReply(what: string): ProviderFault {
  return new ProviderFault("invalid_reply", `the provider sent ${what}`, { status: 200 });
}

/** `{"error": …}`, as OpenAI and Anthropic have it, and vLLM's error without a wrapping. */
function reportsError(body: JsonObject): boolean {
  return (body.error !== undefined && body.error !== null) || body.object === "error";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidReply(text.trim() === "" ? "nothing" : "something else than JSON");
  }
}
