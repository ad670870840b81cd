import { setImmediate as nextTurn } from "node:timers/promises";
import type { Embedder } from "../../engine/embedding/embedder.js";
import { LOCAL_EMBEDDER } from "../../engine/index.js";
import { SextantError } from "../../foundation/errors.js";
import { type EmbeddingBody, type EncodedVector, encodeVector, inputsOf } from "../providers/embeddings.js";
import { type NativeApi, type Provider, ProviderFault } from "../providers/provider.js";

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
