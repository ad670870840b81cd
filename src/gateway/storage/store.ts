/** What is stored, by its kind (`pauses`, `session`) and its key within the kind. */
export interface EntryName {
  readonly kind: string;
  readonly key: string;
}

export interface PutOptions {
  /** Milliseconds after which the entry is gone. Default: it stays. */
  readonly ttlMs?: number | undefined;
  /** Entries of the kind that there are at most, ≥ 1: within seconds the oldest go. Default: all stay. */
  readonly kept?: number | undefined;
}

export interface LogOptions {
  /** Entries that the log has at most, ≥ 1: the oldest go first. Default: all stay. */
  readonly kept?: number | undefined;
}

/** An entry of a log. */
export interface LogEntry {
  /** Rises with each entry. */
  readonly sequence: number;
  readonly value: string;
}

/** The new value of what has a value, or has none; undefined leaves it. */
export type Change = (value: string | undefined) => string | undefined;

/**
 * Small texts that outlive the process: everything durable but traces. Several processes may use one store at once, and each
 * method is atomic. A log and a kind of entries have different names. What it wrote survives a kill of the process when it resolves. Methods reject with a `StorageError`.
 */
export interface Store {
  /** Where it is, for messages: the path of its file, or `Redis`. */
  readonly name: string;
  /** Undefined where there is nothing, or nothing any more. */
  get(entry: EntryName): Promise<string | undefined>;
  /** Replaces what there was. */
  put(entry: EntryName, value: string, options?: PutOptions): Promise<void>;
  /**
   * Replaces what there is, while no other process can; it ends when that would have, unless `ttlMs` says otherwise. `change` may be
   * called again; what it throws is thrown, and nothing has changed then.
   */
  update(entry: EntryName, change: Change, options?: Pick<PutOptions, "ttlMs">): Promise<void>;
  append(log: string, value: string, options?: LogOptions): Promise<void>;
  /** Oldest first. @param after sequence of the last entry that is left out; default: none is */
  entries(log: string, after?: number): Promise<readonly LogEntry[]>;
  close(): Promise<void>;
}
