import { setImmediate as nextTurn } from "node:timers/promises";
import type { Embedder } from "../../engine/embedding/embedder.js";
import { estimateTextTokens, LOCAL_EMBEDDER } from "../../engine/index.js";
import { SextantError } from "../../foundation/errors.js";
import type { JsonObject } from "../providers/chat.js";
import { type EmbeddingBody, type EncodedVector, encodeVector, inputsOf } from "../providers/embeddings.js";
import { type NativeApi, type Provider, ProviderFault } from "../providers/provider.js";
import type { TokenCounter } from "../token-counting/token-counter.js";
import type { RequestSize } from "./request-size.js";

/** Texts embedded before yielding to the event loop: a few milliseconds for texts of the shipped embedder's maximum length. */
const TEXTS_PER_TURN = 16;

const NO_NATIVES: ReadonlySet<NativeApi> = new Set();

/** The embedder that routing uses, as a provider of embeddings. It counts no tokens. Closing it leaves the embedder open. */
export function localProvider(embedder: Pick<Embedder, "embed">): Provider {
  return {
    id: LOCAL_EMBEDDER,
    natives: NO_NATIVES,
    send: async () => {
      throw new ProviderFault("request_refused", "the local embedder answers nothing");
    },
    async embed({ body }, { signal }) {
      const texts = inputsOf(body).filter((input) => typeof input === "string");
      const vectors: EncodedVector[] = [];
      for (let start = 0; start < texts.length; start += TEXTS_PER_TURN) {
        if (start > 0) await nextTurn();
        signal.throwIfAborted();
        const part = await embedder.embed(texts.slice(start, start + TEXTS_PER_TURN), { signal });
        for (const vector of part) vectors.push(encodeVector(vector, body.encoding_format ?? "float"));
      }
      return { vectors, usage: null };
    },
    close: async () => {},
  };
}

/** @throws SextantError `invalid_request` for unsupported options: token ids, and other dimensions */
export function refuseForLocal(body: EmbeddingBody, { dimensions: own }: Pick<Embedder, "dimensions">): void {
  const { dimensions = own } = body;
  if (dimensions !== own) {
    throw new SextantError(
      "invalid_request",
      `\`dimensions\` is ${dimensions}: "${LOCAL_EMBEDDER}" makes vectors of ${own} numbers and no others. Leave it out.`,
      { param: "dimensions" },
    );
  }
  if (inputsOf(body).every((input) => typeof input === "string")) return;
  throw new SextantError(
    "invalid_request",
    `\`input\` holds token ids, which "${LOCAL_EMBEDDER}" cannot read. Send texts.`,
    { param: "input" },
  );
}

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
