import type { Embedder } from "../../../src/engine/embedding/embedder.js";

/** The same embedder with a cache of every text, because methods and builds of a benchmark embed the same ones repeatedly. */
export function rememberVectors(embedder: Embedder): Embedder {
  const known = new Map<string, Float32Array>();
  return {
    id: embedder.id,
    fingerprint: embedder.fingerprint,
    dimensions: embedder.dimensions,
    difficulty: embedder.difficulty,
    async embed(texts, options) {
      const missing = [...new Set(texts.filter((text) => !known.has(text)))];
      const vectors = missing.length === 0 ? [] : await embedder.embed(missing, options);
      missing.forEach((text, index) => {
        known.set(text, vectors[index] as Float32Array);
      });
      return texts.map((text) => known.get(text) as Float32Array);
    },
    close: () => embedder.close(),
  };
}
