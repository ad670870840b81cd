import { type ConversationMessage, type MessagePart, messageText } from "./routing-text.js";

/** Tokens a chat format adds around each message (OpenAI's published count for its chat format). */
const TOKENS_PER_MESSAGE = 4;
/** Tokens of an image part when its size is unknown: a 1024 × 1024 image at high detail (OpenAI's published rule). */
const TOKENS_PER_IMAGE = 765;
/**
 * Vendors count PDFs by the page. Gemini takes it as a picture (https://ai.google.dev/gemini-api/docs/document-processing), Claude and OpenAI
 * as its text and a picture (https://docs.anthropic.com/en/docs/build-with-claude/pdf-support,
 * https://developers.openai.com/docs/guides/pdf-files, all read on 2026-11-28): of Gemini 560 tokens, of Claude 1,600 to 2,500
 * (https://huggingface.co/datasets/JOHNISKING/pdf-token-cost, measured on 2026-10-18). This is their middle, by ratio.
 */
const TOKENS_PER_PAGE = 1000;
/** Of a PDF (guess: a page of text alone has 10 to 100 kB). */
const BYTES_PER_PAGE = 50_000;
/** Megabytes are those of pictures, and must not rule out models whose context would do (guess). */
const MOST_PAGES = 30;
/** Data URLs of files that are text, which vendors read as such. */
const TEXT_FILE =
  /^data:(?:text\/|application\/(?:json|xml|yaml|x-yaml|csv|x-ndjson|javascript|sql)[;,]|[^;,]{1,100}\+(?:json|xml)[;,])/i;
/** Bytes of UTF-8 per token; English prose has about 4.2, code 3.3, Chinese 3 bytes a sign (guess: their middle). */
const BYTES_PER_TOKEN = 4;

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
      for (const part of message.content) if (part.type !== "text") tokens += partTokens(part);
    }
  }
  return Math.ceil(tokens);
}

function partTokens(part: MessagePart): number {
  const { file } = part as { readonly file?: { readonly file_data?: unknown } | null };
  const data = part.type === "file" ? file?.file_data : undefined;
  return typeof data === "string" ? fileTokens(data) : TOKENS_PER_IMAGE;
}

/** By size and kind: a file that is no text counts as a PDF. */
function fileTokens(data: string): number {
  // Base64 has three bytes in four characters.
  const bytes = 0.75 * data.length;
  if (TEXT_FILE.test(data)) return bytes / BYTES_PER_TOKEN;
  return TOKENS_PER_PAGE * Math.min(MOST_PAGES, Math.max(1, bytes / BYTES_PER_PAGE));
}
