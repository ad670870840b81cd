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
