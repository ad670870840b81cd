import type { RouterRequestBody } from "../../api/router-request.js";
import type { ConversationFields, NamedChoice, RoutedChoice } from "../../inference/request.js";
import { isJsonObject, type JsonObject } from "../../providers/chat.js";

/**
 * What a request says of its conversation; undefined when it says nothing.
 *
 * @param options where the fields of ours are: `router`, or the body of the router's own route
 */
export function conversationFields(
  { sticky, conversation: name }: Pick<RouterRequestBody, "sticky" | "conversation">,
  { prompt_cache_key: cacheKey }: JsonObject,
): ConversationFields | undefined {
  const hasCacheKey = typeof cacheKey === "string" && cacheKey !== "";
  if (sticky === undefined && name === undefined && !hasCacheKey) return undefined;
  return { sticky, name, hasCacheKey };
}

/** The choice of a request whose conversation the provider keeps: its id there is its name, unless it was given one. */
export function inKeptConversation(
  choice: NamedChoice | RoutedChoice,
  kept: unknown,
): NamedChoice | RoutedChoice {
  const id = isJsonObject(kept) ? kept.id : kept;
  if (choice.type === "named" || typeof id !== "string" || id === "") return choice;
  return { ...choice, conversation: { ...choice.conversation, name: choice.conversation?.name ?? id } };
}
