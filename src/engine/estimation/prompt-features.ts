/**
 * Surface features of a prompt, from which its difficulty is estimated together with its vector. Equal to
 * training/prompt_features.py, unit for unit; test/engine/estimation compares both with the same numbers.
 */
import { askedPart } from "./asked-part.js";
import { CharacterClass, characterClass } from "./character-classes.js";
import { type WordStems, WordStemTrie } from "./word-stems.js";

/** A text of more UTF-16 units is read at its two ends, joined by a space. */
const MAX_UNITS = 4096;
const HEAD_UNITS = 3072;
const TAIL_UNITS = 1024;
/** Stems are counted within this distance of the two ends of the asked part, because material may follow on the same line. */
const STEM_HEAD_UNITS = 400;
const STEM_TAIL_UNITS = 200;
/** Length and words are capped at these values. */
const MOST_LENGTH = 1500;
const MOST_WORDS = 270;

/** Names of the features before those of the stems, in order. */
export const SURFACE_FEATURES = [
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
  "asked_length",
  "asked_words",
  "asked_separators",
  "material",
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

/**
 * Features with the given word stems: 21 surface features, then one for each group of stems, which are counted in the
 * asked part only. Reads at most 4,097 units.
 */
export function createPromptFeatures(stems: WordStems): PromptFeatures {
  const groups = Object.keys(stems);
  const names = [...SURFACE_FEATURES, ...groups.map((group) => `stems_${group}`)];
  const trie = new WordStemTrie(stems);
  return {
    names,
    of(text) {
      const { whole, asked, askedText } = countsOf(text);
      const stems = countStems(askedText, { trie, groups: groups.length });
      return valuesOf(text.length, { whole, asked, stems });
    },
  };
}

interface TextCounts {
  readonly text: string;
  readonly whole: Tally;
  readonly askedText: string;
  /** Counts of the asked part. */
  readonly asked: Tally;
}

/** Of the text read last: the models of difficulty and of answer lengths read each prompt one after the other. */
let latest: TextCounts | undefined;

function countsOf(text: string): TextCounts {
  if (latest?.text !== text) {
    const part = readPart(text);
    const askedText = askedPart(part);
    const whole = new Tally(part);
    const asked = askedText.length === part.length ? whole : new Tally(askedText);
    latest = { text, whole, askedText, asked };
  }
  return latest;
}

function readPart(text: string): string {
  if (text.length <= MAX_UNITS) return text;
  return `${text.slice(0, HEAD_UNITS)} ${text.slice(-TAIL_UNITS)}`;
}

/** The asked part of a text, computed once for all that read it. */
export const askedPartOf = (text: string): string =>
  text.length <= MAX_UNITS ? countsOf(text).askedText : askedPart(text);

/** Counts over one text, computed in one pass. */
class Tally {
  readonly size: number;
  /** Units by `CharacterClass`. */
  readonly units = new Uint32Array(11);
  words = 0;
  numbers = 0;
  uppercase = 0;
  sentences = 0;
  fences = 0;
  lines = 0;
  listItems = 0;
  nonAscii = 0;
  endsInQuestion = false;
  readonly #text: string;

  constructor(text: string) {
    this.size = text.length;
    this.#text = text;
    this.#countAll();
  }

  #countAll(): void {
    const { units } = this;
    const text = this.#text;
    let inWord = false;
    let lineHasText = false;
    let last: CharacterClass = CharacterClass.Space;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      const kind = characterClass(unit);
      units[kind] = (units[kind] as number) + 1;
      if (unit >= 0x80) this.nonAscii++;
      if (kind === CharacterClass.LineEnd) lineHasText = false;
      else if (kind !== CharacterClass.Space) {
        if (!lineHasText) this.#beginLine(at);
        lineHasText = true;
        last = kind;
      }
      if (kind === CharacterClass.Letter || kind === CharacterClass.Digit) {
        if (!inWord) this.#beginWord(kind);
        if (unit >= 0x41 && unit <= 0x5a) this.uppercase++;
        inWord = true;
      } else {
        inWord = false;
        this.#countSign(at, kind);
      }
    }
    this.endsInQuestion = last === CharacterClass.Question;
  }

  #countSign(at: number, kind: CharacterClass): void {
    if (kind === CharacterClass.Stop || kind === CharacterClass.Question) {
      if (this.#endsSentence(at)) this.sentences++;
    } else if (
      this.#unitAt(at) === BACKTICK &&
      this.#unitAt(at - 1) === BACKTICK &&
      this.#unitAt(at - 2) === BACKTICK
    )
      this.fences++;
  }

  #beginWord(kind: CharacterClass): void {
    this.words++;
    if (kind === CharacterClass.Digit) this.numbers++;
  }

  /** A stop before white space or the end; of several stops that are not ASCII, the last. */
  #endsSentence(at: number): boolean {
    if (at + 1 >= this.size) return true;
    const after = characterClass(this.#unitAt(at + 1));
    if (after === CharacterClass.Space || after === CharacterClass.LineEnd) return true;
    return this.#unitAt(at) >= 0x80 && after !== CharacterClass.Stop && after !== CharacterClass.Question;
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

  /** NaN outside the text. */
  #unitAt(at: number): number {
    return this.#text.charCodeAt(at);
  }
}

