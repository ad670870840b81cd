import { randomUUID } from "node:crypto";
import { appendFileSync, closeSync, mkdirSync, openSync } from "node:fs";
import { faultName, type Log } from "../../../foundation/log.js";
import { sumOf } from "./counters.js";
import { type JournalFiles, lineOf, type SpendEntry } from "./journal-files.js";

export interface SpendJournalOptions {
  readonly files: JournalFiles;
  readonly log: Log;
}

interface OpenJournal {
  readonly name: string;
  readonly descriptor: number;
}

/**
 * What this process spent since it was last saved, line by line in a file, so that a process that is killed loses none of it.
 * A line is written when `append` returns; it is not flushed to disk (docs/decisions/0021-spend-journal.md).
 */
export class SpendJournal {
  readonly #options: SpendJournalOptions;
  #open: OpenJournal | undefined;
  #ended: string[] = [];
  #unwritten: readonly SpendEntry[] = [];
  #failing = false;

  constructor(options: SpendJournalOptions) {
    this.#options = options;
  }

  /** Never throws: what cannot be written is kept in memory for `end`. */
  append(entry: SpendEntry): void {
    try {
      this.#open ??= this.#begin();
      appendFileSync(this.#open.descriptor, lineOf(entry));
      this.#failing = false;
    } catch (fault) {
      this.#unwritten = withEntry(this.#unwritten, entry);
      // Half a line must not stand before the next one.
      this.#close();
      if (!this.#failing) {
        const details = { fault: faultName(fault), folder: this.#options.files.folder };
        this.#options.log.warn(details, "spending cannot be written to its journal: a crash would lose it");
      }
      this.#failing = true;
    }
  }

  /** Name of the file that is being written; undefined while there is none. */
  get openName(): string | undefined {
    return this.#open?.name;
  }

  /** Ends the file: what is appended from now on goes to another one. @returns what could not be written */
  end(): readonly SpendEntry[] {
    this.#close();
    const unwritten = this.#unwritten;
    this.#unwritten = [];
    return unwritten;
  }

  /** Takes back what `end` returned and could not be saved. */
  putBack(unwritten: readonly SpendEntry[]): void {
    for (const entry of unwritten) this.#unwritten = withEntry(this.#unwritten, entry);
  }

  /** Removes the files that were ended. To be called when all in them is saved. */
  async removeEnded(): Promise<void> {
    await this.#options.files.remove(this.#ended.splice(0));
  }

  #begin(): OpenJournal {
    const { files } = this.#options;
    mkdirSync(files.folder, { recursive: true, mode: 0o700 });
    const name = files.nameOf(randomUUID());
    return { name, descriptor: openSync(files.pathOf(name), "ax", 0o600) };
  }

  #close(): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    this.#ended.push(open.name);
    closeSync(open.descriptor);
  }
}

/** At most one entry for each principal and month. */
function withEntry(entries: readonly SpendEntry[], entry: SpendEntry): readonly SpendEntry[] {
  const isSame = ({ month, principal }: SpendEntry) => month === entry.month && principal === entry.principal;
  const before = entries.find(isSame)?.nanoUsd ?? 0;
  return [...entries.filter((other) => !isSame(other)), { ...entry, nanoUsd: sumOf(before, entry.nanoUsd) }];
}
