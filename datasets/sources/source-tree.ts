import { readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";

/** Files of a published set, whether they lie in a folder or in an archive. */
export interface SourceTree {
  /** Paths with `/` between folders, from the root of the tree, sorted. */
  readonly paths: readonly string[];
  /** @throws when there is no such file */
  read(path: string): Promise<Buffer>;
  /** A path on disk, for readers that need one; null for files within an archive. */
  locate(path: string): string | null;
}

export async function openFolder(folder: string): Promise<SourceTree> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((path) => path.split(sep).join("/"))
    .sort();
  const locate = (path: string): string => join(folder, ...path.split("/"));
  return { paths, locate, read: (path) => readFile(locate(path)) };
}

/** Several trees as one; of equal paths the first counts. */
export function joinTrees(trees: readonly SourceTree[]): SourceTree {
  const owners = new Map<string, SourceTree>();
  for (const tree of trees) {
    for (const path of tree.paths) if (!owners.has(path)) owners.set(path, tree);
  }
  const ownerOf = (path: string): SourceTree => {
    const owner = owners.get(path);
    if (owner === undefined) throw new Error(`there is no file ${path} in the source`);
    return owner;
  };
  return {
    paths: [...owners.keys()].sort(),
    read: (path) => ownerOf(path).read(path),
    locate: (path) => ownerOf(path).locate(path),
  };
}
