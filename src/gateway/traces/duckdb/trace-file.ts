import { randomUUID } from "node:crypto";
import { chmod, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { makePrivateFolder } from "../../../foundation/private-folder.js";
import { number, text } from "../stored-rows.js";
import { Acknowledged, type ExpectedFile, lossOf, type TraceLoss } from "./acknowledged.js";
import { type Appender, asBytes, type Connection, Database, ROW_GROUP_ROWS } from "./database.js";
import { type GivenFeedback, writeFeedback } from "./feedback.js";
import { reasonOf, UnusableFile } from "./open-failure.js";
import { prepareTables, SchemaError } from "./prepare-tables.js";
import type { AppendedRows } from "./rows.js";
import type { TraceFileOptions } from "./trace-file-api.js";

/**
 * Rows after which the log is worked in: until then they are in memory as they came, some 3 kB each with their texts. A
 * checkpoint begins a new group of rows, and joins up to four neighbours that fit into fewer groups, which reads and compresses
 * all of them again (`RowGroupCollection::InitializeVacuumState`, `ScheduleVacuumTasks`: github.com/duckdb/duckdb,
 * row_group_collection.cpp). Groups of more than three quarters are left alone; what is left to a full one is a batch.
 */
const CHECKPOINT_ROWS = (ROW_GROUP_ROWS * 7) / 8;

/** Queries after which what they left is let go of without a checkpoint: some 3 MB. */
const EVICT_QUERIES = 500;

interface OpenFile {
  readonly database: Database;
  readonly writer: Connection;
  readonly traces: number;
}

interface Opening {
  readonly file: OpenFile;
  readonly acknowledged: Acknowledged;
  readonly expected: ExpectedFile | undefined;
}

/** The database file and its one writer. Calls that write must not overlap. */
export class TraceFile {
  /** What was found missing when the file was opened. */
  readonly loss: TraceLoss | undefined;
  readonly #options: TraceFileOptions;
  readonly #acknowledged: Acknowledged;
  readonly #file: OpenFile;
  #appenders: { readonly traces: Appender; readonly longTexts: Appender } | undefined;
  /** Bytes of the write-ahead log from which on it is worked into the file. */
  #checkpointBytes: number;
  /** Rows since the last checkpoint. */
  #rows = 0;
  /** Whether there was a checkpoint since all was let go of. */
  #isCheckpointed = false;
  /** Queries there had been when all was let go of. */
  #evictedQueries = 0;

  private constructor(options: TraceFileOptions, { file, acknowledged, expected }: Opening) {
    this.#options = options;
    this.#file = file;
    this.#acknowledged = acknowledged;
    this.loss = lossOf(expected, file.traces);
    acknowledged.begin(file.traces);
    this.#checkpointBytes = options.checkpointBytes;
  }

  /** Opens the file, or creates it. @throws UnusableFile */
  static async open(options: TraceFileOptions): Promise<TraceFile> {
    const acknowledged = new Acknowledged(options.path);
    let expected: ExpectedFile | undefined;
    try {
      makePrivateFolder(dirname(options.path));
      expected = acknowledged.expected();
      const file = await openFile(options);
      return new TraceFile(options, { file, acknowledged, expected });
    } catch (cause) {
      // The log is as it was.
      if (typeof expected?.damagedLog === "string") await rm(expected.damagedLog, { force: true });
      const reason = cause instanceof SchemaError ? cause.message : reasonOf(messageOf(cause));
      throw new UnusableFile(reason, { cause });
    }
  }

  connect(): Promise<Connection> {
    return this.#file.database.connect();
  }

  /** Bytes of the file that are in memory. */
  cachedBytes(): Promise<number> {
    return this.#file.database.cachedBytes();
  }

  /**
   * Lets go of what queries and checkpoints left in memory: beyond the cache's size, or all of it after a checkpoint,
   * which leaves no rows outside the file, and after many queries. No query may run. Never rejects.
   *
   * @param queries how many there have been
   */
  async evict(queries: number): Promise<void> {
    const { database } = this.#file;
    if (!this.#isCheckpointed && queries - this.#evictedQueries < EVICT_QUERIES)
      return database.evictCache(this.#options.cacheBytes).catch(() => {});
    this.#isCheckpointed = false;
    this.#evictedQueries = queries;
    await database.evictAll().catch(() => {});
  }

  /** Has the system get back memory that the process no longer needs. Never rejects. */
  async returnFreed(): Promise<void> {
    await this.#file.database.returnFreed().catch(() => {});
  }

  /** Adds the rows, all or none, safe from a crash once it resolves. */
  async append(rows: readonly AppendedRows[]): Promise<void> {
    const traces = rows.flatMap((part) => part.traces);
    const longTexts = rows.flatMap((part) => part.longTexts);
    if (traces.length === 0) return;
    const { writer } = this.#file;
    this.#appenders ??= {
      traces: await writer.appender("traces"),
      longTexts: await writer.appender("long_texts"),
    };
    await writer.run("BEGIN");
    try {
      this.#appenders.longTexts.append(longTexts);
      this.#appenders.traces.append(traces);
      await writer.run("COMMIT");
    } catch (error) {
      // They keep what they could not write, and would add it to the next.
      this.#discardAppenders();
      await writer.run("ROLLBACK").catch(() => {});
      throw error;
    }
    this.#acknowledged.committed(traces.length);
    this.#rows += traces.length;
  }

  /** Writes feedback in the place of an earlier one, safe from a crash once it resolves. */
  async keepFeedback(given: GivenFeedback): Promise<void> {
    const { writer } = this.#file;
    await writer.run("BEGIN");
    try {
      await writeFeedback(writer, given);
      await writer.run("COMMIT");
    } catch (error) {
      await writer.run("ROLLBACK").catch(() => {});
      throw error;
    }
    this.#acknowledged.committed(0);
  }

  /** Which of these request ids no trace that arrived from one time to the other has. */
  async missing(requestIds: readonly string[], range: { fromMs: number; toMs: number }): Promise<string[]> {
    if (requestIds.length === 0) return [];
    const rows = await this.#file.writer.rows(
      `SELECT ${asBytes("request_id")} AS request_id FROM traces ` +
        "WHERE created_at BETWEEN $1 AND $2 AND request_id IN (SELECT unnest($3))",
      [new Date(range.fromMs), new Date(range.toMs), requestIds],
    );
    const found = new Set(rows.map((row) => text(row.request_id)));
    return requestIds.filter((id) => !found.has(id));
  }

  /**
   * Removes the traces that arrived before that time, all or none, with what belongs to them. The file keeps its size: later
   * traces take their room. Groups of rows of which none is left are only let go of, so that millions take no second.
   *
   * @returns how many
   */
  async removeBefore(ms: number): Promise<number> {
    const { writer } = this.#file;
    const before = [new Date(ms)];
    const [row] = await writer.rows("SELECT count(*) AS traces FROM traces WHERE created_at < $1", before);
    const removed = number(row?.traces);
    if (removed === 0) return 0;
    await writer.run("BEGIN");
    try {
      for (const table of ["traces", "long_texts", "feedback"])
        await writer.rows(`DELETE FROM ${table} WHERE created_at < $1`, before);
      this.#acknowledged.removing(removed);
      await writer.run("COMMIT");
    } catch (error) {
      await writer.run("ROLLBACK").catch(() => {});
      this.#acknowledged.committed(removed);
      throw error;
    }
    await this.#checkpointNow();
    return removed;
  }

  /**
   * Works the write-ahead log into the file when most of a row group has been added, so that each is compressed once, or when
   * the log is long. Never rejects.
   *
   * @returns whether it did
   */
  async checkpointIfDue(): Promise<boolean> {
    const isDue = this.#rows >= CHECKPOINT_ROWS || (await this.#logBytes()) >= this.#checkpointBytes;
    return isDue && this.#checkpointNow();
  }

  /** Works the log in and gives up the file. All other connections must be closed. */
  close(): void {
    this.#discardAppenders();
    this.#acknowledged.expectCheckpoint();
    this.#file.writer.close();
    this.#file.database.close();
    this.#acknowledged.close();
  }

  /** Never rejects. @returns whether it could */
  async #checkpointNow(): Promise<boolean> {
    this.#acknowledged.expectCheckpoint();
    this.#rows = 0;
    this.#checkpointBytes = this.#options.checkpointBytes;
    try {
      await this.#file.writer.run("CHECKPOINT");
      this.#isCheckpointed = true;
      return true;
    } catch {
      // The disk may be full. What is in the log is safe there, so it may grow for a while.
      this.#checkpointBytes += await this.#logBytes();
      return false;
    }
  }

  async #logBytes(): Promise<number> {
    return (await stat(`${this.#options.path}.wal`).catch(() => undefined))?.size ?? 0;
  }

  #discardAppenders(): void {
    this.#appenders?.traces.discard();
    this.#appenders?.longTexts.discard();
    this.#appenders = undefined;
  }
}

