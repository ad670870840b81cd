import Table from "cli-table3";
import type { Output } from "./context.js";
import { printableLine } from "./printable.js";

/** A drawn table on a terminal, padded columns elsewhere. */
export function tableFor(
  output: Output,
  { head, rows }: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] },
): string {
  if (output.isTTY !== true) return plainTable(head, rows);
  // Without colours: what is printed has no escapes.
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  table.push(...rows.map((row) => row.map(printableLine)));
  return table.toString();
}

/** Columns padded with spaces, without rules or colours: what a table is when its reader is a program or a file. */
export function plainTable(head: readonly string[], given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map(printableLine));
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
