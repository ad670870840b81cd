import { CharacterClass, characterClass } from "./character-classes.js";

/** Three of these open and close a quotation that spans lines. */
const FENCES = '"`';
/** Marks that open a quotation within a line, and the marks that close it. */
const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "«": "»",
  "‘": "’",
  "“": "”",
  "„": "“”",
  "「": "」",
};
/** Shorter quotations count as names or words of the instruction. */
const LEAST_QUOTED = 12;

/**
 * Returns the instruction of a prompt without its material: the text outside quotations and, of several paragraphs, the
 * shorter one of the first and the last. Returns the whole prompt when nothing is left outside quotations. Equal to
 * training/asked_part.py, unit for unit. Linear in the length of the text.
 */
export function askedPart(text: string): string {
  const paragraphs = paragraphsOf(withoutQuotations(text));
  const [first] = paragraphs;
  const last = paragraphs.at(-1);
  if (first === undefined || last === undefined) return text;
  return first.length <= last.length ? first : last;
}

/** The text with a space in place of each quotation. */
function withoutQuotations(text: string): string {
  /** For each mark, the index up to which its quotations are known to be unclosed. */
  const unclosedUntil = new Map<string, number>();
  let kept = "";
  let from = 0;
  for (let at = nextMark(text, 0); at >= 0; at = nextMark(text, at)) {
    const mark = text.charAt(at);
    const closing = CLOSING[mark] as string;
    const isFence = FENCES.includes(mark) && text.startsWith(mark.repeat(3), at);
    const end = isFence
      ? fenceEnd(text, at)
      : at < (unclosedUntil.get(mark) ?? 0) || isInWord(text, at - 1)
        ? -1
        : quotationEnd(text, at, { closing, unclosedUntil });
    if (end >= 0) {
      kept += `${text.slice(from, at)} `;
      from = end;
      at = end;
    } else at += isFence ? 3 : 1;
  }
  return kept + text.slice(from);
}

const MARK = new RegExp(`[${Object.keys(CLOSING).join("")}]`, "g");

/** Index of the first mark from `at` on that may open a quotation; -1 when there is none. */
function nextMark(text: string, at: number): number {
  MARK.lastIndex = at;
  return MARK.test(text) ? MARK.lastIndex - 1 : -1;
}

/** Index after the three marks that close the three at `at`; -1 when they are not closed. */
function fenceEnd(text: string, at: number): number {
  const end = text.indexOf(text.slice(at, at + 3), at + 3);
  return end < 0 ? -1 : end + 3;
}

interface Quotation {
  readonly closing: string;
  readonly unclosedUntil: Map<string, number>;
}

/** Index after the quotation that starts at `at`; -1 when it is not closed within its line. */
function quotationEnd(text: string, at: number, { closing, unclosedUntil }: Quotation): number {
  let to = at + 1;
  for (; to < text.length; to++) {
    if (characterClass(text.charCodeAt(to)) === CharacterClass.LineEnd) break;
    if (to - at > LEAST_QUOTED && closing.includes(text.charAt(to)) && !isInWord(text, to + 1)) return to + 1;
  }
  unclosedUntil.set(text.charAt(at), to);
  return -1;
}

/** Whether a quotation neither begins after this unit nor ends before it. */
function isInWord(text: string, at: number): boolean {
  if (at < 0 || at >= text.length) return false;
  const kind = characterClass(text.charCodeAt(at));
  return kind === CharacterClass.Letter || kind === CharacterClass.Digit;
}

/** Runs of lines that have text, without the last line's end. */
function paragraphsOf(text: string): string[] {
  const found: string[] = [];
  let start = -1;
  let end = 0;
  let line = 0;
  let lineHasText = false;
  for (let at = 0; at <= text.length; at++) {
    const kind = at === text.length ? CharacterClass.LineEnd : characterClass(text.charCodeAt(at));
    if (kind !== CharacterClass.LineEnd) {
      if (kind !== CharacterClass.Space) lineHasText = true;
      continue;
    }
    if (lineHasText) {
      if (start < 0) start = line;
      end = at;
    } else if (start >= 0) {
      found.push(text.slice(start, end));
      start = -1;
    }
    line = at + 1;
    lineHasText = false;
  }
  if (start >= 0) found.push(text.slice(start, end));
  return found;
}
