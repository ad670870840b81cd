import { rename, rm, writeFile } from "node:fs/promises";

/** Replaces a file atomically: readers find the old content or the new one, never a part. @param mode of the file */
export async function replaceFile(path: string, content: Uint8Array | string, mode = 0o666): Promise<void> {
  const draft = `${path}.draft`;
  try {
    await writeFile(draft, content, { mode, flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
