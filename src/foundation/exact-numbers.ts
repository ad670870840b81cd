/**
 * JSON numbers that a double does not write back as they came: 2512292042121000001, 1.0, 1e400, -0. Where nothing here reads them, they are
 * strings between reading and writing: a mark and their text, which passes copies, schemas and threads as an object would not.
 */
import { randomBytes } from "node:crypto";
import { CLOSE_LIST, CLOSE_OBJECT, endOfString, OPEN_LIST, OPEN_OBJECT, QUOTE } from "./nesting.js";

/** Of this process, so that no one can send it. Begins with a character that is rare in JSON, which makes it quick to look for. */
const MARK = `~${randomBytes(15).toString("base64url")}:`;

/** Whether there is a marked number: most processes never see one, and need not look for marks in what they write. */
let hasMarked = false;

/** What begins arguments and schemas of tools, in which every number keeps its text. A list as `input` is a conversation, or texts to embed. */
const FREE_FORM =
  /"(?:input"[ \t\r\n]*:[ \t\r\n]*\{|(?:arguments|args|parameters|input_examples|\w*[sS]chema)"[ \t\r\n]*:[ \t\r\n]*[{[])$/;

const [MINUS, ZERO, NINE] = [0x2d, 0x30, 0x39];

/** What a text without such a number does not have: -0, 16 digits, a fraction that ends in 0, an exponent. A third of a nanosecond a character. */
const SUSPECT = /[:,[\s](?:-0(?!\.)|-?\d(?:[\d.]{15}|\d*\.\d*0(?!\d)|[\d.]*[eE]))/;

/** A number where a value may stand. Everything else is left to the parser to refuse. */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[ \t\r\n]*(?:[,\]}]|$))/y;

/** Numbers that are looked at, which takes a tenth of a second: a text with more holds data, and no ids (guess). */
const MOST_NUMBERS = 65_536;

/**
 * JSON in which such numbers are marked strings: in free-form members all of them, elsewhere those whose value would change, whole numbers
 * beyond 2^53 and all beyond 1e308. The same text where there are none. Valid if and only if `json` is.
 *
 * @param form `free` for a text that is free-form as a whole
 */
export function withMarks(json: string, form?: "free"): string {
  if (!SUSPECT.test(json)) return json;
  let marked = "";
  let copied = 0;
  let level = 0;
  let numbers = 0;
  /** Level of the free-form member around; 0 outside of any. */
  let free = form === "free" ? Number.POSITIVE_INFINITY : 0;
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(json, at);
    else if (unit === OPEN_OBJECT || unit === OPEN_LIST) {
      level += 1;
      if (free === 0 && FREE_FORM.test(json.slice(Math.max(0, at - 64), at + 1))) free = level;
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_LIST) {
      if (level === free) free = 0;
      level -= 1;
    } else if (unit === MINUS || (unit >= ZERO && unit <= NINE)) {
      if (numbers++ === MOST_NUMBERS) break;
      NUMBER.lastIndex = at;
      // No JSON: to try each digit of a long one that ends in a letter would take hours.
      if (!NUMBER.test(json)) break;
      const text = json.slice(at, NUMBER.lastIndex);
      if (free > 0 ? isRewritten(text) : isChanged(text)) {
        marked += `${json.slice(copied, at)}"${MARK}${text}"`;
        copied = NUMBER.lastIndex;
      }
      at = NUMBER.lastIndex - 1;
    }
  }
  if (copied === 0) return json;
  hasMarked = true;
  return marked + json.slice(copied);
}

const isRewritten = (text: string): boolean => String(Number(text)) !== text;

const isChanged = (text: string): boolean =>
  (/^-?\d{16,}$/.test(text) && isRewritten(text)) || !Number.isFinite(Number(text));

/** With the backslashes of a text that it is in: looked for from the first of them alone, as a text may have millions. */
const MARKED = new RegExp(`(?<!\\\\)\\\\*"${MARK}([\\d.eE+-]+)\\\\*"`, "g");

/** Written JSON with the numbers in place of marked strings, also inside of strings that hold JSON themselves. */
export const withoutMarks = (json: string): string =>
  hasMarked && json.includes(MARK) ? json.replace(MARKED, "$1") : json;

/** `JSON.stringify`, with the numbers as they came. */
export const exactJson = (value: unknown): string => withoutMarks(JSON.stringify(value));

/** The text of a marked number; any other value itself. */
export const numberText = <Value>(value: Value | string): Value | string =>
  typeof value === "string" && value.startsWith(MARK) ? value.slice(MARK.length) : value;
