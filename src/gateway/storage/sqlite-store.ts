import { randomUUID } from "node:crypto";
import { closeSync, existsSync, fdatasync, openSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { StorageError } from "../../foundation/errors.js";
import { codeOf, fileFaultMessage } from "../../foundation/file-fault.js";
import { makePrivateFolder } from "../../foundation/private-folder.js";
import { type Cancel, systemTimers, type Timers } from "../../foundation/timers.js";
import { BackgroundConnection, Connection } from "./connection.js";
import type { Change, EntryName, LogEntry, LogOptions, PutOptions, Store } from "./store.js";

/** In the data folder. SQLite keeps a write-ahead log beside it. */
export const STATE_FILE = "state.db";

/** How often the write-ahead log is moved into the file, on a thread of its own, and what has expired is removed. */
const TIDY_MS = 5_000;
/** Longest wait for another process that is writing, which takes some microseconds. This thread does nothing else meanwhile. */
const WAIT_MS = 1_000;
const LARGEST = Number.MAX_SAFE_INTEGER;

/**
 * Small pages make short writes: each change writes whole pages. Texts that are read are bytes: libsql would end one at a NUL, and the
 * process at one that is damaged.
 */
const SCHEMA = `
PRAGMA page_size = 1024;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA wal_autocheckpoint = 0;
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS entries (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, key TEXT, value BLOB NOT NULL, ends_ms INTEGER);
CREATE UNIQUE INDEX IF NOT EXISTS entries_by_key ON entries (kind, key) WHERE key IS NOT NULL;
CREATE INDEX IF NOT EXISTS entries_by_kind ON entries (kind, sequence);
CREATE INDEX IF NOT EXISTS entries_by_end ON entries (ends_ms) WHERE ends_ms IS NOT NULL;
CREATE TABLE IF NOT EXISTS sums (
  period BLOB NOT NULL, name BLOB NOT NULL, amount INTEGER NOT NULL, PRIMARY KEY (period, name)) WITHOUT ROWID;
COMMIT;`;

const GET =
  "SELECT CAST(value AS BLOB) AS value, ends_ms AS endsMs FROM entries WHERE kind = ? AND key = ? AND (ends_ms IS NULL OR ends_ms > ?)";
const REMOVE = "DELETE FROM entries WHERE kind = ? AND key = ?";
const INSERT = "INSERT INTO entries (kind, key, value, ends_ms) VALUES (?, ?, ?, ?)";
const LIST =
  "SELECT sequence, CAST(value AS BLOB) AS value FROM entries WHERE kind = ? AND sequence > ? ORDER BY sequence";
const trim = (kind: string, kept: string | number): string =>
  `DELETE FROM entries WHERE kind = ${kind} AND sequence <= (
  SELECT sequence FROM entries WHERE kind = ${kind} ORDER BY sequence DESC LIMIT 1 OFFSET ${kept})`;
const TRIM = trim("?", "?");
const SUMS = `SELECT CAST(period AS BLOB) AS period, CAST(name AS BLOB) AS name, CAST(amount AS INTEGER) AS amount FROM sums`;
const ADD = `INSERT INTO sums VALUES (?, ?, max(0, ?)) ON CONFLICT DO UPDATE SET amount = max(0, min(amount + ?, ${LARGEST}))`;
const FORGET = "DELETE FROM sums WHERE period = ? AND name = ?";

/** Whole numbers added up under a name in a period, from 0 to the largest that is exact. */
export interface Sum {
  readonly period: string;
  readonly name: string;
  readonly amount: number;
}

interface SqliteStoreOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly timers?: Timers;
  /** Flushes a file to disk, by its descriptor. */
  readonly flush?: (descriptor: number) => Promise<void>;
}

/**
 * `state.db` in the data folder, a SQLite file that any number of processes of this machine may use. It is made with the first
 * write. A folder that may not be written can be read.
 *
 * A write takes some ten microseconds of this thread, and up to every ten seconds one flush of the log's first bytes, when SQLite
 * starts its log again (0.2 ms on an SSD). Entries are then flushed to disk, on another thread, before a method resolves: they
 * survive a power cut. An entry whose flush fails is there, and was not refused: the next is, until the disk can flush again. Sums
 * are written by `add` before it returns and survive a kill of the process; they are flushed within five seconds.
 */
export class SqliteStore implements Store {
  readonly name: string;
  readonly #now: () => number;
  readonly #timers: Timers;
  readonly #flushFile: (descriptor: number) => Promise<void>;
  /** Most entries of a kind. */
  readonly #bounds = new Map<string, number>();
  #connection: Connection | undefined;
  /** Descriptor of the write-ahead log, which stays the same file as long as the connection is open. */
  #log: number | undefined;
  readonly #flushing = new Set<Promise<void>>();
  /** Flushes that failed, and how many of them were before one that did not. */
  readonly #failed = { count: 0, mended: 0 };
  #background: BackgroundConnection | undefined;
  #stopTidying: Cancel = () => {};
  #tidying: Promise<void> | undefined;

