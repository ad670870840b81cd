/** Class of one UTF-16 unit. 0 means "not computed yet". */
export const CharacterClass = {
  Space: 1,
  Letter: 2,
  Digit: 3,
  /** Scripts that write a word in one or two characters: Han, kana, Hangul, Thai. */
  Dense: 4,
  /** Brackets, operators and other signs that are frequent in code and formulas. */
  Code: 5,
  Question: 6,
  Separator: 7,
  Stop: 8,
  Other: 9,
  LineEnd: 10,
} as const;
export type CharacterClass = (typeof CharacterClass)[keyof typeof CharacterClass];

const UNITS = 0x10000;
const CODE = "{}[]()<>=_\\/|&^%$#*~+@`";
const { Space, Letter, Digit, Dense, Code, Question, Separator, Stop, Other, LineEnd } = CharacterClass;

const OUTSIDE_ASCII: ReadonlyMap<number, CharacterClass> = new Map([
  ...classOf("\u00a0\u1680\u202f\u205f\u3000", Space),
  ...classOf("\u2028\u2029", LineEnd),
  ...classOf("？؟\u037e", Question),
  ...classOf("，、；：،؛", Separator),
  ...classOf("。！।۔", Stop),
  ...classOf("ªµº", Letter),
  ...classOf("×÷", Other),
]);

/** First and last unit of each range, in the order in which they are looked up. */
const RANGES: readonly (readonly [number, number, CharacterClass])[] = [
  [0x2000, 0x200a, Space],
  [0x0e00, 0x0e7f, Dense],
  [0x1100, 0x11ff, Dense],
  [0x3040, 0x30ff, Dense],
  [0x3400, 0x4dbf, Dense],
  [0x4e00, 0x9fff, Dense],
  [0xac00, 0xd7a3, Dense],
  [0xf900, 0xfaff, Dense],
  [0x0080, 0x00bf, Other],
  [0x2000, 0x2bff, Other],
  [0x3000, 0x303f, Other],
  [0xd800, 0xf8ff, Other],
  [0xfe00, 0xffff, Other],
];

const known = new Uint8Array(UNITS);

/** The class of a UTF-16 unit, computed at its first use. Both halves of a surrogate pair are `Other`. */
export function characterClass(unit: number): CharacterClass {
  const found = known[unit] as CharacterClass | 0;
  if (found !== 0) return found;
  const learned = unit < 0x80 ? asciiClass(unit) : outsideAscii(unit);
  known[unit] = learned;
  return learned;
}

/** Lower case of Latin (ASCII, Latin-1), Greek and Russian letters; any other unit unchanged. */
export function lowercaseUnit(unit: number): number {
  if (unit < 0x41) return unit;
  const isUpper =
    unit <= 0x5a ||
    (unit >= 0xc0 && unit <= 0xde && unit !== 0xd7) ||
    (unit >= 0x391 && unit <= 0x3a9) ||
    (unit >= 0x410 && unit <= 0x42f);
  return isUpper ? unit + 32 : unit;
}

function asciiClass(unit: number): CharacterClass {
  const character = String.fromCharCode(unit);
  if (character === "\n") return LineEnd;
  if (unit <= 0x20 || unit === 0x7f) return Space;
  if (/[a-z]/i.test(character)) return Letter;
  if (/[0-9]/.test(character)) return Digit;
  if (CODE.includes(character)) return Code;
  if (character === "?") return Question;
  if (",;:".includes(character)) return Separator;
  return ".!".includes(character) ? Stop : Other;
}

function outsideAscii(unit: number): CharacterClass {
  const listed = OUTSIDE_ASCII.get(unit);
  if (listed !== undefined) return listed;
  return RANGES.find(([first, last]) => unit >= first && unit <= last)?.[2] ?? Letter;
}

function classOf(characters: string, kind: CharacterClass): (readonly [number, CharacterClass])[] {
  return Array.from(characters, (character) => [character.charCodeAt(0), kind] as const);
}
