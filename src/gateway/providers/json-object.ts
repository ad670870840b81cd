import type { JsonObject } from "./chat.js";

/** Whether a value that came as JSON is an object: neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
