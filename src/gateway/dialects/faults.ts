import { SextantError } from "../../foundation/errors.js";
import { isJsonObject, type JsonObject } from "../providers/chat.js";

/**
 * A request that breaks the API it is in.
 *
 * @param param path of the field, `messages[0].content[1].source`
 * @param problem what it is and must be, as it follows the path; never a text of the prompt
 */
export const invalid = (param: string, problem: string): SextantError =>
  new SextantError("invalid_request", `\`${param}\` ${problem}.`, { param });

/** @throws SextantError when the member is no string */
export function stringAt(holder: JsonObject, key: string, path: string): string {
  const value = holder[key];
  if (typeof value === "string") return value;
  throw invalid(`${path}.${key}`, `${kindOf(value)}: it must be a string`);
}

/** @throws SextantError when the member is no object */
export function objectAt(holder: JsonObject, key: string, path: string): JsonObject {
  const value = holder[key];
  if (isJsonObject(value)) return value;
  throw invalid(`${path}.${key}`, `${kindOf(value)}: it must be an object`);
}

/** `is missing`, `is a number`, `is a list`. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "is missing";
  if (value === null) return "is null";
  if (Array.isArray(value)) return "is a list";
  return typeof value === "object" ? "is an object" : `is a ${typeof value}`;
}
