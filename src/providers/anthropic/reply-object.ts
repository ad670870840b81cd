import type { JsonObject } from "../chat.js";
import { faultInReply } from "../http/fault.js";
import { isJsonObject } from "../json-object.js";
import { ProviderFault } from "../provider.js";

/**
 * The object that a successful reply, or an event of a stream, consists of.
 *
 * @throws ProviderFault `invalid_reply` for anything else, and what an error in its place says
 */
export function readReplyObject(text: string): JsonObject {
  const value = parsed(text);
  if (!isJsonObject(value)) throw invalidReply("something else than a JSON object");
  if (value.type === "error") throw faultInReply(value);
  return value;
}

/** A reply with a good status that breaks the dialect. */
export function invalidReply(what: string): ProviderFault {
  return new ProviderFault("invalid_reply", `the provider sent ${what}`, { status: 200 });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
