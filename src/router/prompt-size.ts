import { type ConversationMessage, messageText } from "./routing-text.js";

/** Tokens a chat format adds around each message (OpenAI's published count for its chat format). */
const TOKENS_PER_MESSAGE = 4;
/** Tokens of an image part when its size is unknown: a 1024 × 1024 image at high detail (OpenAI's published rule). */
const TOKENS_PER_IMAGE = 765;
/** Bytes of UTF-8 per token; English prose has about 4.2, code 3.3, Chinese 3 bytes a sign (guess: their middle). */
export const BYTES_PER_TOKEN = 4;

/** Estimated tokens of a text, by the same rule; not rounded. */
export const estimateTextTokens = (text: string): number => Buffer.byteLength(text, "utf8") / BYTES_PER_TOKEN;

/**
 * Prompt tokens of a conversation, estimated without a tokenizer: sufficient for the price of a prompt before a model
 * is chosen, since every model counts differently. Exact counts come with the answer's usage. O(messages).
 */
export function estimatePromptTokens(messages: readonly ConversationMessage[]): number {
  let tokens = 0;
  for (const message of messages) {
    tokens += TOKENS_PER_MESSAGE + estimateTextTokens(messageText(message));
    if (Array.isArray(message.content)) {
      for (const part of message.content) if (part.type !== "text") tokens += TOKENS_PER_IMAGE;
    }
  }
  return Math.ceil(tokens);
}
