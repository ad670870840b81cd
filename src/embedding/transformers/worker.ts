/**
 * The worker thread: the one file that knows the transformers library. Loads a feature-extraction model, says `ready`, then
 * answers requests one after the other until `close`.
 */
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import type { FeatureExtractionPipeline } from "@huggingface/transformers";
import { isNotInstalled } from "../../foundation/optional-package.js";
import { UNITS_PER_TOKEN } from "../cut-text.js";
import type { FromWorker, ModelSource, ToWorker } from "./embedding-api.js";
import { fingerprintOfFiles } from "./model-files.js";

/** Limits of one run: more texts or longer padding gain no throughput on a CPU and delay the next request. */
const TEXTS_PER_RUN = 16;
const UNITS_PER_RUN = 16_384;

/** For a model that does not say how much it reads. */
const USUAL_MAX_TOKENS = 512;

const port = parentPort;
if (port === null) throw new Error("this file is the entry of a worker thread");
const source = workerData as ModelSource;
const send = (message: FromWorker, transfer: readonly ArrayBuffer[] = []) =>
  port.postMessage(message, transfer);
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

try {
  const extractor = await load();
  const dimensions = (await extractor("a", { pooling: "mean" })).dims.at(-1) ?? 0;
  const maxUnits = limitTokens(extractor) * UNITS_PER_TOKEN;
  listen(extractor, dimensions);
  send({ kind: "ready", dimensions, fingerprint: await fingerprint(), maxUnits });
} catch (error) {
  const missing = isNotInstalled(error, "@huggingface/transformers");
  send(missing ? { kind: "not-installed" } : { kind: "failed", message: messageOf(error) });
  port.close();
}

async function load(): Promise<FeatureExtractionPipeline> {
  const { env, LogLevel, pipeline } = await import("@huggingface/transformers");
  const remote = source.kind === "hub";
  env.allowRemoteModels = remote;
  env.allowLocalModels = !remote;
  env.useFSCache = remote;
  env.cacheDir = source.cacheDir;
  env.remoteHost = source.hubUrl;
  env.logLevel = LogLevel.NONE;
  return pipeline("feature-extraction", source.model, {
    dtype: source.weights,
    revision: source.revision,
    device: "cpu",
    session_options: { intraOpNumThreads: source.threads, interOpNumThreads: 1 },
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

/** The cache keeps the main revision beside the folders of the others. */
function fingerprint(): Promise<string> {
  const { model, kind, cacheDir, revision, weights } = source;
  if (kind === "folder") return fingerprintOfFiles(model, weights);
  return fingerprintOfFiles(join(cacheDir, model, revision === "main" ? "" : revision), weights);
}

function listen(extractor: FeatureExtractionPipeline, dimensions: number): void {
  const waiting = new Set<number>();
  let last: Promise<void> = Promise.resolve();
  port?.on("message", (message: ToWorker) => {
    if (message.kind === "abort") {
      waiting.delete(message.request);
    } else if (message.kind === "embed") {
      waiting.add(message.request);
      const wanted = () => waiting.has(message.request);
      last = last.then(() => answer(message, { extractor, dimensions, wanted }));
      last = last.then(() => void waiting.delete(message.request));
    } else {
      waiting.clear();
      last = last.then(() => extractor.dispose()).then(() => port?.close());
    }
  });
}

interface Work {
  readonly extractor: FeatureExtractionPipeline;
  readonly dimensions: number;
  /** Whether the request has not been aborted. */
  readonly wanted: () => boolean;
}

async function answer(
  { request, texts }: { request: number; texts: readonly string[] },
  work: Work,
): Promise<void> {
  const { dimensions, extractor, wanted } = work;
  try {
    const vectors = new Float32Array(texts.length * dimensions);
    for (const run of groupByLength(texts)) {
      if (!wanted()) return;
      const rows = await embedRun(run, extractor);
      run.forEach(({ index }, row) => {
        const vector = rows.subarray(row * dimensions, (row + 1) * dimensions);
        if (vector.every(Number.isFinite)) vectors.set(vector, index * dimensions);
      });
    }
    send({ kind: "vectors", request, vectors }, [vectors.buffer]);
  } catch (error) {
    send({ kind: "error", request, message: messageOf(error) });
  }
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
  const { data } = await extractor(texts, { pooling: "mean", normalize: true });
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
