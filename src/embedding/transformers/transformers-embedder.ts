import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { cutText } from "../cut-text.js";
import type { Embedder } from "../embedder.js";
import { EmbedderLoadError, notInstalled } from "../load-error.js";
import type { ModelSource, ReadyMessage, Weights } from "./embedding-api.js";
import { startWorker } from "./start-worker.js";
import { LibraryMissingError, TransformersWorkerError, WorkerConnection } from "./worker-connection.js";

const HUB_ID = /^[A-Za-z0-9][\w.-]*(\/[\w.-]+)?$/;

export interface TransformersOptions {
  /** Where files of the hub are kept. */
  readonly cacheDir: string;
  /** Branch, tag or commit on the hub; default `main`. A commit keeps the fingerprint from changing under you. */
  readonly revision?: string;
  /** Default `fp32`. */
  readonly weights?: Weights;
  /** Threads that compute one run; default 1, which leaves the other cores to the gateway. */
  readonly threads?: number;
  /** A mirror of the hub. */
  readonly hubUrl?: string;
  /** Gives up loading. */
  readonly signal?: AbortSignal;
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
  const start = () => new WorkerConnection(startWorker(source));
  try {
    return await openWorkerEmbedder({ id: model, start, ...(options.signal && { signal: options.signal }) });
  } catch (cause) {
    options.signal?.throwIfAborted();
    if (cause instanceof LibraryMissingError) throw notInstalled("@huggingface/transformers", nameOf(source));
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
    revision: options.revision ?? "main",
    weights: options.weights ?? "fp32",
    threads: options.threads ?? 1,
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
      : `the hub id ${source.model}, as there is no folder of that name, at ${source.hubUrl} (revision ` +
        `${source.revision}) and in the cache ${source.cacheDir}`;
  return `cannot open a feature-extraction model with ${source.weights} weights from ${tried}: ${reason}`;
}

export interface WorkerEmbedderOptions {
  readonly id: string;
  /** Starts a thread that speaks the messages of `embedding-api.ts`. */
  readonly start: () => WorkerConnection;
  /** Gives up loading. */
  readonly signal?: AbortSignal;
}

/** An embedder over any worker that speaks the messages of `embedding-api.ts`. */
export async function openWorkerEmbedder({ id, start, signal }: WorkerEmbedderOptions): Promise<Embedder> {
  signal?.throwIfAborted();
  const connection = start();
  const giveUp = () => connection.terminate(signal?.reason);
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    const ready = await connection.ready;
    return new WorkerEmbedder(connection, { id, start, ready });
  } catch (error) {
    await connection.close(error instanceof Error ? error : new Error(String(error)));
    throw error;
  } finally {
    signal?.removeEventListener("abort", giveUp);
  }
}

class WorkerEmbedder implements Embedder {
  readonly id: string;
  readonly fingerprint: string;
  readonly dimensions: number;
  readonly #maxUnits: number;
  readonly #start: () => WorkerConnection;
  #connection: WorkerConnection;
  #closing: Promise<void> | undefined;

  constructor(
    connection: WorkerConnection,
    options: WorkerEmbedderOptions & { readonly ready: ReadyMessage },
  ) {
    this.id = options.id;
    this.fingerprint = options.ready.fingerprint;
    this.dimensions = options.ready.dimensions;
    this.#maxUnits = options.ready.maxUnits;
    this.#start = options.start;
    this.#connection = connection;
  }

  async embed(
    texts: readonly string[],
    options?: { readonly signal?: AbortSignal },
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
    this.#closing ??= this.#connection.close(this.#closedError());
    return this.#closing;
  }

  async #embedReadable(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array> {
    if (this.#connection.ended !== undefined) this.#connection = this.#start();
    const connection = this.#connection;
    const { fingerprint } = await connection.ready;
    signal?.throwIfAborted();
    if (fingerprint === this.fingerprint) return connection.embed(texts, signal);
    const changed = new TransformersWorkerError(
      `the files of ${this.id} changed while it was in use (fingerprint ${this.fingerprint}, now ${fingerprint}); open it again`,
    );
    await connection.close(changed);
    throw changed;
  }

  #closedError(): Error {
    return new Error(`the embedder ${this.id} is closed; open it again to embed`);
  }
}
