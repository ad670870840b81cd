import { type Content, type Element, element } from "./element.js";

/** A part of the report with its heading. */
export const section = (id: string, title: string, ...content: readonly Content[]): Element =>
  element(
    "section",
    { class: "part", "aria-labelledby": `${id}-title` },
    element("h2", { id: `${id}-title` }, title),
    content,
  );

export const note = (...content: readonly Content[]): Element => element("p", { class: "note" }, content);

interface TableOptions {
  /** What it shows, for screen readers. */
  readonly label: string;
  readonly kind?: string;
  readonly head: readonly Element[];
  readonly rows: readonly Element[];
}

/**
 * A table that scrolls by itself where it does not fit, with a shadow at each side where there is more; in a narrow column each row
 * is a card, its cells under the names of their columns.
 */
export const table = ({ label, kind, head, rows }: TableOptions): Element =>
  element(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    element(
      "table",
      { class: kind === undefined ? "rows" : `rows ${kind}` },
      element("thead", {}, element("tr", {}, head)),
      element(
        "tbody",
        {},
        rows.map((row) => withLabels(row, head.map(elementText))),
      ),
    ),
  );

/** Cells across several columns have no name. */
const withLabels = (row: Element, names: readonly string[]): Element => ({
  ...row,
  content: row.content.map((part, column) =>
    typeof part === "string" || part.tag !== "td" || part.attributes.colspan !== undefined
      ? part
      : { ...part, attributes: { ...part.attributes, "data-label": names[column] ?? "" } },
  ),
});

const elementText = ({ content }: Element): string =>
  content.map((part) => (typeof part === "string" ? part : elementText(part))).join("");

export const columnHead = (title: string, kind?: "number"): Element =>
  element("th", kind === undefined ? { scope: "col" } : { scope: "col", class: kind }, title);

export const rowHead = (...content: readonly Content[]): Element => element("th", { scope: "row" }, content);

/** A row that has no figures, and says why. */
export const emptyRow = (
  name: string,
  { columns, none }: { readonly columns: number; readonly none: string },
): Element => element("tr", {}, rowHead(name), element("td", { colspan: columns, class: "muted" }, none));

export const cell = (content: Content, kind?: "number"): Element =>
  element("td", kind === undefined ? {} : { class: kind }, content);
