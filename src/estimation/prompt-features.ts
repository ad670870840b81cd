/**
 * Surface features of a prompt: what its difficulty is estimated from, beside its vector. The same as
 * training/prompt_features.py, unit for unit; test/estimation holds both to the same numbers.
 */
import { CharacterClass, characterClass } from "./character-classes.js";
import { type WordStems, WordStemTrie } from "./word-stems.js";

/** A text of more UTF-16 units than this is read at its two ends, with a space for what is between them. */
const MAX_UNITS = 4096;
const HEAD_UNITS = 3072;
const TAIL_UNITS = 1024;
/**
 * Stems count this near to the two ends: there stands what is asked. What lies between is mostly material, such as a page
 * to translate.
 */
const STEM_HEAD_UNITS = 400;
const STEM_TAIL_UNITS = 200;
/** Length and words past these add nothing. */
const MOST_LENGTH = 1500;
const MOST_WORDS = 270;

/** Names of the features before those of the stems, in order. */
const SURFACE_FEATURES = [
  "length",
  "words",
  "word_length",
  "digits",
  "code_characters",
  "uppercase",
  "non_ascii",
  "dense_script",
  "lines",
  "questions",
  "separators",
  "sentences",
  "list_items",
  "numbers",
  "code_fences",
  "ends_in_question",
  "is_cut",
] as const;

const BACKTICK = 0x60;
const HYPHEN = 0x2d;
const ASTERISK = 0x2a;
const BULLET = 0x2022;
const FULL_STOP = 0x2e;
const CLOSING_PARENTHESIS = 0x29;

export interface PromptFeatures {
  /** Names of the values, in order. */
  readonly names: readonly string[];
  /** The features of a text, one value per name: logarithms of counts (`log(1 + n)`), shares, flags. Never NaN. */
  of(text: string): Float64Array;
}

/** Features with the given word stems: 17 of the surface, then one per group of stems. At most 4,097 units are read. */
export function createPromptFeatures(stems: WordStems): PromptFeatures {
  const groups = Object.keys(stems);
  const names = [...SURFACE_FEATURES, ...groups.map((group) => `stems_${group}`)];
  const trie = new WordStemTrie(stems);
  return {
    names,
    of: (text) => valuesOf(text.length, new Tally(readPart(text), trie, groups.length)),
  };
}

function readPart(text: string): string {
  if (text.length <= MAX_UNITS) return text;
  return `${text.slice(0, HEAD_UNITS)} ${text.slice(-TAIL_UNITS)}`;
}

/** Counts over one text, made in one pass. */
class Tally {
  readonly size: number;
  words = 0;
  numbers = 0;
  wordUnits = 0;
  uppercase = 0;
  digits = 0;
  dense = 0;
  code = 0;
  questions = 0;
  separators = 0;
  sentences = 0;
  fences = 0;
  lines = 0;
  listItems = 0;
  nonAscii = 0;
  endsInQuestion = false;
  readonly stems: Uint32Array;
  readonly #text: string;
  readonly #trie: WordStemTrie;

