/** A chat message as far as routing reads it: OpenAI's shape, content as text or parts. */
export interface ConversationMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content: string | readonly MessagePart[] | null;
}

export type MessagePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: string; readonly [field: string]: unknown };
