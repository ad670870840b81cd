import { shortened } from "./bounded-text.js";
import { isNestedTooDeeply, MAX_NESTING } from "./nesting.js";

/** Without the mark that some editors begin a file with. */
export const withoutByteOrderMark = (text: string): string => text.replace(/^\ufeff/, "");

/** A text, with the colon where it is a name; or where an object begins or ends. */
const TOKENS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/g;

/**
 * Reads JSON that a person wrote.
 *
 * @throws SyntaxError also where an object has a name twice, of which `JSON.parse` would use the last without a word, and
 *   for more than `MAX_NESTING` levels
 */
export function parseWrittenJson(written: string): unknown {
  const text = withoutByteOrderMark(written);
  if (isNestedTooDeeply(text)) throw new SyntaxError(`more than ${MAX_NESTING} levels of lists and objects`);
  const value = parsed(text);
  const open: Set<string>[] = [];
  for (const { 0: token, 1: name = "", 2: colon, index } of text.matchAll(TOKENS)) {
    if (token === "{") open.push(new Set());
    else if (token === "}") open.pop();
    else if (colon !== undefined) {
      const [names, read] = [open.at(-1), String(JSON.parse(name))];
      if (names?.has(read)) {
        const line = text.slice(0, index).split("\n").length;
        throw new SyntaxError(
          `${JSON.stringify(shortened(read))} stands twice in one object, again in line ${line}`,
        );
      }
      names?.add(read);
    }
  }
  return value;
}

/** As `JSON.parse`, whose words for a fault may quote ten characters on both sides of it: they may be of a secret. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (fault) {
    const { message } = fault as SyntaxError;
    const [, what, quoted = ""] =
      /^(.+?), (?:\.{3})?"(.*)"(?:\.{3})? is not valid JSON$/s.exec(message) ?? [];
    if (what === undefined) throw fault;
    const before = text.slice(0, text.indexOf(quoted) + 10);
    throw new SyntaxError(`${what} in line ${before.split("\n").length}`);
  }
}
