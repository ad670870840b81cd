import { type ConversationMessage, routingText } from "../../router/routing-text.js";

/** The text that a prompt is routed by: itself, or that of a chat in OpenAI's form. */
export function routingTextOf(prompt: string | readonly unknown[]): string {
  if (typeof prompt === "string") return prompt;
  return routingText(
    prompt.map((message) => {
      const { role, content } = (message ?? {}) as { readonly role?: unknown; readonly content?: unknown };
      return {
        role: role as ConversationMessage["role"],
        content: typeof content === "string" || Array.isArray(content) ? content : null,
      };
    }),
  );
}
