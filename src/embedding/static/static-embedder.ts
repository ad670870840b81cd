import { basename, resolve } from "node:path";
import { cutText, UNITS_PER_TOKEN } from "../cut-text.js";
import type { Embedder } from "../embedder.js";
import { EmbedderLoadError } from "../load-error.js";
import { readModelFolder } from "./model-folder.js";
import { type OnnxSession, openOnnxSession } from "./onnx-session.js";
import { parseTokenizerFile } from "./tokenizer-file.js";
import { WordPieceTokenizer } from "./wordpiece.js";

/** Padded tokens per run of a batch: the gathered rows stay in the core's cache (512 to 1,024 were the fastest). */
const TOKENS_PER_RUN = 512;

/**
 * Opens a static model (token table → sum → unit length) from a folder in the Hugging Face layout: `config.json` with a
 * `sextant` block, `tokenizer.json` (BERT WordPiece) and `onnx/model.onnx`. Runs on the calling thread: 15–25 µs for 50
 * tokens. A text is cut to 8 × max_tokens UTF-16 units, then to max_tokens tokens.
 *
 * @throws EmbedderLoadError naming the file, what was found and what is expected
 */
export async function openStaticEmbedder(folder: string): Promise<Embedder> {
  const files = await readModelFolder(folder);
  const tokenizer = new WordPieceTokenizer(parseTokenizerFile(files.tokenizer.json, files.tokenizer.path));
  const session = await openOnnxSession(files.onnx.bytes, files.onnx.path);
  const embedder = new StaticEmbedder(basename(resolve(folder)), { ...files, tokenizer, session });
  try {
    checkDimensions(session.dimensions, files);
    await checkTable(session, { largestId: tokenizer.largestId, path: files.onnx.path });
  } catch (error) {
    await embedder.close();
    throw error;
  }
  return embedder;
}

function checkDimensions(found: number, files: { dimensions: number; onnx: { path: string } }): void {
  if (found === files.dimensions) return;
  throw new EmbedderLoadError(
    `${files.onnx.path} makes vectors of ${found} numbers, but hidden_size in config.json is ${files.dimensions}; ` +
      "the two files are not of one model",
  );
}

/** Runs the model on its last token and on padding, so that a table that does not fit the vocabulary fails now. */
async function checkTable(session: OnnxSession, tokens: { largestId: number; path: string }): Promise<void> {
  const { largestId, path } = tokens;
  try {
    await session.run(BigInt64Array.of(BigInt(largestId)), 1);
  } catch (cause) {
    throw new EmbedderLoadError(
      `${path} has no row for token ${largestId}, which tokenizer.json can produce`,
      { cause },
    );
  }
  const padding = await session.run(BigInt64Array.of(0n), 1);
  if (padding.every((value) => value === 0)) return;
  throw new EmbedderLoadError(`${path}: token 0 is padding and must yield a zero vector, but does not`);
}

interface Parts {
  readonly fingerprint: string;
  readonly maxTokens: number;
  readonly tokenizer: WordPieceTokenizer;
  readonly session: OnnxSession;
}

/** A text of a batch, tokenised. */
interface Tokenised {
  /** Place in the caller's order. */
  readonly index: number;
  readonly ids: Int32Array;
}

class StaticEmbedder implements Embedder {
  readonly id: string;
  readonly fingerprint: string;
  readonly dimensions: number;
  readonly #tokenizer: WordPieceTokenizer;
  readonly #session: OnnxSession;
  readonly #maxUnits: number;
  /** Where the tokenizer writes; copied out before anything awaits. */
  readonly #ids: Int32Array;
  #closing: Promise<void> | undefined;

  constructor(id: string, { fingerprint, maxTokens, tokenizer, session }: Parts) {
    this.id = id;
    this.fingerprint = fingerprint;
    this.dimensions = session.dimensions;
    this.#tokenizer = tokenizer;
    this.#session = session;
    this.#maxUnits = maxTokens * UNITS_PER_TOKEN;
    this.#ids = new Int32Array(maxTokens);
  }

  async embed(
    texts: readonly string[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<Float32Array[]> {
    options?.signal?.throwIfAborted();
    this.#throwIfClosed();
    const [only] = texts;
    if (texts.length === 1 && only !== undefined) return [await this.#embedOne(only)];
    return this.#embedMany(texts, options?.signal);
  }

  close(): Promise<void> {
    this.#closing ??= this.#session.close();
    return this.#closing;
  }

  #embedOne(text: string): Promise<Float32Array> | Float32Array {
    const count = this.#tokenise(text);
    if (count === 0) return new Float32Array(this.dimensions);
    const ids = new BigInt64Array(count);
    writeIds(ids, 0, this.#ids.subarray(0, count));
    return this.#session.run(ids, 1);
  }

  /** Texts of similar length share a run, so that padding costs little; the event loop turns between runs. */
  async #embedMany(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const vectors = texts.map(() => new Float32Array(this.dimensions));
    const tokenised = texts.map((text, index) => ({ index, ids: this.#ids.slice(0, this.#tokenise(text)) }));
    const readable = tokenised.filter(({ ids }) => ids.length > 0);
    for (const run of groupByLength(readable, TOKENS_PER_RUN)) {
      signal?.throwIfAborted();
      this.#throwIfClosed();
      const sums = await this.#session.run(padded(run), run.length);
      run.forEach(({ index }, row) => {
        vectors[index]?.set(sums.subarray(row * this.dimensions, (row + 1) * this.dimensions));
      });
    }
    return vectors;
  }

  #tokenise(text: string): number {
    return this.#tokenizer.encode(cutText(text, this.#maxUnits), this.#ids);
  }

  #throwIfClosed(): void {
    if (this.#closing !== undefined)
      throw new Error(`the embedder ${this.id} is closed; open it again to embed`);
  }
}

/** Runs of at most `maxTokens` padded tokens (or one text), shortest texts first. */
function groupByLength(texts: readonly Tokenised[], maxTokens: number): Tokenised[][] {
  const runs: Tokenised[][] = [];
  let run: Tokenised[] = [];
  for (const text of texts.toSorted((a, b) => a.ids.length - b.ids.length)) {
    if (run.length > 0 && (run.length + 1) * text.ids.length > maxTokens) {
      runs.push(run);
      run = [];
    }
    run.push(text);
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

/** int64 [texts, longest], padded with 0. The last text is the longest. */
function padded(run: readonly Tokenised[]): BigInt64Array {
  const tokens = run.at(-1)?.ids.length ?? 0;
  const ids = new BigInt64Array(run.length * tokens);
  run.forEach((text, row) => {
    writeIds(ids, row * tokens, text.ids);
  });
  return ids;
}

/** Ids are below 2³¹, so their low halves are all there is to write; ten times faster than making bigints. */
function writeIds(target: BigInt64Array, at: number, ids: Int32Array): void {
  const halves = new Int32Array(target.buffer);
  for (let index = 0; index < ids.length; index++) halves[(at + index) * 2] = ids[index] ?? 0;
}
