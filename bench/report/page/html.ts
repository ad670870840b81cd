import { escapeText } from "../legible.js";

/** Markup that is safe to be put into a page: made by `html` and `list` only. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = string | number | Markup | readonly Markup[];

/** A template whose every value is escaped, unless it is markup itself. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const filled = parts.map((part, index) => `${textOf(part)}${texts[index + 1] ?? ""}`);
  return new Markup(`${texts[0] ?? ""}${filled.join("")}`);
}

/** Markup that was made elsewhere, such as a chart. */
export const trusted = (text: string): Markup => new Markup(text);

export const nothing = new Markup("");

function textOf(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(({ text }) => text).join("\n");
  return escapeText(String(part));
}
