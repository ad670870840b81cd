import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Embedder } from "./embedder.js";
import { openAnswerLengthModel, openDifficultyModel } from "./linear-model-file.js";
import { openStaticEmbedder } from "./static/static-embedder.js";
import { openTransformersEmbedder } from "./transformers/transformers-embedder.js";

export interface OpenEmbedderOptions {
  /** Where models of the hub are kept. */
  readonly cacheDir: string;
  /** Gives up loading. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens the embedder that `spec` names: a folder whose `config.json` has a `sextant` block is a static model; any other
 * folder, and a hub id such as `Xenova/all-MiniLM-L6-v2`, is a feature-extraction model for the transformers library.
 *
 * @throws EmbedderLoadError naming the folder or hub id that was tried and what it lacks
 */
export async function openEmbedder(spec: string, options: OpenEmbedderOptions): Promise<Embedder> {
  options.signal?.throwIfAborted();
  const embedder = (await hasSextantBlock(spec))
    ? await openStaticEmbedder(spec)
    : await openTransformersEmbedder(spec, options);
  try {
    const { dimensions } = embedder;
    const difficulty = await openDifficultyModel(spec, dimensions);
    const answerLength = await openAnswerLengthModel(spec, dimensions);
    return withPromptModels(embedder, { difficulty, answerLength });
  } catch (error) {
    await embedder.close();
    throw error;
  }
}

function withPromptModels(
  embedder: Embedder,
  models: Pick<Embedder, "difficulty" | "answerLength">,
): Embedder {
  const { id, fingerprint, dimensions } = embedder;
  return {
    id,
    fingerprint,
    dimensions,
    ...models,
    embed: (texts, options) => embedder.embed(texts, options),
    close: () => embedder.close(),
  };
}

/** False too where there is no readable `config.json`: the transformers embedder then says what is missing. */
async function hasSextantBlock(folder: string): Promise<boolean> {
  try {
    const config: unknown = JSON.parse(await readFile(join(folder, "config.json"), "utf8"));
    return typeof config === "object" && config !== null && "sextant" in config;
  } catch {
    return false;
  }
}
