import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
} from "jsonc-parser";

/** `jsonc` is JSON with comments and commas at the end of lists. */
export type JsonFormat = "json" | "jsonc";

/** Names of members and indexes of entries of lists, from the outside in. */
export type Path = readonly (string | number)[];

/** Settings as text, of which single members are changed: comments, and with JSON the form of the rest, stay. */
export interface EditableText {
  /** Undefined where there is no such member. */
  valueAt(path: Path): unknown;
  /** A value of undefined removes the member. An entry at the length of its list is added. */
  set(path: Path, value: unknown): void;
  toString(): string;
}

/** @param text undefined for a file that is not there. @returns null for a text that is not an object in that format */
export function editableJson(text: string | undefined, format: JsonFormat): EditableText | null {
  if (text === undefined) return jsonText("{}\n");
  return isObject(text, format) ? jsonText(text) : null;
}

function isObject(text: string, format: JsonFormat): boolean {
  const errors: ParseError[] = [];
  const disallowComments = format === "json";
  const value = parse(text, errors, { allowTrailingComma: !disallowComments, disallowComments });
  return errors.length === 0 && typeof value === "object" && value !== null && !Array.isArray(value);
}

function jsonText(before: string): EditableText {
  let text = before;
  const indent = /\n([ \t]+)\S/.exec(before)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.length,
    eol: before.includes("\r\n") ? "\r\n" : "\n",
  };
  const nodeAt = (path: Path) => {
    const root = parseTree(text);
    return root && findNodeAtLocation(root, [...path]);
  };
  const valueAt = (path: Path) => {
    const node = nodeAt(path);
    return node && getNodeValue(node);
  };
  /** Without an entry after others: jsonc-parser's own removal takes what follows the last one along. */
  const withoutEntry = (entry: Node, previous: Node): string =>
    text.slice(0, previous.offset + previous.length) + text.slice(entry.offset + entry.length);
  return {
    valueAt,
    set(path, value) {
      const node = nodeAt(path);
      if (value === undefined && node === undefined) return;
      const previous = nodeAt([...path.slice(0, -1), Number(path.at(-1)) - 1]);
      text =
        value === undefined && node && previous
          ? withoutEntry(node, previous)
          : applyEdits(text, modify(text, [...path], value, { formattingOptions }));
    },
    toString: () => text,
  };
}
