import type { ConversationMessage } from "../../router/routing-text.js";

const ROLES = ["system", "developer", "user", "assistant", "tool"] as const;
type Role = (typeof ROLES)[number];

const START = new RegExp(`^(${ROLES.join("|")}): `, "gm");

/**
 * The messages of a request from its text in a trace: one user message, or a conversation with `role: ` before each message. A line
 * of a message that begins like that is taken for another message.
 */
export function messagesOfTrace(text: string): ConversationMessage[] {
  const starts = [...text.matchAll(START)];
  if (starts[0]?.index !== 0) return [{ role: "user", content: text }];
  return starts.map((start, at) => ({
    role: start[1] as Role,
    content: text.slice(start.index + start[0].length, starts[at + 1]?.index ?? text.length).trimEnd(),
  }));
}
