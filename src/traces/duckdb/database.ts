/**
 * The one file that knows the DuckDB library; it is used in the worker thread only, because appending blocks its thread.
 *
 * Strong references matter: an instance or connection that is collected as garbage closes the database under its users. And
 * nothing else in the process may open the database's file: closing any handle of it gives up the lock that keeps other
 * processes out.
 */
import {
  BIGINT,
  DOUBLE,
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBPendingResult,
  type DuckDBResultReader,
  type DuckDBType,
  type DuckDBValue,
  type JS,
  LIST,
  listValue,
  UINTEGER,
  UTINYINT,
  VARCHAR,
} from "@duckdb/node-api";
import { BackgroundThreads } from "./background-threads.js";
import { raw } from "./raw-vectors.js";

/** A parameter: text, DOUBLE, BIGINT, VARCHAR[], BIGINT[]. */
export type Parameter = string | number | bigint | readonly string[] | readonly bigint[];
/** A value of a result. */
export type Value = JS;
export type Row = Readonly<Record<string, Value>>;

/** Values to append, one for each row; texts as UTF-8. Null is no value. */
export type Column =
  | { readonly type: "VARCHAR"; readonly values: readonly (Uint8Array | null)[] }
  | { readonly type: "BIGINT"; readonly values: readonly (bigint | null)[] }
  | { readonly type: "BIGINT[]"; readonly values: readonly (readonly bigint[])[] }
  | { readonly type: "DOUBLE" | "UINTEGER" | "UTINYINT"; readonly values: readonly (number | null)[] };

const TYPES: Readonly<Record<Column["type"], DuckDBType>> = {
  VARCHAR,
  BIGINT,
  DOUBLE,
  UINTEGER,
  UTINYINT,
  "BIGINT[]": LIST(BIGINT),
};

/** Statements in the background get what time other work leaves, where the system can do that (Linux). */
export type Pace = "at once" | "in the background";

export interface DatabaseOptions {
  /** Of one statement. */
  readonly threads: number;
  readonly memoryBytes: number;
  /** Where results too large for memory go for a while. */
  readonly scratchDir: string;
}

