import { isNestedTooDeeply } from "../../../foundation/nesting.js";
import type { JsonObject } from "../../providers/chat.js";
import { isJsonObject } from "../../providers/json-object.js";

const FOREIGN_CHARACTERS = /[^a-zA-Z0-9_-]/g;

/**
 * The id of a `tool_use` block. Anthropic's API takes fewer characters than other providers use: replaced in the call, they
 * come back so in the result. Some providers give no id at all.
 *
 * @param place of the call among those of its message
 */
export function toolUseId(id: unknown, { messageId, place }: { messageId: string; place: number }): string {
  if (typeof id === "string" && id !== "") return id.replace(FOREIGN_CHARACTERS, "_");
  return `${messageId.replace(FOREIGN_CHARACTERS, "_")}_${place}`;
}

/**
 * The input of a `tool_use` block. Arguments that are no JSON object, such as those that a limit cut off, are kept as text
 * under `INVALID_JSON`, the form that Anthropic's guide to fine-grained tool streaming gives: the tool then reports what is
 * missing, and the model sees what it wrote.
 */
export function toolInput(given: unknown): JsonObject {
  if (isJsonObject(given)) return given;
  const text = typeof given === "string" ? given : "";
  if (text.trim() === "") return {};
  return parsedObject(text) ?? { INVALID_JSON: text };
}

/** Null for text that is no JSON object, not yet one, or one that is nested too deeply to be sent. */
export function parsedObject(text: string): JsonObject | null {
  if (isNestedTooDeeply(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
