import { createHash } from "node:crypto";
import { type EmbeddingInput, encodeVector, inputsOf } from "../embeddings.js";
import { type EmbeddingCall, type EmbeddingReply, ProviderFault } from "../provider.js";
import { NO_PARTS } from "../token-usage.js";
import { wordsOf } from "./sandbox-answer.js";

const DEFAULT_DIMENSIONS = 256;
/** As many as the longest of OpenAI's vectors have. */
const MAX_DIMENSIONS = 3072;

/**
 * Vectors that are made of nothing but the words of a text, whatever these mean: each word adds or takes 1 somewhere, and
 * the whole has unit length, so that texts with the same words are near each other. A word, or a token's id, counts as one token.
 */
export function sandboxEmbeddings({ body }: Pick<EmbeddingCall, "body">): EmbeddingReply {
  const { dimensions = DEFAULT_DIMENSIONS, encoding_format: encoding = "float" } = body;
  if (!(typeof dimensions === "number" && dimensions >= 1 && dimensions <= MAX_DIMENSIONS)) {
    throw new ProviderFault(
      "request_refused",
      `\`dimensions\` is ${dimensions}; the sandbox makes vectors of 1 to ${MAX_DIMENSIONS} numbers`,
      { upstreamParam: "dimensions" },
    );
  }
  const inputs = inputsOf(body).map(piecesOf);
  return {
    vectors: inputs.map((pieces) => encodeVector(vectorOf(pieces, dimensions), encoding)),
    usage: {
      ...NO_PARTS,
      promptTokens: inputs.reduce((sum, pieces) => sum + pieces.length, 0),
      completionTokens: 0,
    },
  };
}

const piecesOf = (input: EmbeddingInput): readonly string[] =>
  typeof input === "string" ? wordsOf(input.toLowerCase()).map((word) => word.trim()) : input.map(String);

function vectorOf(pieces: readonly string[], dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const piece of pieces) {
    const digest = createHash("sha256").update(piece).digest();
    const component = digest.readUInt32LE(0) % dimensions;
    vector[component] = (vector[component] ?? 0) + (digest.readUInt8(4) % 2 === 0 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}
