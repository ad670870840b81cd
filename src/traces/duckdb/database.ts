/**
 * The one file that knows the DuckDB library; it is used in the worker thread only, because appending blocks its thread.
 *
 * Strong references matter: an instance or connection that is collected as garbage closes the database under its users. And
 * nothing else in the process may open the database's file: closing any handle of it gives up the lock that keeps other
 * processes out.
 */
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
  type JS,
  LIST,
  listValue,
  TIMESTAMP,
  VARCHAR,
} from "@duckdb/node-api";

/** Rows that one chunk of the library holds. */
const CHUNK_ROWS = 2048;

/** A parameter: text, DOUBLE, BIGINT, BOOLEAN, TIMESTAMP, VARCHAR[]. */
export type Parameter = string | number | bigint | boolean | Date | readonly string[];
/** A value of a result. */
export type Value = JS;
export type Row = Readonly<Record<string, Value>>;

/** Types of the columns that can be appended, and their values. */
export type ColumnType = "VARCHAR" | "BIGINT" | "DOUBLE" | "BOOLEAN" | "TIMESTAMP" | "BIGINT[]";
export type ColumnValue = string | bigint | number | boolean | Date | readonly bigint[] | null;

const TYPES: Readonly<Record<ColumnType, DuckDBType>> = {
  VARCHAR,
  BIGINT,
  DOUBLE,
  BOOLEAN,
  TIMESTAMP,
  "BIGINT[]": LIST(BIGINT),
};

export interface DatabaseOptions {
  readonly threads: number;
  readonly memoryBytes: number;
  /** Where results too large for memory go for a while. */
  readonly scratchDir: string;
}

/** An open database file. */
export class Database {
  readonly #instance: DuckDBInstance;

  private constructor(instance: DuckDBInstance) {
    this.#instance = instance;
  }

  /** Creates the file when there is none. @throws whatever the library says */
  static async open(path: string, options: DatabaseOptions): Promise<Database> {
    const instance = await DuckDBInstance.create(path, {
      threads: String(options.threads),
      memory_limit: `${Math.floor(options.memoryBytes / 1024)}KiB`,
      temp_directory: options.scratchDir,
      storage_compatibility_version: STORAGE_VERSION,
      // The store decides when: a checkpoint holds up appends, and one within an append would block the thread.
      checkpoint_threshold: "1TB",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
    });
    return new Database(instance);
  }

  async connect(): Promise<Connection> {
    return new Connection(await this.#instance.connect());
  }

  /** Writes the log into the file and gives up the lock. Connections must be closed before. */
  close(): void {
    this.#instance.closeSync();
  }
}

/** Format of files that are created; ours need not be read by older versions of the library. */
export const STORAGE_VERSION = "v1.5.0";

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
      parameters.map(bound),
      parameters.map(typeOfParameter),
    );
    return reader.getRowObjectsJS();
  }

  appender(table: string, types: readonly ColumnType[]): Promise<Appender> {
    return this.#connection.createAppender(table).then((appender) => new Appender(appender, types));
  }

  /** Ends the statement that runs, if any, with an error. */
  interrupt(): void {
    this.#connection.interrupt();
  }

  close(): void {
    this.#connection.closeSync();
  }
}

/** Adds rows to a table, much faster than statements do. Blocks the thread. */
export class Appender {
  readonly #appender: DuckDBAppender;
  readonly #types: readonly DuckDBType[];

  constructor(appender: DuckDBAppender, types: readonly ColumnType[]) {
    this.#appender = appender;
    this.#types = types.map((type) => TYPES[type]);
  }

  /** One list of values for each column, all of the same length. Nothing is kept before `commit`. */
  add(columns: readonly (readonly ColumnValue[])[]): void {
    const rows = columns[0]?.length ?? 0;
    for (let from = 0; from < rows; from += CHUNK_ROWS) {
      const count = Math.min(CHUNK_ROWS, rows - from);
      const chunk = DuckDBDataChunk.create(this.#types, count);
      chunk.setColumns(columns.map((column) => column.slice(from, from + count).map(stored)));
      this.#appender.appendDataChunk(chunk);
    }
  }

  /** Makes what was added last: once this returns, a crash cannot lose it. */
  commit(): void {
    this.#appender.flushSync();
  }

  /** Lets go of it, and of what was added and not made last. */
  discard(): void {
    this.#appender.clear();
    this.#appender.closeSync();
  }
}

function stored(value: ColumnValue): DuckDBValue {
  if (value instanceof Date) return timestamp(value);
  return Array.isArray(value) ? listValue(value) : (value as DuckDBValue);
}

function bound(value: Parameter): DuckDBValue {
  if (value instanceof Date) return timestamp(value);
  return typeof value === "object" ? listValue([...value]) : value;
}

function typeOfParameter(value: Parameter): DuckDBType {
  if (typeof value === "string") return VARCHAR;
  if (typeof value === "number") return DOUBLE;
  if (typeof value === "bigint") return BIGINT;
  if (typeof value === "boolean") return BOOLEAN;
  return value instanceof Date ? TIMESTAMP : LIST(VARCHAR);
}

const timestamp = (date: Date): DuckDBTimestampValue =>
  new DuckDBTimestampValue(BigInt(date.getTime()) * 1000n);
