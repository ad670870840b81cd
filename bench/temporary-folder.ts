import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder that whoever asks for it removes; an interrupted run, whose gigabytes would stay, does so itself. */
export async function temporaryFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  process.once("SIGINT", () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(130);
  });
  return folder;
}