async function openFile(options: TraceFileOptions): Promise<OpenFile> {
  // Of its own: what others left is removed once the lock is held, and while the log is worked in, this may be in use.
  const scratchDir = `${options.scratchDir}-${randomUUID()}`;
  const database = await openDatabase({ ...options, scratchDir });
  await removeOtherScratch(options.scratchDir, basename(scratchDir));
  const writer = await database.connect();
  try {
    await prepareTables(writer);
    await chmod(options.path, 0o600);
    const [row] = await writer.rows("SELECT count(*) AS traces FROM traces");
    return { database, writer, traces: number(row?.traces) };
  } catch (error) {
    writer.close();
    database.close();
    throw error;
  }
}

/**
 * Removes what processes that were killed left of what was too large for memory, texts of traces among it. No other
 * process has the file open, and so a folder in use. Never rejects.
 */
async function removeOtherScratch(scratchDir: string, own: string): Promise<void> {
  const [folder, start] = [dirname(scratchDir), basename(scratchDir)];
  const names = await readdir(folder).catch(() => []);
  const others = names.filter((name) => name === start || (name.startsWith(`${start}-`) && name !== own));
  for (const name of others) await rm(join(folder, name), { recursive: true, force: true }).catch(() => {});
}

async function openDatabase(options: TraceFileOptions): Promise<Database> {
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
