import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** SHA-256 over the bytes of a folder's prompts and outcomes, in the order of their names: what a result says of its data. */
export async function checksumOfOutcomes(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => /^(prompts|outcomes)/.test(name)).sort();
  const hash = createHash("sha256");
  for (const name of names) hash.update(await readFile(join(folder, name)));
  return hash.digest("hex");
}
