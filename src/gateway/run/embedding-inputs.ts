/** The inputs of an embeddings request, for limits, counts and traces. */

import { estimateTextTokens } from "../../engine/index.js";
import type { JsonObject } from "../providers/chat.js";
import { type EmbeddingBody, inputsOf } from "../providers/embeddings.js";
import type { TokenCounter } from "../token-counting/token-counter.js";
import type { RequestSize } from "./request-size.js";

/** Estimated without a tokenizer. */
export function embeddingSize(body: EmbeddingBody): RequestSize {
  let tokens = 0;
  for (const input of inputsOf(body)) {
    tokens += typeof input === "string" ? estimateTextTokens(input) : input.length;
  }
  return { promptTokens: Math.ceil(tokens), answerTokens: 0 };
}

export interface CountInputsOptions {
  /** Name of the model, which determines the tokenizer. */
  readonly model: string;
  readonly counter: TokenCounter;
}

/** Tokens of all inputs, by a tokenizer. */
export async function countInputs(
  body: EmbeddingBody,
  { model, counter }: CountInputsOptions,
): Promise<number> {
  const texts: string[] = [];
  let ids = 0;
  for (const input of inputsOf(body)) {
    if (typeof input === "string") texts.push(input);
    else ids += input.length;
  }
  return ids + (texts.length === 0 ? 0 : await counter.count(texts, { model }));
}

/** The inputs as a message, which a trace has of them: a part for each of several; for token ids, their number. */
export function inputMessage(body: EmbeddingBody): JsonObject {
  const texts = inputsOf(body).map((input) =>
    typeof input === "string" ? input : `[${input.length} token ids]`,
  );
  return {
    role: "user",
    content: texts.length === 1 ? texts[0] : texts.map((text) => ({ type: "text", text })),
  };
}
