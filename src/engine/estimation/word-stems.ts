import { CharacterClass, characterClass, lowercaseUnit } from "./character-classes.js";

/**
 * Groups of word stems in lower case. A stem matches at the beginning of a word; a stem that ends in `$` matches a
 * whole word.
 */
export type WordStems = Readonly<Record<string, readonly string[]>>;

/** Finds the stems of several groups in one pass over a text. */
export class WordStemTrie {
  /** The node that a unit leads to, by node and unit: one map, as one a node would take a megabyte. Node 0 is the root. */
  readonly #next = new Map<number, number>();
  /** By node: the group of the stem that ends there, or -1. */
  readonly #prefixGroups = [-1];
  /** The same for stems that must be whole words. */
  readonly #wordGroups = [-1];

  constructor(stems: WordStems) {
    for (const [group, words] of Object.values(stems).entries())
      for (const word of words) this.#add(word, group);
  }

  /** The group (its index) of the longest stem that begins at `at`; -1 where none does. */
  groupAt(text: string, at: number): number {
    let node: number | undefined = 0;
    let found = -1;
    for (let end = at; node !== undefined; end++) {
      const prefixGroup = this.#prefixGroups[node] as number;
      const wordGroup = this.#wordGroups[node] as number;
      if (prefixGroup >= 0) found = prefixGroup;
      if (wordGroup >= 0 && isWordEnd(text, end)) found = wordGroup;
      if (end >= text.length) break;
      node = this.#next.get(edgeOf(node, lowercaseUnit(text.charCodeAt(end))));
    }
    return found;
  }

  #add(stem: string, group: number): void {
    const isWord = stem.endsWith("$");
    const units = isWord ? stem.slice(0, -1) : stem;
    let node = 0;
    for (let at = 0; at < units.length; at++) node = this.#after(node, units.charCodeAt(at));
    (isWord ? this.#wordGroups : this.#prefixGroups)[node] = group;
  }

  #after(node: number, unit: number): number {
    const edge = edgeOf(node, unit);
    const known = this.#next.get(edge);
    if (known !== undefined) return known;
    const added = this.#prefixGroups.push(-1) - 1;
    this.#wordGroups.push(-1);
    this.#next.set(edge, added);
    return added;
  }
}

const edgeOf = (node: number, unit: number): number => node * 0x10000 + unit;

function isWordEnd(text: string, at: number): boolean {
  if (at >= text.length) return true;
  const kind = characterClass(text.charCodeAt(at));
  return kind !== CharacterClass.Letter && kind !== CharacterClass.Digit;
}
