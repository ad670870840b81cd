import { z } from "zod";
import { type ConversationMessage, routingText } from "../engine/router/routing-text.js";
import { messagesSchema } from "../gateway/api/messages.js";

const chat = messagesSchema(Number.MAX_SAFE_INTEGER);

/** The text a chat is routed by, so that profiles and requests are embedded alike. */
export function textOfMessages(messages: readonly unknown[]): string {
  const parsed = chat.safeParse(messages);
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error).replaceAll("\n", " "));
  return routingText(parsed.data as readonly ConversationMessage[]);
}
