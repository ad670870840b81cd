/**
 * The one file that knows the DuckDB library; it is used in the worker thread only, because appending blocks its thread.
 *
 * Strong references matter: an instance or connection that is collected as garbage closes the database under its users. And
 * nothing else in the process may open the database's file: closing any handle of it gives up the lock that keeps other
 * processes out.
 */
import {
  BIGINT,
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
  type JS,
  LIST,
  listValue,
  TIMESTAMP,
  VARCHAR,
} from "@duckdb/node-api";

/** A parameter: VARCHAR, BIGINT, TIMESTAMP or VARCHAR[]. */
export type Parameter = string | bigint | Date | readonly string[];
/** A value of a result; TIMESTAMP is a Date, BIGINT a bigint. */
type Value = JS;
export type Row = Readonly<Record<string, Value>>;

/** A value to append; milliseconds since the epoch for a TIMESTAMP, a whole number for a BIGINT. */
export type Scalar = string | number | boolean | null;

/** The most rows that the library takes at once. */
const CHUNK_ROWS = 2048;

/**
 * Rows that are compressed together, in place of the library's 122,880: so that each can be compressed once, when about as many
 * have been added, without an hour of traces in the write-ahead log and in memory.
 */
export const ROW_GROUP_ROWS = 8192;

/**
 * Bytes of a block of files that are created, in place of the library's 262,144. Each column of a group begins blocks of its
 * own, in memory and in the file: of 30 columns these take 20 MB less memory, and 12 % less disk (measured).
 */
const BLOCK_BYTES = 65_536;

/** Format of files that are created. */
const STORAGE_VERSION = "v1.5.0";

/** What statements call the open file. */
const NAME = "traces_file";

export interface DatabaseOptions {
  /** Of one statement. */
  readonly threads: number;
  /** Most memory, the cache included. */
  readonly memoryBytes: number;
  /** Where results too large for memory, and rows that are not in the file yet, go for a while; removed at the end. */
  readonly scratchDir: string;
}

/** The statement that opens a file, or creates it. */
const attach = (path: string): string =>
  `ATTACH '${path.replaceAll("'", "''")}' AS ${NAME} ` +
  `(STORAGE_VERSION '${STORAGE_VERSION}', ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`;

/** A text as its bytes: from a text the library takes away a byte order mark that it starts with. */
export const asBytes = (expression: string): string => `encode(${expression})`;

/** An open database file. */
export class Database {
  readonly #instance: DuckDBInstance;
  readonly #memoryBytes: number;

  private constructor(instance: DuckDBInstance, memoryBytes: number) {
    this.#instance = instance;
    this.#memoryBytes = memoryBytes;
  }

  /** Creates the file when there is none. @throws whatever the library says */
  static async open(path: string, { threads, memoryBytes, scratchDir }: DatabaseOptions): Promise<Database> {
    // A file that is attached can have row groups of another size than the library's.
    const instance = await DuckDBInstance.create(":memory:", {
      threads: String(threads),
      memory_limit: kibibytes(memoryBytes),
      temp_directory: scratchDir,
      default_block_size: String(BLOCK_BYTES),
      // The store decides when: a checkpoint holds up appends, and one within an append would block the thread.
      checkpoint_threshold: "1TB",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
    });
    const connection = await instance.connect();
    try {
      await connection.run(attach(path));
      return new Database(instance, memoryBytes);
    } catch (error) {
      instance.closeSync();
      throw error;
    } finally {
      connection.closeSync();
    }
  }

  /** Bytes of memory that hold parts of the file: read by queries, or written by checkpoints. */
  async cachedBytes(): Promise<number> {
    return (await this.#onConnection(memoryOf)).cached;
  }

  /** Evicts parts of the file that no statement uses until at most that many bytes of them are in memory, if that is possible. */
  async evictCache(keepBytes: number): Promise<void> {
    await this.#onConnection(async (connection) => {
      const { cached, other } = await memoryOf(connection);
      if (cached <= keepBytes) return;
      await this.#evictTo(other + keepBytes, connection);
    });
  }

  /**
   * Evicts all that no statement uses: parts of the file, and rows that are not in it yet, into the folder for what is
   * too large for memory. The library keeps a list of what could be evicted, and with each entry what it names, whether
   * that is still of use: a page of traces leaves some thirty (by their bytes), and up to 32,768 in each of its queues
   * stay until they are evicted (`EvictionQueue::Purge`: github.com/duckdb/duckdb, buffer_pool.cpp, read on 2026-11-27).
   * After 30,000 pages a process had 184 MB, and 118 with this.
   */
  async evictAll(): Promise<void> {
    await this.#onConnection((connection) => this.#evictTo(1024, connection));
  }

  /**
   * The library caches all that it reads or writes until it reaches its limit, and evicts when the limit is lowered.
   */
  async #evictTo(bytes: number, connection: DuckDBConnection): Promise<void> {
    try {
      await connection.run(memoryLimit(bytes));
    } catch {
      // The rest is in use.
    } finally {
      await connection.run(memoryLimit(this.#memoryBytes));
    }
  }

  /**
   * Has the system get back what any part of the process has freed: the library asks the allocator for that whenever its limit
   * is set (`BufferPool::SetLimit` flushes all, which is malloc_trim where glibc is: github.com/duckdb/duckdb, buffer_pool.cpp and
   * allocator.cpp, read on 2026-11-26). glibc keeps it otherwise, for each of the threads that used it.
   */
  async returnFreed(): Promise<void> {
    await this.#onConnection((connection) => connection.run(memoryLimit(this.#memoryBytes)));
  }

  async connect(): Promise<Connection> {
    const connection = await this.#instance.connect();
    await connection.run(`USE ${NAME}`);
    return new Connection(connection);
  }

  /** Writes the log into the file and gives up the lock. Connections must be closed before. */
  close(): void {
    this.#instance.closeSync();
  }

  async #onConnection<Result>(task: (connection: DuckDBConnection) => Promise<Result>): Promise<Result> {
    const connection = await this.#instance.connect();
    try {
      return await task(connection);
    } finally {
      connection.closeSync();
    }
  }
}

