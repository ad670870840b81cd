import type { JsonObject } from "../../providers/chat.js";
import { isJsonObject } from "../../providers/json-object.js";
import { withoutExtraContent } from "../extra-content.js";

/** A request as OpenAI's own API takes it: without `extra_content` of calls, which another vendor's model left in its input. */
export function nativeRequest(body: JsonObject): JsonObject {
  const { input } = body;
  if (!Array.isArray(input) || !input.some((item) => isJsonObject(item) && "extra_content" in item))
    return body;
  return {
    ...body,
    input: input.map((item: unknown) => (isJsonObject(item) ? withoutExtraContent(item) : item)),
  };
}
