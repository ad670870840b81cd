import { parseDocument } from "yaml";
import type { EditableText } from "./editable-text.js";

/** @param text undefined for a file that is not there. @returns null for a text that cannot be read */
export function editableYaml(text = ""): EditableText | null {
  const document = parseDocument(text);
  if (document.errors.length > 0) return null;
  return {
    valueAt: (path) => document.getIn(path),
    set(path, value) {
      if (value !== undefined) document.setIn(path, value);
      else if (document.hasIn(path)) document.deleteIn(path);
    },
    toString: () => document.toString(),
  };
}