  constructor(
    folder: string,
    { now = Date.now, timers = systemTimers, flush = promisify(fdatasync) }: SqliteStoreOptions = {},
  ) {
    this.name = join(folder, STATE_FILE);
    this.#now = now;
    this.#timers = timers;
    this.#flushFile = flush;
  }

  async get({ kind, key }: EntryName): Promise<string | undefined> {
    return this.#reading((connection) => this.#find(connection, { kind, key }))?.value;
  }

  async put({ kind, key }: EntryName, value: string, { ttlMs, kept }: PutOptions = {}): Promise<void> {
    if (kept !== undefined) this.#bounds.set(kind, kept);
    const endsMs = ttlMs === undefined ? null : this.#now() + ttlMs;
    await this.#writing((connection) => {
      connection.statement(REMOVE).run([kind, key]);
      connection.statement(INSERT).run([kind, key, Buffer.from(value), endsMs]);
    });
  }

  async update({ kind, key }: EntryName, change: Change, options?: Pick<PutOptions, "ttlMs">): Promise<void> {
    await this.updateAll(kind, new Map([[key, change]]), options);
  }

  /** Changes several entries of a kind, or none of them when one change throws. */
  async updateAll(
    kind: string,
    changes: ReadonlyMap<string, Change>,
    { ttlMs }: Pick<PutOptions, "ttlMs"> = {},
  ): Promise<void> {
    await this.#writing((connection) => {
      for (const [key, change] of changes) {
        const before = this.#find(connection, { kind, key });
        const changed = change(before?.value);
        if (changed === undefined) continue;
        const endsMs = ttlMs === undefined ? (before?.endsMs ?? null) : this.#now() + ttlMs;
        connection.statement(REMOVE).run([kind, key]);
        connection.statement(INSERT).run([kind, key, Buffer.from(changed), endsMs]);
      }
    });
  }

  async append(log: string, value: string, { kept }: LogOptions = {}): Promise<void> {
    await this.#writing((connection) => {
      connection.statement(INSERT).run([log, null, Buffer.from(value), null]);
      if (kept !== undefined) connection.statement(TRIM).run([log, log, kept]);
    });
  }

  /** Those of a kind with keys, too: in the order of their last change. */
  async entries(kind: string, after = 0): Promise<readonly LogEntry[]> {
    const rows = this.#reading((connection) => connection.statement(LIST).all([kind, after])) ?? [];
    return (rows as readonly { sequence: number; value: Bytes }[]).map(({ sequence, value }) => ({
      sequence,
      value: textOf(value),
    }));
  }

  /** Adds to a sum, which is then at least 0. @throws StorageError */
  add({ period, name, amount }: Sum): void {
    try {
      this.#opened()
        .statement(ADD)
        .run([Buffer.from(period), Buffer.from(name), amount, amount]);
    } catch (fault) {
      throw this.#explained("written", fault);
    }
  }

  /** @throws StorageError */
  sums(): readonly Sum[] {
    const rows = this.#reading((connection) => connection.statement(SUMS).all([])) ?? [];
    return (rows as readonly { period: Bytes; name: Bytes; amount: number }[]).map(
      ({ period, name, amount }) => {
        if (!Number.isSafeInteger(amount) || amount < 0) throw this.#damaged("an amount");
        return { period: textOf(period), name: textOf(name), amount };
      },
    );
  }

  /** Removes sums. */
  async forget(sums: readonly Omit<Sum, "amount">[]): Promise<void> {
    if (sums.length === 0) return;
    await this.#writing((connection) => {
      for (const { period, name } of sums)
        connection.statement(FORGET).run([Buffer.from(period), Buffer.from(name)]);
    });
  }

  async close(): Promise<void> {
    this.#stopTidying();
    await Promise.allSettled([this.#tidying, ...this.#flushing]);
    this.#background?.close();
    // So that the file alone is a whole copy.
    this.#connection?.tryTo("PRAGMA wal_checkpoint(PASSIVE)");
    this.#connection?.close();
    if (this.#log !== undefined) closeSync(this.#log);
    this.#background = undefined;
    this.#connection = undefined;
    this.#log = undefined;
  }

  #find(connection: Connection, { kind, key }: EntryName) {
    const row = connection.statement(GET).get([kind, key, this.#now()]);
    if (row === undefined) return undefined;
    const { value, endsMs } = row as { readonly value: Bytes; readonly endsMs: number | null };
    return { value: textOf(value), endsMs };
  }

  /** Undefined while there is no file. */
  #reading<Result>(work: (connection: Connection) => Result): Result | undefined {
    if (this.#connection === undefined && !existsSync(this.name)) return undefined;
    try {
      const connection = this.#openedToRead();
      try {
        return work(connection);
      } finally {
        if (connection !== this.#connection) connection.close();
      }
    } catch (fault) {
      throw this.#explained("read", fault);
    }
  }

  #openedToRead(): Connection {
    try {
      return this.#opened();
    } catch (fault) {
      if (isDamage(fault)) throw fault;
      const hasLog = (statSync(`${this.name}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
      // SQLite would make files for other readers beside it.
      return new Connection(hasLog ? this.name : `${pathToFileURL(this.name)}?immutable=1`);
    }
  }

  async #writing(work: (connection: Connection) => void): Promise<void> {
    if (this.#failed.count > this.#failed.mended) await this.#flush();
    this.#write(work);
    // What is committed stays.
    await this.#flush().catch(() => {});
  }

  #write(work: (connection: Connection) => void): void {
    let connection: Connection;
    try {
      connection = this.#opened();
      connection.run("BEGIN IMMEDIATE");
    } catch (fault) {
      throw this.#explained("written", fault);
    }
    try {
      work(connection);
      connection.run("COMMIT");
    } catch (fault) {
      connection.tryTo("ROLLBACK");
      throw isOfSqlite(fault) ? this.#explained("written", fault) : fault;
    }
  }

  #opened(): Connection {
    this.#connection ??= this.#connect();
    return this.#connection;
  }

  #connect(): Connection {
    makePrivateFolder(dirname(this.name));
    const connection = Connection.toNew(this.name);
    try {
      // Waiting comes first: another process may be making the file.
      connection.run(`PRAGMA busy_timeout = ${WAIT_MS}; ${SCHEMA}`);
      this.#log = openSync(`${this.name}-wal`, "r+");
    } catch (fault) {
      connection.close();
      throw fault;
    }
    this.#stopTidying();
    this.#stopTidying = this.#timers.every(TIDY_MS, () => {
      this.#tidying ??= this.#tidy()
        .catch(() => {})
        .finally(() => {
          this.#tidying = undefined;
        });
    });
    return connection;
  }

  /** SQLite would do so on this thread. */
  async #flush(): Promise<void> {
    if (this.#log === undefined) return;
    const { count } = this.#failed;
    const flushing = this.#flushFile(this.#log);
    this.#flushing.add(flushing);
    try {
      await flushing;
      this.#failed.mended = Math.max(this.#failed.mended, count);
    } catch (fault) {
      this.#failed.count += 1;
      throw this.#explained("written", fault);
    } finally {
      this.#flushing.delete(flushing);
    }
  }

  /** Off this thread: both wait for the disk. What is moved makes room for what is removed, on a full disk too. */
  async #tidy(): Promise<void> {
    this.#background ??= new BackgroundConnection(this.name);
    const bounds = [...this.#bounds].map(([kind, kept]) => trim(`'${kind}'`, kept));
    await this.#background.run(
      [
        `PRAGMA busy_timeout = ${WAIT_MS}`,
        "PRAGMA wal_checkpoint(PASSIVE)",
        `DELETE FROM entries WHERE ends_ms <= ${this.#now()}`,
        ...bounds,
      ].join("; "),
    );
  }

  #explained(done: "read" | "written", fault: unknown): StorageError {
    if (fault instanceof StorageError) return fault;
    if (isDamage(fault)) return this.#damaged(codeOf(fault), fault);
    const cause = faultOfFolder(dirname(this.name)) ?? fault;
    return new StorageError(fileFaultMessage(`${this.name} cannot be ${done}`, cause), { cause: fault });
  }

  #damaged(what: string, cause?: unknown): StorageError {
    return new StorageError(
      `${this.name} is damaged (${what}). Restore it from a backup, or move it away to start without keys, budgets and pauses.`,
      { cause },
    );
  }
}

/** libsql gives one of several rows as an ArrayBuffer. */
type Bytes = Buffer | ArrayBuffer;

const textOf = (bytes: Bytes): string => (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes)).toString();

const isOfSqlite = (fault: unknown): boolean => codeOf(fault).includes("SQLITE");

const isDamage = (fault: unknown): boolean => /^SQLITE_(NOTADB|CORRUPT)/.test(codeOf(fault));

/** Why nothing can be written in a folder, as the system says it, which SQLite does not; undefined where it can. */
function faultOfFolder(folder: string): unknown {
  const path = join(folder, `.${randomUUID()}`);
  try {
    makePrivateFolder(folder);
    closeSync(openSync(path, "wx", 0o600));
    rmSync(path);
    return undefined;
  } catch (fault) {
    return fault;
  }
}