/** An open database file. */
export class Database {
  readonly #instance: DuckDBInstance;
  /** For settings of the whole. */
  readonly #connection: DuckDBConnection;
  readonly #background: BackgroundThreads;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection, background: BackgroundThreads) {
    this.#instance = instance;
    this.#connection = connection;
    this.#background = background;
  }

  /** Creates the file when there is none. @throws whatever the library says */
  static async open(path: string, options: DatabaseOptions): Promise<Database> {
    const instance = await DuckDBInstance.create(":memory:", {
      threads: String(options.threads),
      memory_limit: `${Math.floor(options.memoryBytes / 1024)}KiB`,
      temp_directory: options.scratchDir,
      // The store decides when: a checkpoint holds up appends, and one within an append would block the thread.
      checkpoint_threshold: "1TB",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
    });
    const connection = await instance.connect();
    const { threads } = options;
    const background = new BackgroundThreads({
      count: threads,
      usual: threads,
      setThreads: async (count) => void (await connection.run(`SET threads = ${count}`)),
    });
    const database = new Database(instance, connection, background);
    try {
      await connection.run(attach(path, NAME));
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  async connect(pace: Pace = "at once"): Promise<Connection> {
    const connection = await this.#instance.connect();
    await connection.run(`USE ${NAME}`);
    return new Connection(connection, pace === "at once" ? undefined : this.#background);
  }

  /** Writes the log into the file and gives up the lock. Connections must be closed before. */
  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

/** What statements call the open file. */
const NAME = "traces_file";

/** Format of files that are created; ours need not be read by older versions of the library. */
const STORAGE_VERSION = "v1.5.0";

/** Rows that are compressed together, a whole number of times 2,048. */
export const GROUP_ROWS = 16_384;

/** The statement that opens a file, or begins it, under a name. */
export const attach = (path: string, name: string): string =>
  `ATTACH '${path.replaceAll("'", "''")}' AS ${name} ` +
  `(STORAGE_VERSION '${STORAGE_VERSION}', ROW_GROUP_SIZE ${GROUP_ROWS})`;

/** One statement at a time. */
export class Connection {
  readonly #connection: DuckDBConnection;
  readonly #background: BackgroundThreads | undefined;

  /** @param background has the statements of `rows` done by these threads */
  constructor(connection: DuckDBConnection, background?: BackgroundThreads) {
    this.#connection = connection;
    this.#background = background;
  }

  /** Runs statements without parameters. */
  async run(sql: string): Promise<void> {
    await this.#connection.run(sql);
  }

  /** Runs one statement with `$1`, `$2`, …, and reads all it gives. */
  async rows(sql: string, parameters: readonly Parameter[] = []): Promise<Row[]> {
    const types = parameters.map(typeOfParameter);
    const values = parameters.map(bound);
    const reader = await (this.#background === undefined
      ? this.#connection.runAndReadAll(sql, values, types)
      : this.#background.during(() => this.#leaveToOthers(sql, values, types)));
    return reader.getRowObjectsJS();
  }

  async #leaveToOthers(sql: string, values: DuckDBValue[], types: DuckDBType[]): Promise<DuckDBResultReader> {
    const statement = await this.#connection.start(sql, values, types);
    await ended(statement);
    return statement.readAll();
  }

  appender(table: string): Promise<Appender> {
    return this.#connection.createAppender(table).then((appender) => new Appender(appender));
  }

  /** Ends the statement that runs, if any, with an error. */
  interrupt(): void {
    this.#connection.interrupt();
  }

  close(): void {
    this.#connection.closeSync();
  }
}

/** Milliseconds between two looks at a statement in the background: the first, and the longest. */
const LOOK_MS = 1;
const LONGEST_LOOK_MS = 16;

/** Waits until the threads in the background are done with a statement. Whoever asks for its result would do it himself. */
async function ended(statement: DuckDBPendingResult): Promise<void> {
  const { pending_result } = statement as unknown as { readonly pending_result: object };
  const { RESULT_READY, ERROR } = raw.PendingState;
  for (let waitMs = LOOK_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_LOOK_MS)) {
    const state = raw.pending_execute_check_state(pending_result);
    if (state === RESULT_READY || state === ERROR) return;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** Adds rows to a table, much faster than statements do. Blocks the thread. */
export class Appender {
  readonly #appender: DuckDBAppender;

  constructor(appender: DuckDBAppender) {
    this.#appender = appender;
  }

  /** All columns of the table in its order, with up to 2,048 values each. Nothing is kept before `commit`. */
  add(columns: readonly Column[]): void {
    const types = columns.map(({ type }) => TYPES[type]);
    const chunk = DuckDBDataChunk.create(types, columns[0]?.values.length ?? 0);
    for (const [at, column] of columns.entries()) {
      if (column.type === "VARCHAR") setTexts(chunk, at, column.values);
      else
        chunk.setColumnValues(at, column.type === "BIGINT[]" ? column.values.map(listValue) : column.values);
    }
    this.#appender.appendDataChunk(chunk);
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

/**
 * Writes texts of a column from their bytes. The library's own way takes strings, which costs three times as much: as UTF-8
 * they come, and as UTF-8 they are kept.
 */
function setTexts(chunk: DuckDBDataChunk, column: number, texts: readonly (Uint8Array | null)[]): void {
  if (texts.includes(null)) {
    const nulls = chunk.getColumnVector(column);
    for (const [at, text] of texts.entries()) if (text === null) nulls.setItem(at, null);
    nulls.flush();
  }
  const vector = raw.data_chunk_get_vector(chunk.chunk, column);
  for (const [at, text] of texts.entries()) {
    if (text !== null) raw.vector_assign_string_element_len(vector, at, text);
  }
}

const bound = (value: Parameter): DuckDBValue => (typeof value === "object" ? listValue([...value]) : value);

function typeOfParameter(value: Parameter): DuckDBType {
  if (typeof value === "string") return VARCHAR;
  if (typeof value === "number") return DOUBLE;
  if (typeof value === "bigint") return BIGINT;
  return LIST(typeof value[0] === "bigint" ? BIGINT : VARCHAR);
}