  constructor(text: string, trie: WordStemTrie, groups: number) {
    this.size = text.length;
    this.stems = new Uint32Array(groups);
    this.#text = text;
    this.#trie = trie;
    let before: CharacterClass = CharacterClass.Space;
    let lineHasText = false;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      const kind = characterClass(unit);
      if (unit >= 0x80) this.nonAscii++;
      this.#count(at, { unit, kind, before });
      if (kind === CharacterClass.LineEnd) lineHasText = false;
      else if (kind !== CharacterClass.Space) {
        if (!lineHasText) this.#beginLine(at);
        lineHasText = true;
        this.endsInQuestion = kind === CharacterClass.Question;
      }
      before = kind;
    }
  }

  #count(at: number, character: { unit: number; kind: CharacterClass; before: CharacterClass }): void {
    const { unit, kind, before } = character;
    switch (kind) {
      case CharacterClass.Letter:
      case CharacterClass.Digit:
        if (before !== CharacterClass.Letter && before !== CharacterClass.Digit) this.#beginWord(at, kind);
        this.wordUnits++;
        if (kind === CharacterClass.Digit) this.digits++;
        else if (unit >= 0x41 && unit <= 0x5a) this.uppercase++;
        break;
      case CharacterClass.Dense:
        this.dense++;
        this.#countStem(at);
        break;
      case CharacterClass.Code:
        this.code++;
        if (unit === BACKTICK && this.#unitAt(at - 1) === BACKTICK && this.#unitAt(at - 2) === BACKTICK)
          this.fences++;
        break;
      case CharacterClass.Separator:
        this.separators++;
        break;
      case CharacterClass.Stop:
      case CharacterClass.Question:
        if (kind === CharacterClass.Question) this.questions++;
        if (this.#endsSentence(at, unit)) this.sentences++;
        break;
      default:
    }
  }

  #beginWord(at: number, kind: CharacterClass): void {
    this.words++;
    if (kind === CharacterClass.Digit) this.numbers++;
    this.#countStem(at);
  }

  #countStem(at: number): void {
    if (at >= STEM_HEAD_UNITS && at < this.size - STEM_TAIL_UNITS) return;
    const group = this.#trie.groupAt(this.#text, at);
    if (group >= 0) this.stems[group] = (this.stems[group] ?? 0) + 1;
  }

  /** A stop before white space or the end; one that is not ASCII, as the last of several. */
  #endsSentence(at: number, unit: number): boolean {
    if (at + 1 >= this.size) return true;
    const after = characterClass(this.#unitAt(at + 1));
    if (after === CharacterClass.Space || after === CharacterClass.LineEnd) return true;
    return unit >= 0x80 && after !== CharacterClass.Stop && after !== CharacterClass.Question;
  }

  #beginLine(at: number): void {
    this.lines++;
    if (this.#beginsItem(at)) this.listItems++;
  }

  /** Whether a line that begins here is an item of a list: `- `, `* `, `• `, `1.` or `1)`. */
  #beginsItem(at: number): boolean {
    if (at + 1 >= this.size) return false;
    const first = this.#unitAt(at);
    if (first === HYPHEN || first === ASTERISK || first === BULLET)
      return characterClass(this.#unitAt(at + 1)) === CharacterClass.Space;
    let end = at;
    while (end < this.size && characterClass(this.#unitAt(end)) === CharacterClass.Digit) end++;
    const mark = this.#unitAt(end);
    return end > at && (mark === FULL_STOP || mark === CLOSING_PARENTHESIS);
  }

  /** NaN outside the text, which equals nothing. */
  #unitAt(at: number): number {
    return this.#text.charCodeAt(at);
  }
}

/** In the order of `SURFACE_FEATURES`, then the stems. `length` is that of the whole text, in UTF-16 units. */
function valuesOf(length: number, tally: Tally): Float64Array {
  const size = Math.max(1, tally.size);
  const values = new Float64Array(SURFACE_FEATURES.length + tally.stems.length);
  values.set([
    // A sign of a dense script says about as much as three letters.
    Math.log1p(Math.min(length + 2 * tally.dense * (length / size), MOST_LENGTH)),
    Math.log1p(Math.min(tally.words + tally.dense / 2, MOST_WORDS)),
    tally.words > 0 ? tally.wordUnits / tally.words : 0,
    tally.digits / size,
    tally.code / size,
    tally.uppercase / size,
    tally.nonAscii / size,
    tally.dense / size,
    Math.log1p(tally.lines),
    Math.log1p(tally.questions),
    Math.log1p(tally.separators),
    Math.log1p(tally.sentences),
    Math.log1p(tally.listItems),
    Math.log1p(tally.numbers),
    Math.log1p(tally.fences),
    tally.endsInQuestion ? 1 : 0,
    length > MAX_UNITS ? 1 : 0,
  ]);
  for (const [group, count] of tally.stems.entries())
    values[SURFACE_FEATURES.length + group] = Math.log1p(count);
  return values;
}
