import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";

/** SHA-256 (hex) over names and bytes of files, in the order of their names. */
export async function checksumOfFiles(files: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of files.toSorted()) {
    const bytes = await readFile(file);
    hash.update(`${basename(file)} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}
