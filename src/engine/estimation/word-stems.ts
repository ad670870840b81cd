import { CharacterClass, characterClass, lowercaseUnit } from "./character-classes.js";

/**
 * Groups of word stems in lower case. A stem matches at the beginning of a word; a stem that ends in `$` matches a
 * whole word.
 */
export type WordStems = Readonly<Record<string, readonly string[]>>;

interface Node {
  readonly next: Map<number, Node>;
  /** The group of the stem that ends here, or -1. */
  prefixGroup: number;
  /** The same for stems that must be whole words. */
  wordGroup: number;
}

/** Finds the stems of several groups in one pass over a text. */
export class WordStemTrie {
  readonly #root = newNode();

  constructor(stems: WordStems) {
    for (const [group, words] of Object.values(stems).entries())
      for (const word of words) this.#add(word, group);
  }

  /** The group (its index) of the longest stem that begins at `at`; -1 where none does. */
  groupAt(text: string, at: number): number {
    let node: Node | undefined = this.#root;
    let found = -1;
    for (let end = at; node !== undefined; end++) {
      if (node.prefixGroup >= 0) found = node.prefixGroup;
      if (node.wordGroup >= 0 && isWordEnd(text, end)) found = node.wordGroup;
      if (end >= text.length) break;
      node = node.next.get(lowercaseUnit(text.charCodeAt(end)));
    }
    return found;
  }

  #add(stem: string, group: number): void {
    const isWord = stem.endsWith("$");
    const units = isWord ? stem.slice(0, -1) : stem;
    let node = this.#root;
    for (let at = 0; at < units.length; at++) {
      const unit = units.charCodeAt(at);
      const next = node.next.get(unit) ?? newNode();
      node.next.set(unit, next);
      node = next;
    }
    if (isWord) node.wordGroup = group;
    else node.prefixGroup = group;
  }
}

function newNode(): Node {
  return { next: new Map(), prefixGroup: -1, wordGroup: -1 };
}

function isWordEnd(text: string, at: number): boolean {
  if (at >= text.length) return true;
  const kind = characterClass(text.charCodeAt(at));
  return kind !== CharacterClass.Letter && kind !== CharacterClass.Digit;
}
