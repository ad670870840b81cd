import {
  type MessagesRequest,
  toMessagesRequest,
} from "../../../../src/gateway/providers/anthropic/request.js";
import type { ChatBody, JsonObject } from "../../../../src/gateway/providers/chat.js";
import { ProviderFault } from "../../../../src/gateway/providers/provider.js";
import { errorThrownBy } from "../../../support/errors.js";

export const HELLO = { role: "user", content: "Hello" } as const;

/** A model of each kind that requests are made for differently. */
export const MODELS = {
  /** Classic in everything, and cannot think. */
  old: "claude-3-5-haiku-20241022",
  /** Thinks by a budget. */
  budgeted: "claude-sonnet-4-5-20250929",
  /** Thinks as it sees fit, and takes a temperature. */
  adaptive: "claude-sonnet-4-6",
  /** Does its own sampling. */
  newest: "claude-opus-4-8",
  /** Cannot be kept from thinking. */
  alwaysThinking: "claude-fable-5",
  /** Not Anthropic's, behind the same dialect. */
  otherVendor: "glm-4.6",
} as const;

/** The whole request for a chat with these fields. */
export function translated(
  fields: Partial<ChatBody>,
  upstreamModel: string = MODELS.budgeted,
): MessagesRequest {
  return toMessagesRequest({
    upstreamModel,
    api: "chat",
    body: { messages: [HELLO], ...fields },
    stream: false,
  });
}

export function bodyFor(fields: Partial<ChatBody>, upstreamModel?: string): JsonObject {
  return translated(fields, upstreamModel).body;
}

/** How the translation of these fields is refused; fails when it is not. */
export const refusalFor = (fields: Partial<ChatBody>, upstreamModel?: string) =>
  errorThrownBy(() => translated(fields, upstreamModel), ProviderFault);
