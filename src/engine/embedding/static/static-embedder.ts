import { basename, resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isNotInstalled } from "../../../foundation/optional-package.js";
import { cutText, UNITS_PER_TOKEN } from "../cut-text.js";
import type { Embedder } from "../embedder.js";
import { EmbedderLoadError, notInstalled } from "../load-error.js";
import { readExportedTable } from "./exported-table.js";
import { type ModelFolder, readModelFolder } from "./model-folder.js";
import { exportedTokenTable, readTokenTable, type TokenTable } from "./token-table.js";
import { parseTokenizerFile } from "./tokenizer-file.js";
import { WordPieceTokenizer } from "./wordpiece.js";

/** Texts of a batch between two turns of the event loop: a few milliseconds. */
const TEXTS_PER_TURN = 256;

/**
 * Opens a static model (token table → sum → unit length) from a folder in the Hugging Face layout: `config.json` with a
 * `sextant` block, `tokenizer.json` (BERT WordPiece) and `onnx/model.onnx`. Runs on the calling thread: about 10 µs for 50
 * tokens. A text is cut to 8 × max_tokens UTF-16 units, then to max_tokens tokens.
 *
 * @throws EmbedderLoadError naming the file, what was found and what is expected
 */
export async function openStaticEmbedder(folder: string): Promise<Embedder> {
  const files = await readModelFolder(folder);
  const tokenizer = new WordPieceTokenizer(parseTokenizerFile(files.tokenizer.json, files.tokenizer.path));
  const table = await openTable(files, tokenizer.largestId);
  return new StaticEmbedder(basename(resolve(folder)), { ...files, tokenizer, table });
}

/** Where our own export wrote the file, the ONNX runtime is not loaded, and need not be installed. */
async function openTable(files: ModelFolder, largestId: number): Promise<TokenTable> {
  const { path, bytes } = files.onnx;
  const exported = readExportedTable(bytes);
  if (exported !== undefined) {
    checkDimensions(exported.dimensions, files);
    return exportedTokenTable(exported, { largestId, path });
  }
  const { openOnnxSession } = await loadRuntime(path);
  const session = await openOnnxSession(bytes, path);
  try {
    checkDimensions(session.dimensions, files);
    return await readTokenTable(session, { largestId, path });
  } finally {
    await session.close();
  }
}

async function loadRuntime(path: string): Promise<typeof import("./onnx-session.js")> {
  try {
    return await import("./onnx-session.js");
  } catch (error) {
    if (!isNotInstalled(error, "onnxruntime-node")) throw error;
    throw notInstalled("onnxruntime-node", `${path}, which Sextant's own export did not write,`);
  }
}

function checkDimensions(found: number, files: { dimensions: number; onnx: { path: string } }): void {
  if (found === files.dimensions) return;
  throw new EmbedderLoadError(
    `${files.onnx.path} makes vectors of ${found} numbers, but hidden_size in config.json is ${files.dimensions}; ` +
      "the two files are not of one model",
  );
}

interface LoadedModel {
  readonly fingerprint: string;
  readonly maxTokens: number;
  readonly tokenizer: WordPieceTokenizer;
  readonly table: TokenTable;
}

class StaticEmbedder implements Embedder {
  readonly id: string;
  readonly fingerprint: string;
  readonly dimensions: number;
  readonly #tokenizer: WordPieceTokenizer;
  readonly #table: TokenTable;
  readonly #maxUnits: number;
  /** Where the tokenizer writes. */
  readonly #ids: Int32Array;
  #closed = false;

  constructor(id: string, { fingerprint, maxTokens, tokenizer, table }: LoadedModel) {
    this.id = id;
    this.fingerprint = fingerprint;
    this.dimensions = table.dimensions;
    this.#tokenizer = tokenizer;
    this.#table = table;
    this.#maxUnits = maxTokens * UNITS_PER_TOKEN;
    this.#ids = new Int32Array(maxTokens);
  }

  async embed(
    texts: readonly string[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (const text of texts) {
      if (vectors.length > 0 && vectors.length % TEXTS_PER_TURN === 0) {
        await nextTurn();
        options?.signal?.throwIfAborted();
      }
      this.#throwIfClosed();
      vectors.push(this.#embedOne(text));
    }
    return vectors;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #embedOne(text: string): Float32Array {
    const count = this.#tokenizer.encode(cutText(text, this.#maxUnits), this.#ids);
    return this.#table.unitSum(this.#ids, count);
  }

  #throwIfClosed(): void {
    if (this.#closed) throw new Error(`the embedder ${this.id} is closed; open it again to embed`);
  }
}
