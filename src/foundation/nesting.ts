/**
 * Levels of lists and objects that JSON of callers and providers may have. Much of what handles a value calls itself once a level, so that thousands
 * of them overflow the stack; schemas of tools, which nest deepest, have some tens.
 */
export const MAX_NESTING = 256;

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
export const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Whether JSON has more levels than `MAX_NESTING`; the answer for a text that is not JSON means nothing. About 1 ns a character outside of strings. */
export const isNestedTooDeeply = (json: string): boolean =>
  shapeFault(json, { maxValues: Number.POSITIVE_INFINITY }) === "deep";

/**
 * What is wrong with the shape of JSON: more levels than `MAX_NESTING`, or more values than `maxValues`, at least 512: texts, names of
 * members among them, lists and objects, but not numbers, which cost little. As `isNestedTooDeeply`, and found before anything is read.
 */
export function shapeFault(
  json: string,
  { maxValues }: { readonly maxValues: number },
): "deep" | "wide" | undefined {
  // Every level takes two characters, and so does every value.
  if (json.length <= 2 * MAX_NESTING) return undefined;
  let level = 0;
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfString(json, at);
      values += 1;
    } else if (unit === OPEN_LIST || unit === OPEN_OBJECT) {
      level += 1;
      values += 1;
      if (level > MAX_NESTING) return "deep";
    } else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) level -= 1;
    if (values > maxValues) return "wide";
  }
  return undefined;
}

/** Position of the quote that ends the string that begins at `start`; the end of the text when none does. */
export function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
