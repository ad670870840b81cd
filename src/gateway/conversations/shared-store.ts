import type { Timers } from "../../foundation/timers.js";

/** JSON values outside the process, which other instances share and which may be unavailable. Its methods may reject. */
export interface SharedStore {
  get(key: string): Promise<unknown>;
  set(key: string, value: object, options: { readonly ttlMs: number }): Promise<void>;
  close(): Promise<void>;
}

/** Longest wait of a request for the store: far above what a healthy one takes. */
const FIND_WAIT_MS = 50;

export interface FindOptions<Found> {
  readonly timers: Timers;
  /** Reads what the store has, which another version may have written; undefined: nothing. */
  readonly read: (value: unknown) => Found;
  /** Answers for the store while that cannot be asked. */
  readonly otherwise: () => Found;
}

/** What the store has under a key. Never rejects unless `read` or `otherwise` does. */
export function findShared<Found>(
  store: SharedStore,
  key: string,
  { timers, read, otherwise }: FindOptions<Found>,
): Promise<Awaited<Found>> {
  return new Promise((resolve) => {
    const withoutStore = () => resolve(otherwise() as Awaited<Found>);
    const cancel = timers.after(FIND_WAIT_MS, withoutStore);
    const found = (value: unknown) => resolve(read(value) as Awaited<Found>);
    store.get(key).finally(cancel).then(found, withoutStore);
  });
}