/** How often stems of each group begin a word, or stand in a dense script, near the two ends of a text. */
function countStems(
  text: string,
  { trie, groups }: { readonly trie: WordStemTrie; readonly groups: number },
): Uint32Array {
  const counts = new Uint32Array(groups);
  let inWord = false;
  for (let at = 0; at < text.length; at++) {
    const kind = characterClass(text.charCodeAt(at));
    const isWord = kind === CharacterClass.Letter || kind === CharacterClass.Digit;
    const isNearEnd = at < STEM_HEAD_UNITS || at >= text.length - STEM_TAIL_UNITS;
    if (isNearEnd && (kind === CharacterClass.Dense || (isWord && !inWord))) {
      const group = trie.groupAt(text, at);
      if (group >= 0) counts[group] = (counts[group] ?? 0) + 1;
    }
    inWord = isWord;
  }
  return counts;
}

interface Counts extends Pick<TextCounts, "whole" | "asked"> {
  readonly stems: Uint32Array;
}

/** In the order of `SURFACE_FEATURES`, then the stems. `length` is that of the whole text, in UTF-16 units. */
function valuesOf(length: number, { whole, asked, stems }: Counts): Float64Array {
  const size = Math.max(1, whole.size);
  const unitsOf = (kind: CharacterClass): number => whole.units[kind] ?? 0;
  const dense = unitsOf(CharacterClass.Dense);
  const askedDense = asked.units[CharacterClass.Dense] ?? 0;
  const wordUnits = unitsOf(CharacterClass.Letter) + unitsOf(CharacterClass.Digit);
  const values = new Float64Array(SURFACE_FEATURES.length + stems.length);
  values.set([
    // A sign of a dense script says about as much as three letters.
    Math.log1p(Math.min(length + 2 * dense * (length / size), MOST_LENGTH)),
    Math.log1p(Math.min(whole.words + dense / 2, MOST_WORDS)),
    whole.words > 0 ? wordUnits / whole.words : 0,
    unitsOf(CharacterClass.Digit) / size,
    unitsOf(CharacterClass.Code) / size,
    whole.uppercase / size,
    whole.nonAscii / size,
    dense / size,
    Math.log1p(whole.lines),
    Math.log1p(unitsOf(CharacterClass.Question)),
    Math.log1p(unitsOf(CharacterClass.Separator)),
    Math.log1p(whole.sentences),
    Math.log1p(whole.listItems),
    Math.log1p(whole.numbers),
    Math.log1p(whole.fences),
    whole.endsInQuestion ? 1 : 0,
    length > MAX_UNITS ? 1 : 0,
    Math.log1p(Math.min(asked.size + 2 * askedDense, MOST_LENGTH)),
    Math.log1p(Math.min(asked.words + askedDense / 2, MOST_WORDS)),
    Math.log1p(asked.units[CharacterClass.Separator] ?? 0),
    Math.log1p(length - asked.size),
  ]);
  for (const [group, count] of stems.entries()) values[SURFACE_FEATURES.length + group] = Math.log1p(count);
  return values;
}
