import type { RawRow } from "./jsonl.js";

/** Values that a row must have, by field. A file that lacks a field is not filtered by it. */
export type RowFilter = Readonly<Record<string, readonly (string | number)[]>>;

/** Which prompts and answers of one source are read. Remembers the prompts that it left out, and the values that it met. */
export class RowSelection {
  readonly #filter: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #met = new Map<string, Set<string>>();
  readonly #leftOut = new Set<string>();

  constructor(filter: RowFilter = {}) {
    this.#filter = new Map(
      Object.entries(filter).map(([field, values]) => [field, new Set(values.map(String))]),
    );
  }

  get fields(): readonly string[] {
    return [...this.#filter.keys()];
  }

  /** Whether the prompt has one of the values of every field that its file has. Numbers are compared as numbers. */
  takesPrompt(row: RawRow): boolean {
    const taken = this.#matches(row);
    if (!taken) this.#leftOut.add(String(row.values.id));
    return taken;
  }

  /** The same of an answer, and whether its prompt was not left out. */
  takesAnswer(row: RawRow): boolean {
    return this.#matches(row) && !this.#leftOut.has(String(row.values.id));
  }

  /** A field and a value of the filter that no row has had so far; undefined when all have occurred. */
  unmet(): { readonly field: string; readonly value: string } | undefined {
    for (const [field, values] of this.#filter) {
      const value = [...values].find((each) => this.#met.get(field)?.has(each) !== true);
      if (value !== undefined) return { field, value };
    }
    return undefined;
  }

  #matches({ values }: RawRow): boolean {
    let matches = true;
    for (const [field, allowed] of this.#filter) {
      const found = values[field];
      if (found === undefined) continue;
      const value = String(found ?? "");
      if (!allowed.has(value)) matches = false;
      else this.#met.set(field, (this.#met.get(field) ?? new Set()).add(value));
    }
    return matches;
  }
}
