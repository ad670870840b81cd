import { rm } from "node:fs/promises";
import { attach, type Connection } from "./database.js";
import { METADATA_SLOTS, slotColumn } from "./metadata-slots.js";
import { migrate } from "./schema.js";
import { number, text } from "./values.js";

/** Where the file that is to replace one is written. */
export const replacementPath = (path: string): string => `${path}.rewrite`;

export async function removeReplacement(path: string): Promise<void> {
  for (const file of [replacementPath(path), `${replacementPath(path)}.wal`]) await rm(file, { force: true });
}

export interface ReplacementOptions {
  /** Number of the request that wants it. */
  readonly request: number;
  /** Path of the file to be replaced. */
  readonly path: string;
  /** Milliseconds since the epoch: earlier traces are left out. */
  readonly keepFromMs: number;
}

/**
 * A second file beside the first, filled with the traces to keep: the only way to be rid of the others, whose bytes DuckDB
 * leaves in the file until it needs the room. It costs a read and a write of all that is kept.
 */
export class Replacement {
  readonly request: number;
  readonly #connection: Connection;
  readonly #options: ReplacementOptions;
  /** The first database, as SQL names it. */
  readonly #source: string;
  readonly #copiedTo = new Map<string, number>();
  #isFinished = false;

  private constructor(connection: Connection, source: string, options: ReplacementOptions) {
    this.request = options.request;
    this.#connection = connection;
    this.#source = source;
    this.#options = options;
  }

  /** Takes over the connection, which must be one of its own. */
  static async begin(connection: Connection, options: ReplacementOptions): Promise<Replacement> {
    const { path } = options;
    await removeReplacement(path);
    const [row] = await connection.rows("SELECT current_database() AS name");
    await connection.run("DETACH DATABASE IF EXISTS replacement");
    await connection.run(attach(replacementPath(path), "replacement"));
    await connection.run("USE replacement");
    await migrate(connection);
    const source = `"${text(row?.name).replaceAll('"', '""')}"`;
    return new Replacement(connection, source, options);
  }

  /** Copies what is not copied yet, in the order in which it was written. */
  async copy(): Promise<void> {
    for (const table of ["traces", "text_pieces"]) await this.#copy(table);
  }

  async #copy(table: string): Promise<void> {
    const from = `${this.#source}.main.${table}`;
    const [row] = await this.#connection.rows(`SELECT max(rowid) AS last FROM ${from}`);
    if (row?.last === null || row?.last === undefined) return;
    const last = number(row.last);
    await this.#connection.rows(
      `INSERT INTO replacement.main.${table} SELECT * FROM ${from} ` +
        "WHERE created_ms >= $1 AND rowid > $2 AND rowid <= $3",
      [BigInt(this.#options.keepFromMs), BigInt(this.#copiedTo.get(table) ?? -1), BigInt(last)],
    );
    this.#copiedTo.set(table, last);
  }

  /** Makes the second file whole by itself and lets go of it. Nothing may be written to the first one from now on. */
  async finish(): Promise<void> {
    // Only what the kept traces use: a source or a metadata key may tell as much as a text.
    await this.#connection.run(
      `INSERT INTO replacement.main.names FROM ${this.#source}.main.names WHERE id IN (` +
        ["model", "provider", "source"]
          .map((column) => `SELECT ${column} FROM replacement.main.traces`)
          .join(" UNION ") +
        ")",
    );
    const slots = Array.from({ length: METADATA_SLOTS }, (_, slot) => slot);
    await this.#connection.run(
      `INSERT INTO replacement.main.metadata_slots FROM ${this.#source}.main.metadata_slots WHERE slot IN (` +
        `SELECT unnest([${slots.map((slot) => `CASE WHEN count(${slotColumn(slot)}) > 0 THEN ${slot} END`).join(", ")}]) ` +
        "FROM replacement.main.traces)",
    );
    await this.#connection.run("CHECKPOINT replacement");
    await this.#connection.run(`USE ${this.#source}`);
    await this.#connection.run("DETACH replacement");
    this.#isFinished = true;
    this.#connection.close();
  }

  /** Ends the copying with an error. */
  interrupt(): void {
    this.#connection.interrupt();
  }

  /** Lets go of the second file and removes it, unless it is finished. */
  async abandon(): Promise<void> {
    if (this.#isFinished) return;
    await this.#connection.run(`USE ${this.#source}`).catch(() => {});
    await this.#connection.run("DETACH replacement").catch(() => {});
    this.#connection.close();
    await removeReplacement(this.#options.path);
  }
}
