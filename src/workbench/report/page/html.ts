import type { Element } from "../element.js";

/** Text of a page, with everything that markup would read as markup escaped. */
export function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** JSON that a script element may contain. */
export const jsonInScript = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");

/** An element as HTML. */
export function htmlOf({ tag, attributes, content }: Element): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(String(value))}"`);
  const inner = content.map((part) => (typeof part === "string" ? escaped(part) : htmlOf(part)));
  return `<${tag}${written.join("")}>${inner.join("")}</${tag}>`;
}
