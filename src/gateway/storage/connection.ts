import { closeSync, openSync } from "node:fs";
import Database from "libsql";
import BackgroundDatabase from "libsql/promise";
import { codeOf } from "../../foundation/file-fault.js";

/** A connection to a file of SQLite, with its statements, each prepared once. */
export class Connection {
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();

  /** @param path of a file, or a URI */
  constructor(path: string) {
    this.#database = new Database(path);
  }

  /** To a file that is made, for its owner alone, when it is not there. SQLite gives the files beside it the same rights. */
  static toNew(path: string): Connection {
    try {
      closeSync(openSync(path, "wx", 0o600));
    } catch (fault) {
      if (codeOf(fault) !== "EEXIST") throw fault;
    }
    return new Connection(path);
  }

  statement(sql: string): Database.Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const prepared = this.#database.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }

  run(sql: string): void {
    this.#database.exec(sql);
  }

  /** What happens then depends on nothing. */
  tryTo(sql: string): void {
    try {
      this.run(sql);
    } catch {
      // As before.
    }
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}

/** A connection whose work is done on another thread. */
export class BackgroundConnection {
  readonly #database: BackgroundDatabase;

  constructor(path: string) {
    this.#database = new BackgroundDatabase(path, {});
  }

  async run(sql: string): Promise<void> {
    await this.#database.exec(sql);
  }

  close(): void {
    this.#database.close();
  }
}
