const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
};

/**
 * The strings of a list as Python prints it (`['a', "it's"]`), or null when the text is no such list. RouterBench stores
 * prompts so: a list of turns.
 */
export function parsePythonStrings(text: string): string[] | null {
  const strings: string[] = [];
  const trimmed = text.trim();
  if (!trimmed.startsWith("[") || !trimmed.endsWith("]")) return null;
  let at = 1;
  while (at < trimmed.length - 1) {
    const mark = trimmed[at] as string;
    if (mark === "," || /\s/.test(mark)) {
      at += 1;
      continue;
    }
    if (mark !== "'" && mark !== '"') return null;
    const found = readString(trimmed, at);
    if (found === null) return null;
    strings.push(found.value);
    at = found.end;
  }
  return strings;
}

function readString(text: string, start: number): { readonly value: string; readonly end: number } | null {
  const quote = text[start];
  let value = "";
  for (let at = start + 1; at < text.length; at++) {
    const mark = text[at] as string;
    if (mark === quote) return { value, end: at + 1 };
    if (mark !== "\\") {
      value += mark;
      continue;
    }
    const code = /^\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))/i.exec(text.slice(at, at + 10));
    if (code === null) {
      at += 1;
      value += ESCAPES[text[at] ?? ""] ?? `\\${text[at] ?? ""}`;
    } else {
      value += String.fromCodePoint(Number.parseInt(code[1] ?? code[2] ?? code[3] ?? "", 16));
      at += code[0].length - 1;
    }
  }
  return null;
}
