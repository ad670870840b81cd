import { csvLine } from "../../foundation/csv.js";

interface Saved<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly {
    readonly values?: readonly { readonly name: string; readonly of: (row: Row) => number | string | null }[];
  }[];
}

/** The values of a table as CSV: a line of their names, then one for each row. */
export function csvOf<Row>({ rows, columns }: Saved<Row>): string {
  const values = columns.flatMap((column) => column.values ?? []);
  const lines = [values.map(({ name }) => name), ...rows.map((row) => values.map(({ of }) => of(row)))];
  return lines.map(csvLine).join("");
}
