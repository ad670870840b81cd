import type { Connection } from "./database.js";
import { number, text } from "./values.js";

/** Names kept at hand; the others are looked up. Sources can be anything that clients send. */
const AT_HAND = 50_000;

/**
 * The models, providers and sources of a file, each written once and meant by a number everywhere else: numbers are found in
 * half of the time and take an eighth of the room. A number, once given, stays.
 */
export class Names {
  readonly #ids = new Map<string, number>();
  readonly #names = new Map<number, string>();
  #last: number;

  private constructor(last: number) {
    this.#last = last;
  }

  static async of(connection: Connection): Promise<Names> {
    const [row] = await connection.rows("SELECT max(id) AS last FROM names");
    return new Names(number(row?.last));
  }

  /** Numbers of all of them, new ones for those that have none. One call at a time. */
  async numbersOf(connection: Connection, names: readonly string[]): Promise<readonly number[]> {
    const wanted = names.map(asKept);
    const found = await this.#find(connection, wanted);
    const unknown = [...new Set(wanted)].filter((name) => !found.has(name));
    if (unknown.length > 0) {
      const ids = unknown.map((_, at) => this.#last + 1 + at);
      const parameters = [ids.map(BigInt), unknown];
      await connection.rows("INSERT INTO names SELECT unnest($1), unnest($2)", parameters);
      this.#last += unknown.length;
      for (const [at, name] of unknown.entries()) this.#keep(found, ids[at] ?? 0, name);
    }
    return wanted.map((name) => found.get(name) ?? 0);
  }

  /** Undefined for a name that no trace has. */
  async numberOf(connection: Connection, name: string): Promise<number | undefined> {
    const wanted = asKept(name);
    return (await this.#find(connection, [wanted])).get(wanted);
  }

  /** What numbers stand for; null for 0. */
  async namesOf(connection: Connection, ids: Iterable<number>): Promise<(id: number) => string | null> {
    const found = new Map<number, string>();
    const unknown: number[] = [];
    for (const id of new Set(ids)) {
      const name = this.#names.get(id);
      if (name !== undefined) found.set(id, name);
      else if (id !== 0) unknown.push(id);
    }
    if (unknown.length > 0) {
      const rows = await connection.rows(`${NAMES} WHERE id IN (SELECT unnest($1))`, [unknown.map(BigInt)]);
      for (const row of rows) {
        found.set(number(row.id), text(row.name));
        this.#keep(new Map(), number(row.id), text(row.name));
      }
    }
    return (id) => found.get(id) ?? null;
  }

  async #find(connection: Connection, names: readonly string[]): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    const unknown = new Set<string>();
    for (const name of names) {
      const id = this.#ids.get(name);
      if (id === undefined) unknown.add(name);
      else found.set(name, id);
    }
    if (unknown.size === 0) return found;
    const rows = await connection.rows(`${NAMES} WHERE name IN (SELECT unnest($1))`, [[...unknown]]);
    for (const row of rows) this.#keep(found, number(row.id), text(row.name));
    return found;
  }

  /** Adds a name to what was found and to what is at hand. */
  #keep(found: Map<string, number>, id: number, name: string): void {
    found.set(name, id);
    if (this.#ids.size >= AT_HAND) {
      this.#ids.clear();
      this.#names.clear();
    }
    this.#ids.set(name, id);
    this.#names.set(id, name);
  }
}

const NAMES = "SELECT id, encode(name) AS name FROM names";

/** Half a surrogate pair becomes U+FFFD on the way into the file. */
const asKept = (name: string): string => Buffer.from(name).toString();
