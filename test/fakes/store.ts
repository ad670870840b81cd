import type {
  Change,
  EntryName,
  LogEntry,
  LogOptions,
  PutOptions,
  Store,
} from "../../src/gateway/storage/store.js";

/** A store in memory, which any number of the parts under test may share. */
export class MemoryStore implements Store {
  readonly name = "a store";
  readonly #entries = new Map<string, { readonly value: string; readonly endsMs: number }>();
  readonly #logs = new Map<string, readonly LogEntry[]>();
  readonly #now: () => number;
  /** What all methods reject with until it is undefined again. */
  fault: Error | undefined;

  /** @param now milliseconds since the epoch; default: time stands still */
  constructor(now: () => number = () => 0) {
    this.#now = now;
  }

  async get(entry: EntryName): Promise<string | undefined> {
    this.#work();
    return this.#find(entry)?.value;
  }

  async put({ kind, key }: EntryName, value: string, { ttlMs = Number.POSITIVE_INFINITY }: PutOptions = {}) {
    this.#work();
    this.#entries.set(`${kind}:${key}`, { value, endsMs: this.#now() + ttlMs });
  }

  async update(entry: EntryName, change: Change, options: Pick<PutOptions, "ttlMs"> = {}): Promise<void> {
    this.#work();
    const before = this.#find(entry);
    const changed = change(before?.value);
    const ttlMs = options.ttlMs ?? (before && before.endsMs - this.#now());
    if (changed !== undefined) await this.put(entry, changed, { ttlMs });
  }

  async append(log: string, value: string, { kept = Number.POSITIVE_INFINITY }: LogOptions = {}) {
    this.#work();
    const before = this.#logs.get(log) ?? [];
    const added = { sequence: (before.at(-1)?.sequence ?? 0) + 1, value };
    this.#logs.set(log, [...before, added].slice(-kept));
  }

  async entries(log: string, after = 0): Promise<readonly LogEntry[]> {
    this.#work();
    return (this.#logs.get(log) ?? []).filter(({ sequence }) => sequence > after);
  }

  async close(): Promise<void> {}

  #find({ kind, key }: EntryName) {
    const found = this.#entries.get(`${kind}:${key}`);
    return found !== undefined && found.endsMs > this.#now() ? found : undefined;
  }

  #work(): void {
    if (this.fault !== undefined) throw this.fault;
  }
}
