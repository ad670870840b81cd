/** An element of HTML or SVG: what charts are drawn with, for a page that is written as text and for the console alike. */

export interface Element {
  readonly tag: string;
  readonly attributes: Attributes;
  readonly content: readonly (Element | string)[];
}

type Attributes = Readonly<Record<string, string | number>>;

/** What an element may hold; null and lists in lists are left out and flattened. */
export type Content = Element | string | null | readonly Content[];

export function element(tag: string, attributes: Attributes, ...content: readonly Content[]): Element {
  return { tag, attributes, content: flattened(content) };
}

function flattened(content: readonly Content[]): (Element | string)[] {
  return content.flatMap((part) =>
    part === null ? [] : typeof part === "string" || "tag" in part ? [part] : flattened(part),
  );
}

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
