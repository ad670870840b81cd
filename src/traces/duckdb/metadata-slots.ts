import type { Connection } from "./database.js";
import { number, text } from "./values.js";

/** Columns `m0`, `m1`, … for the hashes of metadata values. */
export const METADATA_SLOTS = 8;

export const slotColumn = (slot: number): string => `m${slot}`;

/**
 * Which metadata keys have a column of their own: the first ones that came. Looking at one number of each row takes a quarter
 * of the time of looking for it in a list, which the values of all other keys share.
 */
export class MetadataSlots {
  readonly #slots: Map<string, number>;

  private constructor(slots: Map<string, number>) {
    this.#slots = slots;
  }

  static async of(connection: Connection): Promise<MetadataSlots> {
    const rows = await connection.rows("SELECT slot, encode(key) AS key FROM metadata_slots");
    return new MetadataSlots(new Map(rows.map((row) => [text(row.key), number(row.slot)])));
  }

  /** Undefined when the key has none. */
  slotOf(key: string): number | undefined {
    return this.#slots.get(key);
  }

  /** Gives keys that have none a slot, as long as there are any. One call at a time. */
  async assign(connection: Connection, keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const slot = this.#free();
      if (slot === undefined) return;
      if (this.#slots.has(key) || !isKeptAsItIs(key)) continue;
      await connection.rows("INSERT INTO metadata_slots VALUES ($1, $2)", [BigInt(slot), key]);
      this.#slots.set(key, slot);
    }
  }

  /** Not always the next one: keys that only removed traces had are gone. */
  #free(): number | undefined {
    const taken = new Set(this.#slots.values());
    return Array.from({ length: METADATA_SLOTS }, (_, slot) => slot).find((slot) => !taken.has(slot));
  }
}

/** Half a surrogate pair is not: two different keys would become one. */
const isKeptAsItIs = (key: string): boolean => Buffer.from(key).toString() === key;
