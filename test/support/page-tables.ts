import { readFileSync } from "node:fs";

/** The line before a table of a page, or the head of the table → its rows. */
export type PageTables = Readonly<Record<string, readonly string[]>>;

/**
 * A page as it should be: its prose is written there, its tables are made of the code.
 *
 * @throws Error when the page lacks the line
 */
export function withTables(page: URL, tables: PageTables): string {
  let text = readFileSync(page, "utf8");
  for (const [before, rows] of Object.entries(tables)) {
    const start = text.indexOf(`\n${before}\n`);
    if (start < 0)
      throw new Error(`${page.pathname} needs the line "${before}", and the head of a table after it.`);
    const head = text.indexOf("\n|--", start);
    const from = text.indexOf("\n", head + 1) + 1;
    const more = /^(\|.*\n)*/.exec(text.slice(from))?.[0] ?? "";
    text = text.slice(0, from) + rows.map((row) => `${row}\n`).join("") + text.slice(from + more.length);
  }
  return text;
}
