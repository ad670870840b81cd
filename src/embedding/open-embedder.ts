import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Embedder } from "./embedder.js";
import { openStaticEmbedder } from "./static/static-embedder.js";
import { openTransformersEmbedder } from "./transformers/transformers-embedder.js";

export interface OpenEmbedderOptions {
  /** Where models of the hub are kept. */
  readonly cacheDir: string;
  /** Gives up loading. */
  readonly signal?: AbortSignal;
}

/**
 * Opens the embedder that `spec` names: a folder whose `config.json` has a `sextant` block is a static model; any other
 * folder, and a hub id such as `Xenova/all-MiniLM-L6-v2`, is a feature-extraction model for the transformers library.
 *
 * @throws EmbedderLoadError naming the folder or hub id that was tried and what it lacks
 */
export async function openEmbedder(spec: string, options: OpenEmbedderOptions): Promise<Embedder> {
  options.signal?.throwIfAborted();
  if (await hasSextantBlock(spec)) return openStaticEmbedder(spec);
  return openTransformersEmbedder(spec, options);
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
