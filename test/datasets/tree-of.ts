import type { ImportedRow, Importer } from "../../datasets/imported-row.js";
import type { SourceTree } from "../../datasets/sources/source-tree.js";

/** A source in memory. */
export function treeOf(files: Readonly<Record<string, string | Buffer>>): SourceTree {
  return {
    paths: Object.keys(files).sort(),
    locate: () => null,
    read: async (path) => Buffer.from(files[path] ?? ""),
  };
}

export async function importAll(importer: Importer, tree: SourceTree): Promise<ImportedRow[]> {
  const rows: ImportedRow[] = [];
  for await (const row of importer(tree)) rows.push(row);
  return rows;
}
