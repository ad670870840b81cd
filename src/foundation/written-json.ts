import { shortened } from "./bounded-text.js";
import { isNestedTooDeeply, MAX_NESTING } from "./nesting.js";

/** Without the mark that some editors begin a file with. */
export const withoutByteOrderMark = (text: string): string => text.replace(/^\ufeff/, "");

/** A text, with the colon where it is a name; or where an object begins or ends. */
const TOKENS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/g;

/**
 * Reads JSON that a person wrote. Refused are also more than `MAX_NESTING` levels, and an object with a name twice, of which
 * `JSON.parse` would use the last without a word.
 *
 * @param read gives the text @param refusal makes what is thrown, of what is wrong
 */
export function parseWrittenJson(read: () => string, refusal: (detail: string) => Error): unknown {
  let [text, value]: [string, unknown] = ["", undefined];
  try {
    text = withoutByteOrderMark(read());
    if (isNestedTooDeeply(text)) throw new Error(`more than ${MAX_NESTING} levels of lists and objects`);
    value = parsed(text);
  } catch (fault) {
    throw refusal((fault as Error).message);
  }
  const open: Set<string>[] = [];
  for (const { 0: token, 1: name = "", 2: colon, index } of text.matchAll(TOKENS)) {
    if (token === "{") open.push(new Set());
    else if (token === "}") open.pop();
    else if (colon !== undefined) {
      const [names, member] = [open.at(-1), String(JSON.parse(name))];
      if (names?.has(member))
        throw refusal(`${JSON.stringify(shortened(member))} appears twice, on line ${lineAt(text, index)}`);
      names?.add(member);
    }
  }
  return value;
}

const lineAt = (text: string, at: number): number => text.slice(0, at).split("\n").length;

/** As `JSON.parse`, whose words for a fault may quote ten characters on both sides of it: they may be of a secret. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (fault) {
    const { message } = fault as SyntaxError;
    const [, what, quoted = ""] =
      /^(.+?), (?:\.{3})?"(.*)"(?:\.{3})? is not valid JSON$/s.exec(message) ?? [];
    if (what === undefined) throw fault;
    throw new SyntaxError(`${what} in line ${lineAt(text, text.indexOf(quoted) + 10)}`);
  }
}
