import { randomUUID } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { writeTextFile } from "./graded-options.js";

/** Writes a file of which readers find the old text or the new one, never a part. @throws CommandFailure when it cannot be written */
export async function replaceTextFile(path: string, text: string, option: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeTextFile(draft, text, option);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
