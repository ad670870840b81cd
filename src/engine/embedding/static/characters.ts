/**
 * What BERT's normaliser and pre-tokenizer make of one character. Every rule of theirs (clean the text, set CJK
 * characters apart, NFD and strip accents, lowercase, split at white space and punctuation) looks at one character at a
 * time, so a whole text needs no regular expression and no copy: two table look-ups per UTF-16 unit, each entry worked
 * out the first time the character is met.
 *
 * Same result as `BertNormalizer` + `BertPreTokenizer` of Hugging Face `tokenizers`, with two exceptions, both by intent:
 * character classes are those of the running Node's Unicode version (the library froze older ones), and spacing marks
 * (class Mc) of different combining classes keep the order they were typed in.
 */

export interface NormalizerSettings {
  readonly handleChineseChars: boolean;
  readonly stripAccents: boolean;
  readonly lowercase: boolean;
}

/** What to do with one UTF-16 unit. */
export const CharacterKind = {
  /** Not met yet: ask `learn`. */
  Unknown: 0,
  /** Part of a word; `mapped` holds the unit to append. */
  Letter: 1,
  /** Ends the word. */
  Space: 2,
  /** A word of its own (punctuation, CJK); `mapped` holds the unit. */
  Isolated: 3,
  /** Leaves no trace and does not end the word (control and format characters, stripped accents). */
  Dropped: 4,
  /** Becomes several units: ask `expansion`. */
  Expanded: 5,
  /** First half of a surrogate pair. */
  LeadSurrogate: 6,
  /** An added token such as `[MASK]` may begin here. */
  AddedToken: 7,
} as const;
export type CharacterKind = (typeof CharacterKind)[keyof typeof CharacterKind];

/** In an expansion: the word ends here. Not a UTF-16 unit. */
export const WORD_END = -1;

const UNITS = 0x10000;
const WHITE_SPACE = /^\p{White_Space}$/u;
const CONTROL = /^[\p{Cc}\p{Cf}\p{Co}\p{Cs}]$/u;
const PUNCTUATION = /^[\p{P}!-/:-@[-`{-~]$/u;
const NONSPACING_MARKS = /\p{Mn}/gu;

/** The ranges BERT calls Chinese; not the same as Script=Han. */
const CHINESE: readonly (readonly [number, number])[] = [
  [0x4e00, 0x9fff],
  [0x3400, 0x4dbf],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2b73f],
  [0x2b740, 0x2b81f],
  [0x2b920, 0x2ceaf],
  [0xf900, 0xfaff],
  [0x2f800, 0x2fa1f],
];

/** Character tables for one normaliser; filled as texts are read, never larger than Unicode. */
export class CharacterTables {
  /** By UTF-16 unit: a `CharacterKind`. */
  readonly kinds = new Uint8Array(UNITS);
  /** By UTF-16 unit: the normalised unit, where the kind is Letter or Isolated. */
  readonly mapped = new Uint16Array(UNITS);
  readonly #expansions = new Map<number, readonly number[]>();
  readonly #settings: NormalizerSettings;

  constructor(settings: NormalizerSettings) {
    this.#settings = settings;
    this.kinds.fill(CharacterKind.LeadSurrogate, 0xd800, 0xdc00);
    this.kinds.fill(CharacterKind.Dropped, 0xdc00, 0xe000);
    for (let unit = 0; unit < 0x80; unit++) this.learn(unit);
  }

  /** Fills the tables for a unit outside the surrogates and returns its kind. */
  learn(unit: number): CharacterKind {
    const units = this.expansion(unit);
    const kind = kindOf(units);
    this.kinds[unit] = kind;
    if (kind === CharacterKind.Letter) this.mapped[unit] = units[0] ?? 0;
    if (kind === CharacterKind.Isolated) this.mapped[unit] = units[1] ?? 0;
    return kind;
  }

  /** The UTF-16 units (and `WORD_END`) that a code point turns into. */
  expansion(codePoint: number): readonly number[] {
    const known = this.#expansions.get(codePoint);
    if (known !== undefined) return known;
    const units = split(normalise(codePoint, this.#settings));
    this.#expansions.set(codePoint, units);
    return units;
  }
}

function kindOf(units: readonly number[]): CharacterKind {
  if (units.length === 0) return CharacterKind.Dropped;
  if (units.length === 1) return units[0] === WORD_END ? CharacterKind.Space : CharacterKind.Letter;
  const isolated = units.length === 3 && units[0] === WORD_END && units[2] === WORD_END;
  return isolated ? CharacterKind.Isolated : CharacterKind.Expanded;
}

/** `BertNormalizer` on one code point. */
function normalise(codePoint: number, settings: NormalizerSettings): string {
  let text = String.fromCodePoint(codePoint);
  if (WHITE_SPACE.test(text))
    return text === "\t" || text === "\n" || text === "\r" || !CONTROL.test(text) ? " " : "";
  if (codePoint === 0xfffd || CONTROL.test(text)) return "";
  const chinese = settings.handleChineseChars && isChinese(codePoint);
  if (settings.stripAccents) text = text.normalize("NFD").replace(NONSPACING_MARKS, "");
  if (settings.lowercase) text = lowercase(text);
  return chinese ? ` ${text} ` : text;
}

/** Character by character, so that a final sigma is lowercased like any other, as the library does. */
function lowercase(text: string): string {
  return Array.from(text, (character) => character.toLowerCase()).join("");
}

/** `BertPreTokenizer`: white space ends a word, punctuation is a word of its own. */
function split(text: string): number[] {
  const units: number[] = [];
  const endWord = () => {
    if (units.at(-1) !== WORD_END) units.push(WORD_END);
  };
  for (const character of text) {
    const isolated = PUNCTUATION.test(character);
    const space = WHITE_SPACE.test(character);
    if (isolated || space) endWord();
    if (!space) for (let at = 0; at < character.length; at++) units.push(character.charCodeAt(at));
    if (isolated) endWord();
  }
  return units;
}

function isChinese(codePoint: number): boolean {
  return CHINESE.some(([first, last]) => codePoint >= first && codePoint <= last);
}
