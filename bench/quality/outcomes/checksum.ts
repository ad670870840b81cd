import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";

/** SHA-256 (hex) over names and bytes of files, in the order of their names. */
export async function checksumOfFiles(files: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of files.toSorted()) {
    const bytes = await readFile(file);
    hash.update(`${basename(file)} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}

/** SHA-256 (hex) over all TypeScript files below some folders: what figures were computed by. */
export async function checksumOfSources(folders: readonly string[]): Promise<string> {
  const files: string[] = [];
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true });
    files.push(...entries.filter((entry) => entry.endsWith(".ts")).map((entry) => join(folder, entry)));
  }
  return checksumOfFiles(files);
}
