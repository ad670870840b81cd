import { readdir, readFile, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { NanoUsd } from "./counters.js";

const NEWLINE = 10;

/** A journal that has not changed for so long is that of a process that is gone: a living one begins another with each save. */
const ABANDONED_MS = 600_000;

/** A change of what one principal has spent: what it reserved, or the difference when that was settled. */
export interface SpendEntry {
  /** `2026-01` */
  readonly month: string;
  readonly principal: string;
  readonly nanoUsd: NanoUsd;
}

/** What a journal holds beyond what is known of it. */
interface JournalPart {
  readonly entries: readonly SpendEntry[];
  /** Lines that are no entries. */
  readonly damaged: readonly string[];
  /** Bytes up to here are known now: whole lines. */
  readonly end: number;
}

/** The journals beside a file of spending, of all processes: `spend.json.journal-<uuid>`. */
export class JournalFiles {
  readonly folder: string;
  readonly #prefix: string;

  /** @param path of the file of spending */
  constructor(path: string) {
    this.folder = dirname(path);
    this.#prefix = `${basename(path)}.journal-`;
  }

  nameOf(id: string): string {
    return `${this.#prefix}${id}`;
  }

  pathOf(name: string): string {
    return join(this.folder, name);
  }

  /** All of them, by name. */
  async read(): Promise<ReadonlyMap<string, Buffer>> {
    const names = await readdir(this.folder).catch(() => []);
    const contents = new Map<string, Buffer>();
    for (const name of names.filter((name) => name.startsWith(this.#prefix)).sort()) {
      // Saved and removed by another process meanwhile.
      const content = await readFile(this.pathOf(name)).catch(() => undefined);
      if (content !== undefined) contents.set(name, content);
    }
    return contents;
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(this.pathOf(name), { force: true });
  }

  /** Removes those of them that no process writes any more. To be called when all in them is saved. */
  async removeAbandoned(names: readonly string[], nowMs: number): Promise<void> {
    for (const name of names) {
      const found = await stat(this.pathOf(name)).catch(() => undefined);
      if (found !== undefined && nowMs - found.mtimeMs > ABANDONED_MS) await this.remove([name]);
    }
  }
}

/** One line of a journal. */
export const lineOf = ({ month, principal, nanoUsd }: SpendEntry): string =>
  `${JSON.stringify([month, principal, nanoUsd])}\n`;

/** The whole lines of a journal from a byte on. What a crash left of a last line is not among them. */
export function partFrom(content: Buffer, from: number): JournalPart {
  const end = Math.max(from, content.lastIndexOf(NEWLINE) + 1);
  const entries: SpendEntry[] = [];
  const damaged: string[] = [];
  for (const line of content.toString("utf8", from, end).split("\n")) {
    if (line === "") continue;
    const entry = entryOf(line);
    if (entry === undefined) damaged.push(line);
    else entries.push(entry);
  }
  return { entries, damaged, end };
}

function entryOf(line: string): SpendEntry | undefined {
  try {
    const [month, principal, nanoUsd]: unknown[] = JSON.parse(line);
    const isEntry =
      typeof month === "string" && typeof principal === "string" && Number.isSafeInteger(nanoUsd);
    return isEntry ? { month, principal, nanoUsd: Number(nanoUsd) } : undefined;
  } catch {
    return undefined;
  }
}
