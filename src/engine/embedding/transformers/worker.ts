/** The worker thread that runs a feature-extraction model: the one file that knows the transformers library. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { FeatureExtractionPipeline } from "@huggingface/transformers";
import { serveThread } from "../../../foundation/workers/thread-entry.js";
import { Transferred } from "../../../foundation/workers/thread-messages.js";
import { UNITS_PER_TOKEN } from "../cut-text.js";
import type { EmbeddingApi, LoadedModel, ModelSource } from "./embedding-api.js";

/** Limits of one run: more texts or longer padding gain no throughput on a CPU and delay the next request. */
const TEXTS_PER_RUN = 16;
const UNITS_PER_RUN = 16_384;

/** For a model that does not say how much it reads. */
const USUAL_MAX_TOKENS = 512;

await serveThread<EmbeddingApi, ModelSource>(async (source) => {
  const extractor = await load(source);
  const model: LoadedModel = {
    dimensions: (await extractor("a", { pooling: "mean" })).dims.at(-1) ?? 0,
    fingerprint: await fingerprintOf(
      source.kind === "hub" ? join(source.cacheDir, source.model) : source.model,
    ),
    maxUnits: limitTokens(extractor) * UNITS_PER_TOKEN,
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    methods: {
      model: () => model,
      embed({ texts, fingerprint }, { signal }) {
        if (fingerprint !== model.fingerprint) throw new Error(changed(fingerprint, model));
        const vectors = last.then(() => embed(texts, { extractor, dimensions: model.dimensions, signal }));
        last = vectors.catch(() => {});
        return vectors;
      },
    },
    async close() {
      await last;
      await extractor.dispose();
    },
  };
});

const changed = (before: string, { fingerprint }: LoadedModel): string =>
  `the files of the model changed while it was in use (fingerprint ${before}, now ${fingerprint}); open it again`;

async function load(source: ModelSource): Promise<FeatureExtractionPipeline> {
  const { env, LogLevel, pipeline } = await import("@huggingface/transformers");
  const remote = source.kind === "hub";
  env.allowRemoteModels = remote;
  env.allowLocalModels = !remote;
  env.useFSCache = remote;
  env.cacheDir = source.cacheDir;
  env.remoteHost = source.hubUrl;
  env.logLevel = LogLevel.NONE;
  return pipeline("feature-extraction", source.model, {
    dtype: "fp32",
    device: "cpu",
    // The other cores are left to the gateway.
    session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
  });
}

/** Makes the tokenizer cut where the model's positions end, and returns that number of tokens. */
function limitTokens({ tokenizer, model }: FeatureExtractionPipeline): number {
  const { max_position_embeddings: positions } = model.config as { max_position_embeddings?: unknown };
  const limits = [tokenizer.model_max_length, positions].filter((limit) => typeof limit === "number");
  const limit = Math.min(...limits.filter((value) => value > 0 && value < 1_000_000));
  const maxTokens = Number.isFinite(limit) ? limit : USUAL_MAX_TOKENS;
  Object.defineProperty(tokenizer, "model_max_length", { value: maxTokens });
  return maxTokens;
}

interface Work {
  readonly extractor: FeatureExtractionPipeline;
  readonly dimensions: number;
  readonly signal: AbortSignal;
}

async function embed(
  texts: readonly string[],
  { dimensions, extractor, signal }: Work,
): Promise<Transferred<Float32Array<ArrayBuffer>>> {
  const vectors = new Float32Array(texts.length * dimensions);
  for (const run of groupByLength(texts)) {
    signal.throwIfAborted();
    const rows = await embedRun(run, extractor);
    run.forEach(({ index }, row) => {
      const vector = rows.subarray(row * dimensions, (row + 1) * dimensions);
      if (vector.every(Number.isFinite)) vectors.set(vector, index * dimensions);
    });
  }
  return new Transferred(vectors, [vectors.buffer]);
}

interface IndexedText {
  /** Position in the request. */
  readonly index: number;
  readonly text: string;
}

/** f32 [texts, dimensions], unit length; NaN where a text has no token. */
async function embedRun(
  run: readonly IndexedText[],
  extractor: FeatureExtractionPipeline,
): Promise<Float32Array> {
  const texts = run.map(({ text }) => text);
  const { data } = await extractor(texts, { pooling: "mean", normalize: true }).catch((error) => {
    throw new Error(`the model failed: ${error instanceof Error ? error.message : error}`, { cause: error });
  });
  return data as Float32Array;
}

/** Texts of similar length share a run, so that padding costs little. */
function groupByLength(texts: readonly string[]): IndexedText[][] {
  const runs: IndexedText[][] = [];
  let run: IndexedText[] = [];
  const byLength = texts
    .map((text, index) => ({ text, index }))
    .toSorted((a, b) => a.text.length - b.text.length);
  for (const item of byLength) {
    const full = run.length === TEXTS_PER_RUN || (run.length + 1) * item.text.length > UNITS_PER_RUN;
    if (full && run.length > 0) {
      runs.push(run);
      run = [];
    }
    run.push(item);
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

/**
 * SHA-256, hex, over the files that decide a vector, as they lie in a folder of the Hugging Face layout: `config.json`,
 * `tokenizer.json`, `tokenizer_config.json`, the ONNX file and its external data; then how rows become a
 * vector. Each part is preceded by the line `<name> <length in bytes>\n`; a file that is not there is left out. The cache
 * of the hub has the same layout, so a hub id and a copy of it in a folder have one fingerprint.
 */
async function fingerprintOf(folder: string): Promise<string> {
  const model = "onnx/model.onnx";
  const hash = createHash("sha256");
  for (const name of ["config.json", "tokenizer.json", "tokenizer_config.json", model, `${model}_data`]) {
    const path = join(folder, name);
    const length = await sizeOf(path);
    if (length === undefined) continue;
    hash.update(`${name} ${length}\n`);
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }))
      hash.update(chunk as Buffer);
  }
  const pooling = "mean, unit length";
  return hash.update(`pooling ${pooling.length}\n${pooling}`).digest("hex");
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch {
    return undefined;
  }
}
