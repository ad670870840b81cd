import { basename, resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { CancelSignal } from "../../../foundation/cancel-signal.js";
import { cutText, UNITS_PER_TOKEN } from "../cut-text.js";
import type { Embedder } from "../embedder.js";
import { EmbedderLoadError } from "../load-error.js";
import { readExportedTable } from "./exported-table.js";
import { type ModelFolder, readModelFolder } from "./model-folder.js";
import { exportedTokenTable, type TokenTable } from "./token-table.js";
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
  const tokenizer = new WordPieceTokenizer(
    parseTokenizerFile(files.tokenizer.json, files.tokenizer.path),
    files,
  );
  const table = tableIn(files, tokenizer.largestId);
  return new StaticEmbedder(basename(resolve(folder)), { ...files, tokenizer, table });
}

/** @throws EmbedderLoadError for a file that our export did not write, or that is not of this model */
function tableIn({ onnx: { path, bytes }, dimensions }: ModelFolder, largestId: number): TokenTable {
  const exported = readExportedTable(bytes);
  if (exported === undefined) {
    throw new EmbedderLoadError(
      `${path} is not a static model as training/export.py writes it: rows of int8 codes with a scale each, and their ` +
        'sum. Remove the "sextant" block from config.json to open another model as a transformer.',
    );
  }
  if (exported.dimensions !== dimensions) {
    throw new EmbedderLoadError(
      `${path} makes vectors of ${exported.dimensions} numbers, but hidden_size in config.json is ${dimensions}; ` +
        "the two files are not of one model",
    );
  }
  return exportedTokenTable(exported, { largestId, path });
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
    options?: { readonly signal?: CancelSignal | undefined },
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
