import { LRUCache } from "lru-cache";
import { exactJson, withMarks } from "../../foundation/exact-numbers.js";
import { type Timers, within } from "../../foundation/timers.js";
import type { Store } from "../storage/store.js";

/** Longest wait of a request for the store: far above what a healthy one takes. */
const FIND_WAIT_MS = 50;

export interface RecentValuesOptions {
  /** Of the entries in the store. */
  readonly kind: string;
  /** How long a value is remembered. */
  readonly ttlMs: number;
  /** Memory that values take in this process; the least recently used are forgotten beyond it. At 0 there are none. */
  readonly maxBytes: number;
  /** Has the values too, and is asked first. Undefined: they are in memory alone. */
  readonly store?: Pick<Store, "get" | "put"> | undefined;
  /** As `kept` of the store's `put`. */
  readonly kept?: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly timers: Timers;
}

/** JSON objects that are remembered for a while. While the store cannot be asked, this process knows its own. */
export class RecentValues<Value extends object> {
  readonly #options: RecentValuesOptions;
  readonly #texts: LRUCache<string, string> | undefined;

  constructor(options: RecentValuesOptions) {
    this.#options = options;
    const { maxBytes: maxSize, ttlMs: ttl, now } = options;
    // With `max` it would take the memory of all of them at once.
    if (maxSize > 0)
      this.#texts = new LRUCache({
        maxSize,
        sizeCalculation: (text) => 2 * text.length,
        ttl,
        ttlResolution: 0,
        perf: { now },
      });
  }

  /** Never rejects: a damaged text is none. */
  async find(key: string): Promise<Value | undefined> {
    const text = (await this.#textInStore(key)) ?? this.#texts?.get(key);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(withMarks(text)) ?? undefined;
    } catch {
      return undefined;
    }
  }

  /** Replaces what there was. Never throws, and is not waited for. */
  remember(key: string, value: Value): void {
    this.#put(key, exactJson(value));
  }

  /** As `remember`. */
  forget(key: string): void {
    this.#put(key, "null");
  }

  #put(key: string, text: string): void {
    const { kind, store, ttlMs, kept } = this.#options;
    this.#texts?.set(key, text);
    store?.put({ kind, key }, text, { ttlMs, kept }).catch(() => {});
  }

  async #textInStore(key: string): Promise<string | undefined> {
    const { kind, store, timers } = this.#options;
    if (store === undefined) return undefined;
    return within(FIND_WAIT_MS, store.get({ kind, key }), timers).catch(() => undefined);
  }
}
