import Table from "cli-table3";
import type { Output } from "./context.js";
import { plainTable } from "./plain-table.js";
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
