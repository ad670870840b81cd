/** Names that are kept for ever, where each costs memory: no more than `most`. */
export class BoundedNames {
  readonly #names = new Set<string>();

  /** @param most ≥ 1 */
  constructor(private readonly most: number) {}

  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** @returns whether the name is among them, from now on if there was room */
  add(name: string): boolean {
    if (this.#names.size < this.most) this.#names.add(name);
    return this.#names.has(name);
  }
}
