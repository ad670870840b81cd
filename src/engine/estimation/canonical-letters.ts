/** What is done with one UTF-16 unit. 0 means "not computed yet". */
const Kind = {
  Other: 1,
  AsciiLetter: 2,
  /** Latin, Greek or Cyrillic outside ASCII, unlike every ASCII letter. */
  Letter: 3,
  /** Greek or Cyrillic, and looks like an ASCII letter. */
  Lookalike: 4,
  /** Invisible; dropped. */
  Format: 5,
  /** Invisible; dropped after a letter of the three scripts, which do not join. Emoji and other scripts need them. */
  Joiner: 6,
  /** Combining; dropped where it does not compose with its letter. Other scripts need them. */
  Mark: 7,
  /** A form of an ASCII letter or digit that no language uses: full-width or circled. */
  Form: 8,
  /** First half of a pair that may be a mathematical letter, such as bold or script. */
  FormLead: 9,
} as const;
type Kind = (typeof Kind)[keyof typeof Kind];

/** Letters that look like an ASCII letter in most fonts (Unicode confusables, UTS #39), each before that. */
const LOOKALIKE_PAIRS =
  "аa сc ԁd еe һh іi јj оo рp ԛq ѕs ԝw хx уy АA ВB СC ЕE НH ІI ЈJ КK МM ОO РP ЅS ТT ХX ҮY " +
  "οo ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX";
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  LOOKALIKE_PAIRS.split(" ").map((pair) => [...pair]),
);

const FORM = /[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\u24b6-\u24e9]/;
const FORM_LEAD = 0xd835;
const JOINERS = "\u200c\u200d";

const kinds = new Uint8Array(0x10000);

function kindOf(unit: number): Kind {
  const known = kinds[unit] as Kind | 0;
  if (known !== 0) return known;
  const learned = unit === FORM_LEAD ? Kind.FormLead : learnKind(String.fromCharCode(unit));
  kinds[unit] = learned;
  return learned;
}

function learnKind(character: string): Kind {
  if (/[A-Za-z]/.test(character)) return Kind.AsciiLetter;
  if (LOOKALIKES[character] !== undefined) return Kind.Lookalike;
  if (JOINERS.includes(character)) return Kind.Joiner;
  if (FORM.test(character)) return Kind.Form;
  if (/\p{Cf}/u.test(character)) return Kind.Format;
  if (/\p{Mn}/u.test(character)) return Kind.Mark;
  return /(?=\p{L})[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u.test(character)
    ? Kind.Letter
    : Kind.Other;
}

const isLetter = (kind: Kind): boolean =>
  kind === Kind.AsciiLetter || kind === Kind.Letter || kind === Kind.Lookalike;

/**
 * The text with plain letters: without invisible characters and marks that no language puts on the letter, with ASCII for
 * full-width, circled and mathematical letters and digits, and with Latin letters for their lookalikes where words mix the
 * two. Superscripts, fractions and full-width punctuation stay. Returns the same string where there is nothing to change,
 * which takes a few nanoseconds a unit.
 */
export function canonicalLetters(text: string): string {
  if (!isUnusual(text)) return text;
  const plain = withoutDecoration(text);
  return mixesLookalikes(plain) ? withoutLookalikes(plain) : plain;
}

/** Whether there may be something to change. */
function isUnusual(text: string): boolean {
  let before: Kind = Kind.Other;
  for (let at = 0; at < text.length; at++) {
    const kind = kindOf(text.charCodeAt(at));
    if (kind >= Kind.Format && (kind !== Kind.Mark || isLetter(before))) return true;
    if (areMixed(before, kind)) return true;
    before = kind;
  }
  return false;
}

function withoutDecoration(text: string): string {
  let written = "";
  /** What lies before this index has been written. */
  let from = 0;
  let afterLetter = false;
  for (let at = 0; at < text.length; at++) {
    const kind = kindOf(text.charCodeAt(at));
    if (kind === Kind.Other || isLetter(kind)) {
      afterLetter = kind !== Kind.Other;
      continue;
    }
    const end = decorationEnd(text, at, afterLetter);
    if (end === at) {
      afterLetter = false;
      continue;
    }
    const isMarked = kind === Kind.Mark;
    const start = isMarked ? at - 1 : at;
    written += text.slice(from, start) + plainForm(text.slice(start, end), kind);
    afterLetter = kind === Kind.Form || kind === Kind.FormLead || afterLetter;
    from = end;
    at = end - 1;
  }
  return from === 0 ? text : written + text.slice(from);
}

/** Index after what is replaced from `at` on; `at` itself where the unit stays. */
function decorationEnd(text: string, at: number, afterLetter: boolean): number {
  const kind = kindOf(text.charCodeAt(at));
  if (kind === Kind.Format || kind === Kind.Form) return at + 1;
  if (kind === Kind.FormLead) return isMathematical(text, at) ? at + 2 : at;
  if (!afterLetter) return at;
  let end = at + 1;
  if (kind === Kind.Mark) while (end < text.length && kindOf(text.charCodeAt(end)) === Kind.Mark) end++;
  return end;
}

function isMathematical(text: string, at: number): boolean {
  const second = text.charCodeAt(at + 1);
  return second >= 0xdc00 && second < 0xe000;
}

/** @param decorated one character; for marks, the letter and its marks */
function plainForm(decorated: string, kind: Kind): string {
  if (kind === Kind.Form || kind === Kind.FormLead) return decorated.normalize("NFKC");
  if (kind !== Kind.Mark) return "";
  const [composed = ""] = decorated.normalize("NFC");
  return composed;
}

/** Whether an ASCII letter and a lookalike are neighbours, as in no word of a language. */
function mixesLookalikes(text: string): boolean {
  let before: Kind = Kind.Other;
  for (let at = 0; at < text.length; at++) {
    const kind = kindOf(text.charCodeAt(at));
    if (areMixed(before, kind)) return true;
    before = kind;
  }
  return false;
}

const areMixed = (before: Kind, kind: Kind): boolean =>
  kind === Kind.Lookalike
    ? before === Kind.AsciiLetter
    : kind === Kind.AsciiLetter && before === Kind.Lookalike;

/** Latin letters for lookalikes in words that consist of the two; a Russian or a Greek word has other letters, too. */
function withoutLookalikes(text: string): string {
  let written = "";
  let from = 0;
  let isReplaced = true;
  for (let at = 0; at <= text.length; at++) {
    const kind = at < text.length ? kindOf(text.charCodeAt(at)) : Kind.Other;
    if (isLetter(kind)) {
      if (kind === Kind.Letter) isReplaced = false;
      continue;
    }
    const word = text.slice(from, at + 1);
    written += isReplaced ? word.replace(OUTSIDE_ASCII, (letter) => LOOKALIKES[letter] ?? letter) : word;
    from = at + 1;
    isReplaced = true;
  }
  return written;
}

const OUTSIDE_ASCII = /[^\0-\x7f]/g;
