interface Saved<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly {
    readonly values?: readonly { readonly name: string; readonly of: (row: Row) => number | string | null }[];
  }[];
}

/** The values of a table as CSV (RFC 4180): a line of their names, then one for each row; nothing for null. */
export function csvOf<Row>({ rows, columns }: Saved<Row>): string {
  const values = columns.flatMap((column) => column.values ?? []);
  const lines = [values.map(({ name }) => name), ...rows.map((row) => values.map(({ of }) => of(row)))];
  return lines.map((line) => `${line.map(csvField).join(",")}\r\n`).join("");
}

/** What a spreadsheet would take for a formula gets an apostrophe: names come from anybody. */
function csvField(value: number | string | null): string {
  if (typeof value !== "string") return String(value ?? "");
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
