import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { folderForTest } from "../../support/folders.js";

/** A folder that is gone after the test, holding `files` by name. */
export async function folderWith(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = folderForTest();
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

export async function collectAll<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
