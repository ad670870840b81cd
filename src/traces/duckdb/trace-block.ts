import { timeOfRequestId } from "../request-time.js";
import type { Trace, TraceKind, TraceStatus } from "../trace.js";
import { detailOf } from "./detail.js";
import { type HashWords, metadataHashWords } from "./metadata-hash.js";

/** Most traces in one block: the rows that the database takes at once. */
export const BLOCK_TRACES = 2048;

/** A text that is not there, among lengths. */
export const NO_TEXT = 0xffff_ffff;

/** A figure has its position in `TraceBlock.figures`; NaN is unknown. */
export const FIGURES = {
  id_ms: ({ requestId }: Trace) => timeOfRequestId(requestId),
  created_ms: ({ createdAtMs }: Trace) => createdAtMs,
  tokens_in: ({ usage }: Trace) => wholeNumber(usage?.prompt_tokens),
  tokens_out: ({ usage }: Trace) => wholeNumber(usage?.completion_tokens),
  cost_usd: ({ usage }: Trace) => usage?.total_cost_usd ?? Number.NaN,
  latency_ms: ({ latencyMs }: Trace) => latencyMs,
  ttft_ms: ({ ttftMs }: Trace) => ttftMs ?? Number.NaN,
} as const;

/** Columns whose few different texts are kept once. */
export const NAMES = {
  model: ({ model }: Trace) => model,
  provider: ({ provider }: Trace) => provider,
  source: ({ source }: Trace) => source,
} as const;

/** Columns with texts of their own. */
export const TEXTS = {
  request_id: ({ requestId }: Trace) => requestId,
  detail: detailOf,
  input: ({ content }: Trace) => content?.input,
  output: ({ content }: Trace) => content?.output,
} as const;

/** A state is kept as its position, in files too: these lists are only ever added to. */
export const KINDS: readonly TraceKind[] = ["chat", "completion", "router"];
export const STATUSES: readonly TraceStatus[] = ["success", "error", "timeout"];

/**
 * Traces as columns, the way they go to the worker thread: a dozen buffers that change hands instead of thousands of objects
 * that are copied. All lists with several values for each trace have all values of one column together, in the order above.
 */
export interface TraceBlock {
  readonly traces: number;
  readonly figures: Float64Array;
  readonly kinds: Uint8Array;
  readonly statuses: Uint8Array;
  /** Different names that occur; `named` has their position plus one, 0 for none. */
  readonly names: readonly string[];
  readonly named: Uint32Array;
  /** Metadata keys that occur. Each pair, trace by trace, has the position of its key and the 64 bits of its hash. */
  readonly keys: readonly string[];
  readonly pairsOf: Uint32Array;
  readonly pairKeys: Uint32Array;
  readonly pairHashes: BigInt64Array;
  /** All texts as UTF-8, trace by trace, and their lengths in bytes. */
  readonly texts: Uint8Array;
  readonly lengths: Uint32Array;
}

const figures = Object.values(FIGURES);
const names = Object.values(NAMES);
const texts = Object.values(TEXTS);

/** Bytes that a trace is thought to need, to begin with. */
const GUESSED_BYTES = 1024;

/** Makes a block out of traces that are added one by one: a few microseconds each. */
export class BlockWriter {
  readonly #capacity: number;
  readonly #figures: Float64Array;
  readonly #kinds: Uint8Array;
  readonly #statuses: Uint8Array;
  readonly #named: Uint32Array;
  readonly #pairsOf: Uint32Array;
  readonly #lengths: Uint32Array;
  readonly #names = new Positions();
  readonly #keys = new Positions();
  readonly #pairKeys: number[] = [];
  readonly #pairHashes: number[] = [];
  #texts: Buffer;
  #written = 0;
  #traces = 0;

  /** @param capacity most traces that are added, up to `BLOCK_TRACES` */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#figures = new Float64Array(figures.length * capacity);
    this.#kinds = new Uint8Array(capacity);
    this.#statuses = new Uint8Array(capacity);
    this.#named = new Uint32Array(names.length * capacity);
    this.#pairsOf = new Uint32Array(capacity);
    this.#lengths = new Uint32Array(texts.length * capacity);
    // Not from the pool, which would change hands with it.
    this.#texts = Buffer.allocUnsafeSlow(GUESSED_BYTES * capacity);
  }

  add(trace: Trace): void {
    const at = this.#traces++;
    for (let column = 0; column < figures.length; column++) {
      this.#figures[column * this.#capacity + at] = figures[column]?.(trace) ?? Number.NaN;
    }
    this.#kinds[at] = KINDS.indexOf(trace.kind);
    this.#statuses[at] = STATUSES.indexOf(trace.status);
    for (let column = 0; column < names.length; column++) {
      const name = names[column]?.(trace) ?? null;
      this.#named[column * this.#capacity + at] = name === null ? 0 : this.#names.of(name) + 1;
    }
    this.#addMetadata(trace.metadata, at);
    for (let column = 0; column < texts.length; column++) {
      this.#lengths[column * this.#capacity + at] = this.#write(texts[column]?.(trace));
    }
  }

  /** The block, which is full, and what of it may change hands. Nothing can be added afterwards. */
  finish(): { readonly block: TraceBlock; readonly transfer: readonly ArrayBuffer[] } {
    const pairHashes = new BigInt64Array(Uint32Array.from(this.#pairHashes).buffer);
    const lists = {
      figures: this.#figures,
      kinds: this.#kinds,
      statuses: this.#statuses,
      named: this.#named,
      pairsOf: this.#pairsOf,
      pairKeys: Uint32Array.from(this.#pairKeys),
      pairHashes,
      texts: this.#texts.subarray(0, this.#written),
      lengths: this.#lengths,
    };
    const transfer = Object.values(lists).map(({ buffer }) => buffer as ArrayBuffer);
    return {
      block: { traces: this.#traces, names: this.#names.all, keys: this.#keys.all, ...lists },
      transfer,
    };
  }

  #addMetadata(metadata: Trace["metadata"], at: number): void {
    let pairs = 0;
    for (const [key, value] of Object.entries(metadata)) {
      const { high, low }: HashWords = metadataHashWords(key, String(value));
      this.#pairKeys.push(this.#keys.of(key));
      this.#pairHashes.push(...(LITTLE_ENDIAN ? [low, high] : [high, low]));
      pairs += 1;
    }
    this.#pairsOf[at] = pairs;
  }

  #write(text: string | null | undefined): number {
    if (text === undefined || text === null) return NO_TEXT;
    const most = text.length * 3;
    if (this.#written + most > this.#texts.length) this.#grow(this.#written + most);
    const bytes = this.#texts.write(text, this.#written, "utf8");
    this.#written += bytes;
    return bytes;
  }

  #grow(least: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(least, this.#texts.length * 2));
    this.#texts.copy(larger, 0, 0, this.#written);
    this.#texts = larger;
  }
}

/** Numbers different texts in the order in which they first come, from 0. */
class Positions {
  readonly #positions = new Map<string, number>();

  get all(): readonly string[] {
    return [...this.#positions.keys()];
  }

  of(text: string): number {
    const known = this.#positions.get(text);
    if (known !== undefined) return known;
    this.#positions.set(text, this.#positions.size);
    return this.#positions.size - 1;
  }
}

const LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Whatever a provider may have counted. */
const wholeNumber = (value: number | undefined): number =>
  value !== undefined && Number.isSafeInteger(Math.round(value)) ? Math.round(value) : Number.NaN;
