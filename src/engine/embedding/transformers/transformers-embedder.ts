import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Worker } from "node:worker_threads";
import type { CancelSignal } from "../../../foundation/cancel-signal.js";
import { ExplainedError } from "../../../foundation/errors.js";
import { isNotInstalled } from "../../../foundation/optional-package.js";
import { RestartingThread } from "../../../foundation/workers/restarting-thread.js";
import { RpcError } from "../../../foundation/workers/rpc-error.js";
import { startWorkerThread, WorkerThread } from "../../../foundation/workers/worker-thread.js";
import { cutText } from "../cut-text.js";
import type { Embedder } from "../embedder.js";
import { EmbedderLoadError, notInstalled } from "../load-error.js";
import type { EmbeddingApi, LoadedModel, ModelSource } from "./embedding-api.js";

const LIBRARY = "@huggingface/transformers";
const HUB_ID = /^[A-Za-z0-9][\w.-]*(\/[\w.-]+)?$/;

export interface TransformersOptions {
  /** Where files of the hub are kept. */
  readonly cacheDir: string;
  /** A mirror of the hub. */
  readonly hubUrl?: string;
  /** Gives up loading. */
  readonly signal?: CancelSignal | undefined;
}

/**
 * Opens a feature-extraction model in a worker thread: the mean of its last hidden state over the tokens, at unit length. A
 * folder (`config.json`, `tokenizer.json`, `tokenizer_config.json`, `onnx/model.onnx`) is read without network; a hub id is
 * fetched into `cacheDir` once. A text is cut to 8 × the model's token limit in UTF-16 units, then to that limit. A text
 * without a token, and one for which the model yields NaN, gets zeros. When the thread crashes, the calls in progress
 * reject and the next call starts it anew.
 *
 * @throws EmbedderLoadError naming the model, the way it was looked for and the library's reason; where the library is not
 *   installed, the command that installs it
 */
export async function openTransformersEmbedder(
  model: string,
  options: TransformersOptions,
): Promise<Embedder> {
  options.signal?.throwIfAborted();
  const source = await locate(model, options);
  const startWorker = () => startWorkerThread("engine/embedding/transformers/worker", source);
  try {
    return await openWorkerEmbedder({ id: model, startWorker, signal: options.signal });
  } catch (cause) {
    options.signal?.throwIfAborted();
    if (isNotInstalled(cause, LIBRARY)) throw notInstalled(LIBRARY, nameOf(source));
    throw new EmbedderLoadError(describeFailure(source, cause), { cause });
  }
}

async function locate(model: string, options: TransformersOptions): Promise<ModelSource> {
  const isFolder = await isDirectory(model);
  if (!isFolder && !HUB_ID.test(model)) {
    throw new EmbedderLoadError(
      `"${model}" is neither a folder that exists nor a hub id such as "Xenova/all-MiniLM-L6-v2"`,
    );
  }
  return {
    model: isFolder ? resolve(model) : model,
    kind: isFolder ? "folder" : "hub",
    cacheDir: resolve(options.cacheDir),
    hubUrl: options.hubUrl ?? "https://huggingface.co/",
  };
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

const nameOf = ({ kind, model }: ModelSource): string =>
  kind === "folder"
    ? `The embedder in the folder ${model}, whose config.json has no sextant block,`
    : `The embedder ${model} of the hub`;

function describeFailure(source: ModelSource, cause: unknown): string {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const tried =
    source.kind === "folder"
      ? `the folder ${source.model}, which needs config.json, tokenizer.json, tokenizer_config.json and an ONNX file in ` +
        "onnx/ (a static model: a sextant block in config.json)"
      : `the hub id ${source.model}, as there is no folder of that name, at ${source.hubUrl} and in ` +
        `the cache ${source.cacheDir}`;
  return `cannot open a feature-extraction model with fp32 weights from ${tried}: ${reason}`;
}

export interface WorkerEmbedderOptions {
  readonly id: string;
  /** Starts a thread that serves `EmbeddingApi`. */
  readonly startWorker: () => Worker;
  /** Gives up loading. */
  readonly signal?: CancelSignal | undefined;
}

/** An embedder over any thread that serves `EmbeddingApi`. @throws as the thread, when it cannot load the model */
export async function openWorkerEmbedder({
  id,
  startWorker,
  signal,
}: WorkerEmbedderOptions): Promise<Embedder> {
  signal?.throwIfAborted();
  const threads = new RestartingThread<EmbeddingApi>(
    () => new WorkerThread(startWorker(), { name: "the worker thread" }),
  );
  try {
    return new WorkerEmbedder(threads, {
      id,
      model: await threads.running().call("model", undefined, signal),
    });
  } catch (error) {
    await threads.terminate(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

class WorkerEmbedder implements Embedder {
  readonly id: string;
  readonly fingerprint: string;
  readonly dimensions: number;
  readonly #maxUnits: number;
  readonly #threads: RestartingThread<EmbeddingApi>;
  #closing: Promise<void> | undefined;

  constructor(
    threads: RestartingThread<EmbeddingApi>,
    { id, model }: { readonly id: string; readonly model: LoadedModel },
  ) {
    this.id = id;
    this.fingerprint = model.fingerprint;
    this.dimensions = model.dimensions;
    this.#maxUnits = model.maxUnits;
    this.#threads = threads;
  }

  async embed(
    texts: readonly string[],
    options?: { readonly signal?: CancelSignal | undefined },
  ): Promise<Float32Array[]> {
    options?.signal?.throwIfAborted();
    if (this.#closing !== undefined) throw this.#closedError();
    const readable = texts.filter((text) => text !== "").map((text) => cutText(text, this.#maxUnits));
    const rows =
      readable.length > 0 ? await this.#embedReadable(readable, options?.signal) : new Float32Array(0);
    let row = 0;
    return texts.map((text) => {
      if (text === "") return new Float32Array(this.dimensions);
      const from = row++ * this.dimensions;
      return rows.slice(from, from + this.dimensions);
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#threads.close(this.#closedError());
    return this.#closing;
  }

  async #embedReadable(texts: readonly string[], signal: CancelSignal | undefined): Promise<Float32Array> {
    const { fingerprint } = this;
    try {
      return await this.#threads.running().call("embed", { texts, fingerprint }, signal);
    } catch (error) {
      throw error instanceof RpcError ? new ExplainedError(error.message) : error;
    }
  }

  #closedError(): Error {
    return new Error(`the embedder ${this.id} is closed; open it again to embed`);
  }
}
