/**
 * What a spreadsheet takes for a formula, where it may begin a cell. OWASP lists the signs, with their full-width forms, and that a
 * separator within a text begins a cell too (github.com/OWASP/www-community, pages/attacks/CSV_Injection.md and issues/1088,
 * 2026-11-28). Quotes are no help there: Excel splits at the list separator of the country, which is a semicolon where decimals
 * have a comma (learn.microsoft.com/power-automate/desktop-flows/how-to/convert-csv-excel, 2021-06-08), and then reads quotes and
 * line breaks after a comma as they are (a guess). Blanks and quotes before a sign are skipped, as some programs do.
 */
const FORMULA = /[=+\-@＝＋－＠](?<=(?:^|[;\t\r\n])["\s\0]*.)/g;

/** A line of CSV (RFC 4180) with its end: nothing for null, and in texts an apostrophe before what may begin a formula. */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map(csvCell).join(",")}\r\n`;

function csvCell(value: string | number | null): string {
  if (typeof value !== "string") return String(value ?? "");
  const text = value.replace(FORMULA, "'$&");
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
