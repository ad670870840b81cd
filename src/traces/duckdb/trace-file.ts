import { chmod, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { timeOfRequestId } from "../request-time.js";
import { type BlockColumns, columnsOf } from "./block-columns.js";
import { type Appender, type Column, type Connection, Database, GROUP_ROWS, type Pace } from "./database.js";
import type { FileReader } from "./file-reader.js";
import type { WorkerOptions } from "./messages.js";
import { MetadataSlots } from "./metadata-slots.js";
import { Names } from "./names.js";
import { reasonOf, UnusableFile } from "./open-failure.js";
import { Replacement, removeReplacement, replacementPath } from "./replacement.js";
import { migrate, SchemaError } from "./schema.js";
import type { TraceBlock } from "./trace-block.js";
import { exactly, number, text } from "./values.js";

/** The file was let go of and cannot be opened again: there is no use in this thread any more. */
export class LostFile extends Error {
  override readonly name = "LostFile";

  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

interface OpenFile {
  readonly database: Database;
  readonly writer: Connection;
  readonly names: Names;
  readonly slots: MetadataSlots;
  /** Rows of the last group, which is not full. */
  readonly beginning: number;
}

/** The database file and its one writer. Calls that write must not overlap. */
export class TraceFile {
  readonly #options: WorkerOptions;
  #open: OpenFile;
  #appenders: { readonly traces: Appender; readonly pieces: Appender } | undefined;
  #checkpointBytes: number;
  /** Rows since the last group of rows that was full. */
  #rows: number;

  private constructor(options: WorkerOptions, file: OpenFile) {
    this.#options = options;
    this.#open = file;
    this.#checkpointBytes = options.checkpointBytes;
    this.#rows = file.beginning;
  }

  /** Opens the file, or begins it. @throws UnusableFile */
  static async open(options: WorkerOptions): Promise<TraceFile> {
    try {
      await mkdir(dirname(options.path), { recursive: true, mode: 0o700 });
      const file = await openFile(options);
      // Only now that the file is locked are the leftovers of a crash known to be nobody's.
      await removeReplacement(options.path);
      return new TraceFile(options, file);
    } catch (cause) {
      throw new UnusableFile(cause instanceof SchemaError ? cause.message : reasonOf(messageOf(cause)), {
        cause,
      });
    }
  }

  connect(pace?: Pace): Promise<Connection> {
    return this.#open.database.connect(pace);
  }

  /** For questions on a connection of this file. */
  reader(connection: Connection): FileReader {
    const { names, slots } = this.#open;
    return { connection, names, slots };
  }

  /** Adds the traces, all or none, safe from a crash once it resolves. Blocks the thread for some 10 µs each. */
  async append(blocks: readonly TraceBlock[]): Promise<void> {
    if (blocks.length === 0) return;
    const { writer, names, slots } = this.#open;
    const added: BlockColumns[] = [];
    for (const block of blocks) {
      await slots.assign(writer, block.keys);
      const known = {
        names: await names.numbersOf(writer, block.names),
        slots: block.keys.map((key) => slots.slotOf(key)),
      };
      added.push(columnsOf(block, known));
    }
    this.#appenders ??= {
      traces: await writer.appender("traces"),
      pieces: await writer.appender("text_pieces"),
    };
    const pieces = added.flatMap((columns) => columns.pieces);
    try {
      // One table is written all or not by itself.
      if (pieces.length > 0) await writer.run("BEGIN");
      add(this.#appenders.pieces, pieces);
      add(
        this.#appenders.traces,
        added.map(({ traces }) => traces),
      );
      if (pieces.length > 0) await writer.run("COMMIT");
    } catch (error) {
      // They keep what they could not write, and would add it to the next.
      this.#discardAppenders();
      if (pieces.length > 0) await writer.run("ROLLBACK").catch(() => {});
      throw error;
    }
    for (const { traces } of blocks) this.#rows += traces;
  }

  /** Which of these request ids no trace has. */
  async missing(requestIds: readonly string[]): Promise<readonly string[]> {
    if (requestIds.length === 0) return [];
    const missing = new Set(requestIds);
    const times = requestIds.map(timeOfRequestId);
    const rows = await this.#open.writer.rows(
      `SELECT ${exactly("request_id")} AS request_id FROM traces WHERE id_ms BETWEEN $1 AND $2 AND request_id IN (SELECT unnest($3))`,
      [BigInt(Math.min(...times)), BigInt(Math.max(...times)), requestIds],
    );
    for (const row of rows) missing.delete(text(row.request_id));
    return [...missing];
  }

  async countBefore(ms: number): Promise<number> {
    const [row] = await this.#open.writer.rows(
      "SELECT count(*) AS before FROM traces WHERE created_ms < $1",
      [BigInt(ms)],
    );
    return number(row?.before);
  }

  /**
   * Works the write-ahead log into the file, which takes some 10 µs for each trace in it, when a group of rows is full, so
   * that no group is compressed twice, or when it is long. Never rejects.
   */
  async checkpointIfDue(): Promise<void> {
    const log = await stat(`${this.#options.path}.wal`).catch(() => undefined);
    if (log === undefined || (this.#rows < GROUP_ROWS && log.size < this.#checkpointBytes)) return;
    try {
      await this.#checkpoint();
      this.#rows %= GROUP_ROWS;
      this.#checkpointBytes = this.#options.checkpointBytes;
    } catch {
      // The disk may be full. What is in the log is safe there, so it may grow for a while.
      this.#rows = 0;
      this.#checkpointBytes = log.size + this.#options.checkpointBytes;
    }
  }

  /** Begins a second file without the traces before that time. Fill it with `copy` while appends go on. */
  async beginReplacement(request: number, keepFromMs: number): Promise<Replacement> {
    const connection = await this.connect("in the background");
    try {
      return await Replacement.begin(connection, { request, keepFromMs, path: this.#options.path });
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /**
   * Puts the second file in the place of this one, with what was appended meanwhile. All other connections must be closed. A
   * crash leaves the one or the other, whole.
   *
   * @throws LostFile when neither can be opened, and what the library says; then this file stays
   */
  async replaceBy(replacement: Replacement): Promise<void> {
    const { path } = this.#options;
    // With its log worked in, this file is whole without it; the log could not be used with the other file.
    await this.#checkpoint();
    await replacement.copy();
    await replacement.finish();
    this.close();
    try {
      await rm(`${path}.wal`, { force: true });
      await rename(replacementPath(path), path);
      await syncFolder(dirname(path));
    } finally {
      this.#open = await openFile(this.#options).catch((cause) => Promise.reject(new LostFile(cause)));
      this.#rows = this.#open.beginning;
    }
  }

  /** Works the log in and gives up the file. All other connections must be closed. */
  close(): void {
    this.#discardAppenders();
    this.#open.writer.close();
    this.#open.database.close();
  }

  async #checkpoint(): Promise<void> {
    await this.#open.writer.run("CHECKPOINT");
  }

  #discardAppenders(): void {
    this.#appenders?.traces.discard();
    this.#appenders?.pieces.discard();
    this.#appenders = undefined;
  }
}

function add(appender: Appender, chunks: readonly (readonly Column[])[]): void {
  if (chunks.length === 0) return;
  for (const columns of chunks) appender.add(columns);
  appender.commit();
}

async function openFile(options: WorkerOptions): Promise<OpenFile> {
  const database = await openDatabase(options);
  const writer = await database.connect();
  try {
    await migrate(writer);
    await chmod(options.path, 0o600);
    const [row] = await writer.rows("SELECT count(*) AS traces FROM traces");
    return {
      database,
      writer,
      names: await Names.of(writer),
      slots: await MetadataSlots.of(writer),
      beginning: number(row?.traces) % GROUP_ROWS,
    };
  } catch (error) {
    writer.close();
    database.close();
    throw error;
  }
}

async function openDatabase(options: WorkerOptions): Promise<Database> {
  try {
    return await Database.open(options.path, options);
  } catch (error) {
    // A crash between creating the file and writing its head leaves an empty one, in which there is nothing to lose.
    const file = await stat(options.path).catch(() => undefined);
    if (file?.size !== 0) throw error;
    await rm(options.path);
    return Database.open(options.path, options);
  }
}

/** Makes a renaming last through a power failure. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
