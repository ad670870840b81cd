import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The files of a folder and of the folders in it, each as its path in the folder and its bytes, in order. */
export const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => `${path.slice(folder.length)} ${readFileSync(path, "base64")}`);
