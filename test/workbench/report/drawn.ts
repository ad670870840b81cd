/** What a drawn element of a report holds. */
import type { Element } from "../../../src/workbench/report/element.js";

/** The element and all within it. */
export const all = (element: Element): Element[] => [
  element,
  ...element.content.flatMap((part) => (typeof part === "string" ? [] : all(part))),
];

export const textOf = ({ content }: Element): string =>
  content.map((part) => (typeof part === "string" ? part : textOf(part))).join("");

export const ofClass = (elements: readonly Element[], name: RegExp): Element[] =>
  elements.filter(({ attributes }) => name.test(String(attributes.class)));
