import { rm } from "node:fs/promises";
import { number, text } from "../stored-rows.js";
import { attach, type Connection } from "./database.js";
import { prepareTables } from "./prepare-tables.js";

/** Where the file that is to replace one is written. */
export const replacementPath = (path: string): string => `${path}.rewrite`;

export async function removeReplacement(path: string): Promise<void> {
  for (const file of [replacementPath(path), `${replacementPath(path)}.wal`]) await rm(file, { force: true });
}

export interface ReplacementOptions {
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
  readonly #connection: Connection;
  readonly #options: ReplacementOptions;
  /** The first database, as SQL names it. */
  readonly #source: string;
  /** Last row of each table that was copied. */
  readonly #copiedTo = new Map<string, bigint>();
  #isFinished = false;

  private constructor(connection: Connection, source: string, options: ReplacementOptions) {
    this.#connection = connection;
    this.#source = source;
    this.#options = options;
  }

  /** Takes over the connection, which must be one of its own, and closes it when this fails. */
  static async begin(connection: Connection, options: ReplacementOptions): Promise<Replacement> {
    try {
      await removeReplacement(options.path);
      const [row] = await connection.rows("SELECT current_database() AS name");
      await connection.run("DETACH DATABASE IF EXISTS replacement");
      await connection.run(attach(replacementPath(options.path), "replacement"));
      await connection.run("USE replacement");
      await prepareTables(connection);
      return new Replacement(connection, text(row?.name), options);
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Copies what is not copied yet, in the order in which it was written. */
  async copy(): Promise<void> {
    for (const table of ["traces", "long_texts"]) await this.#copy(table);
  }

  async #copy(table: string): Promise<void> {
    const from = `${this.#source}.main.${table}`;
    const [row] = await this.#connection.rows(`SELECT coalesce(max(rowid), -1) AS last FROM ${from}`);
    const last = BigInt(number(row?.last));
    await this.#connection.rows(
      `INSERT INTO replacement.main.${table} SELECT * FROM ${from} ` +
        "WHERE created_at >= $1 AND rowid > $2 AND rowid <= $3",
      [new Date(this.#options.keepFromMs), this.#copiedTo.get(table) ?? -1n, last],
    );
    this.#copiedTo.set(table, last);
  }

  /** Makes the second file whole by itself and lets go of it. Nothing may be written to the first one from now on. */
  async finish(): Promise<void> {
    // Not earlier: rows of it are replaced.
    await this.#connection.rows(
      `INSERT INTO replacement.main.feedback SELECT * FROM ${this.#source}.main.feedback WHERE created_at >= $1`,
      [new Date(this.#options.keepFromMs)],
    );
    await this.#connection.run("CHECKPOINT replacement");
    await this.#connection.run(`USE ${this.#source}`);
    await this.#connection.run("DETACH replacement");
    this.#isFinished = true;
    this.#connection.close();
  }

  /** Ends the copying with an error. */
  interruptUntil(isOver: () => boolean): void {
    this.#connection.interruptUntil(isOver);
  }

  /** Lets go of the second file and removes it, unless it is finished. */
  async discard(): Promise<void> {
    if (this.#isFinished) return;
    await this.#connection.run(`USE ${this.#source}`).catch(() => {});
    await this.#connection.run("DETACH replacement").catch(() => {});
    this.#connection.close();
    await removeReplacement(this.#options.path);
  }
}
