import { readFile, writeFile } from "node:fs/promises";
import { z } from "zod";
import type { RegisteredFile } from "./registry.js";

const checksums = z.record(z.string(), z.string());

/**
 * Checksums of files whose registry entry has none, taken when a file was first had and trusted from then on: that says
 * that it did not change since, not that it was right then. Kept in `datasets/checksums.json`, by set and name.
 */
export class KnownChecksums {
  private constructor(
    private readonly path: string,
    private readonly known: Record<string, string>,
  ) {}

  static async open(path: string): Promise<KnownChecksums> {
    let text: string;
    try {
      text = await readFile(path, "utf8");
    } catch {
      return new KnownChecksums(path, {});
    }
    return new KnownChecksums(path, checksums.parse(JSON.parse(text)));
  }

  /**
   * @returns how the checksum compares: `registered` and `known` are equal to what is written down, `recorded` is new
   * @throws Error naming both sides when it differs
   */
  async check(
    { set, file }: { readonly set: string; readonly file: RegisteredFile },
    found: string,
  ): Promise<"registered" | "known" | "recorded"> {
    const key = `${set}/${file.name}`;
    const expected = file.sha256 ?? this.known[key];
    if (expected === found) return file.sha256 === null ? "known" : "registered";
    if (expected !== undefined) {
      throw new Error(
        `${key} has SHA-256 ${found}, but ${file.sha256 === null ? "was first seen with" : "the registry says"} ${expected}. ` +
          "It changed at its source or was damaged on the way: remove it and fetch it again; if it is right, mend datasets/" +
          `${file.sha256 === null ? "checksums.json" : "registry.json"}.`,
      );
    }
    this.known[key] = found;
    const sorted = Object.fromEntries(Object.entries(this.known).sort(([a], [b]) => (a < b ? -1 : 1)));
    await writeFile(this.path, `${JSON.stringify(sorted, null, 2)}\n`);
    return "recorded";
  }
}
