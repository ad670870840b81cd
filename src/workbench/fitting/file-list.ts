import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "../../engine/profiles/manifest.js";

/** The files of a set as they are written, with the checksums the manifest lists. */
export class FileList {
  readonly entries: Manifest["files"] = [];
  constructor(readonly folder: string) {}

  async write(path: string, bytes: Uint8Array): Promise<string> {
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    await writeFile(join(this.folder, path), bytes);
    const entry = { path, bytes: bytes.length, sha256 };
    const index = this.entries.findIndex((listed) => listed.path === path);
    if (index < 0) this.entries.push(entry);
    else this.entries[index] = entry;
    return sha256;
  }

  sha256Of(path: string): string {
    return this.entries.find((entry) => entry.path === path)?.sha256 ?? "";
  }
}