const kibibytes = (bytes: number): string => `${Math.floor(bytes / 1024)}KiB`;

const memoryLimit = (bytes: number): string => `SET memory_limit = '${kibibytes(bytes)}'`;

async function memoryOf(connection: DuckDBConnection): Promise<{ cached: number; other: number }> {
  const reader = await connection.runAndReadAll(
    "SELECT tag = 'BASE_TABLE' AS cached, sum(memory_usage_bytes)::DOUBLE AS bytes FROM duckdb_memory() GROUP BY ALL",
  );
  const rows = reader.getRowObjectsJS();
  const bytesOf = (cached: boolean) => Number(rows.find((row) => row.cached === cached)?.bytes ?? 0);
  return { cached: bytesOf(true), other: bytesOf(false) };
}

const INTERRUPT_AGAIN_MS = 20;

/** One statement at a time. */
export class Connection {
  readonly #connection: DuckDBConnection;

  constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  /** Runs statements without parameters. */
  async run(sql: string): Promise<void> {
    await this.#connection.run(sql);
  }

  /** Runs one statement with `$1`, `$2`, …, and reads all it gives. */
  async rows(sql: string, parameters: readonly Parameter[] = []): Promise<Row[]> {
    const reader = await this.#connection.runAndReadAll(
      sql,
      parameters.map(parameterValue),
      parameters.map(parameterType),
    );
    return reader.getRowObjectsJS();
  }

  async appender(table: string): Promise<Appender> {
    return new Appender(await this.#connection.createAppender(table));
  }

  /** Ends the statement that runs with an error; again and again, because between two steps there is nothing to interrupt. */
  interruptUntil(isOver: () => boolean): void {
    this.#connection.interrupt();
    const again = setInterval(() => {
      if (isOver()) clearInterval(again);
      else this.#connection.interrupt();
    }, INTERRUPT_AGAIN_MS);
  }

  close(): void {
    this.#connection.closeSync();
  }
}

/** Adds rows to a table, much faster than statements do. Blocks the thread. */
export class Appender {
  readonly #appender: DuckDBAppender;
  readonly #types: readonly DuckDBType[];

  constructor(appender: DuckDBAppender) {
    this.#appender = appender;
    this.#types = Array.from({ length: appender.columnCount }, (_, column) => appender.columnType(column));
  }

  /** Rows with a value for each column of the table, in its order. They are in the table when this returns. */
  append(rows: readonly (readonly Scalar[])[]): void {
    for (let from = 0; from < rows.length; from += CHUNK_ROWS) {
      const part = rows.slice(from, from + CHUNK_ROWS);
      const chunk = DuckDBDataChunk.create(this.#types, part.length);
      for (const [column, type] of this.#types.entries()) {
        chunk.setColumnValues(
          column,
          part.map((row) => columnValue(row[column] ?? null, type)),
        );
      }
      this.#appender.appendDataChunk(chunk);
    }
    this.#appender.flushSync();
  }

  /** Lets go of it, and of what could not be added. */
  discard(): void {
    this.#appender.clear();
    this.#appender.closeSync();
  }
}

function columnValue(value: Scalar, type: DuckDBType): DuckDBValue {
  if (typeof value !== "number") return value;
  if (type.typeId === DuckDBTypeId.BIGINT) return BigInt(value);
  return type.typeId === DuckDBTypeId.TIMESTAMP ? timestamp(value) : value;
}

const timestamp = (ms: number): DuckDBTimestampValue => new DuckDBTimestampValue(BigInt(ms) * 1000n);

function parameterValue(value: Parameter): DuckDBValue {
  if (value instanceof Date) return timestamp(value.getTime());
  return typeof value === "object" ? listValue([...value]) : value;
}

function parameterType(value: Parameter): DuckDBType {
  if (typeof value === "string") return VARCHAR;
  if (typeof value === "bigint") return BIGINT;
  return value instanceof Date ? TIMESTAMP : LIST(VARCHAR);
}
