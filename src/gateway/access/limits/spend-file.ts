import { join } from "node:path";
import { z } from "zod";
import type { Log } from "../../../foundation/log.js";
import { AccessFileError, SharedFile } from "../../../foundation/shared-file.js";
import { type NanoUsd, sumOf } from "./counters.js";
import { JournalFiles, partFrom, type SpendEntry } from "./journal-files.js";
import { SpendJournal } from "./spend-journal.js";

const fileSchema = z.object({
  version: z.literal(1),
  month: z.string(),
  /** Principal → billionths of a US dollar. */
  spent_nano_usd: z.record(z.string(), z.unknown()),
  /** What was found among them and is no amount. */
  put_aside: z.record(z.string(), z.unknown()).default({}),
  /** Name of a journal → bytes of it that are part of the amounts. */
  journals: z.record(z.string(), z.int().nonnegative()).default({}),
});

const amountSchema = z.int().nonnegative();

/** What the files say of one month. */
interface MonthState {
  readonly sums: Map<string, NanoUsd>;
  readonly putAside: Record<string, unknown>;
  readonly journals: Record<string, number>;
}

export interface SpendFileOptions {
  readonly log: Log;
  /** Milliseconds since the epoch, by the clock of the file system. */
  readonly now: () => number;
}

/**
 * `spend.json` in the data folder, and the journals beside it: what principals with a budget spent this month. Each process
 * writes a journal of its own; whoever saves moves what is in all of them into `spend.json`, which notes how far, so that
 * several processes on one folder, and processes that were killed, lose nothing of each other and nothing counts twice. A new
 * month replaces the one before.
 *
 * An amount that is none is put aside, in the same file, and reported: its principal's budget starts again, the others continue.
 */
export class SpendFile {
  readonly journal: SpendJournal;
  readonly #file: SharedFile;
  readonly #journals: JournalFiles;
  readonly #options: SpendFileOptions;
  readonly #reported = new Set<string>();

  constructor(dataDir: string, options: SpendFileOptions) {
    const path = join(dataDir, "spend.json");
    this.#file = new SharedFile(path);
    this.#journals = new JournalFiles(path);
    this.journal = new SpendJournal({ files: this.#journals, log: options.log });
    this.#options = options;
  }

  /**
   * The amounts of that month, saved or not, of all processes.
   *
   * @returns also whether there are journals, whose content should be saved soon
   * @throws AccessFileError
   */
  async read(month: string): Promise<{ sums: ReadonlyMap<string, NanoUsd>; hasJournals: boolean }> {
    try {
      // In this order: what is moved from the one to the other meanwhile is not read twice.
      const contents = await this.#journals.read();
      const state = this.#parse((await this.#file.read()).text, month);
      this.#addJournals(state, month, contents);
      return { sums: state.sums, hasJournals: contents.size > 0 };
    } catch (cause) {
      throw cause instanceof AccessFileError ? cause : this.#unreadable(cause);
    }
  }

  /**
   * Moves all journals into `spend.json`, but for the one that this process begins with the next entry.
   *
   * @returns the sums of that month @throws AccessFileError; then everything is as it was
   */
  async save(month: string): Promise<ReadonlyMap<string, NanoUsd>> {
    const unwritten = this.journal.end();
    let state: MonthState | undefined;
    try {
      await this.#file.update(async (text) => {
        const contents = await this.#journals.read();
        state = this.#parse(text, month);
        this.#addJournals(state, month, contents);
        addEntries(state.sums, month, unwritten);
        return textOf(state, month);
      });
    } catch (fault) {
      this.journal.putBack(unwritten);
      throw fault;
    }
    if (state === undefined) throw new Error("unreachable: update calls its argument");
    await this.journal.removeEnded();
    await this.#journals.removeAbandoned(Object.keys(state.journals), this.#options.now());
    return state.sums;
  }

  /** Adds what journals hold beyond what is known of them, and notes that it is known. */
  #addJournals(state: MonthState, month: string, contents: ReadonlyMap<string, Buffer>): void {
    for (const name of Object.keys(state.journals)) if (!contents.has(name)) delete state.journals[name];
    for (const [name, content] of contents) {
      if (name === this.journal.openName) continue;
      const { entries, damaged, end } = partFrom(content, state.journals[name] ?? 0);
      addEntries(state.sums, month, entries);
      for (const line of damaged)
        this.#report(
          { file: this.#journals.pathOf(name), line },
          "a line of a journal of spending is damaged and was left out",
        );
      state.journals[name] = end;
    }
  }

  #parse(text: string | undefined, month: string): MonthState {
    if (text === undefined) return { sums: new Map(), putAside: {}, journals: {} };
    try {
      const { journals, ...file } = fileSchema.parse(JSON.parse(text));
      return file.month === month
        ? { ...this.#amountsOf(file), journals }
        : { sums: new Map(), putAside: {}, journals };
    } catch (cause) {
      throw this.#unreadable(cause);
    }
  }

  #amountsOf({
    spent_nano_usd: spent,
    put_aside: putAside,
  }: Pick<z.infer<typeof fileSchema>, "spent_nano_usd" | "put_aside">): Omit<MonthState, "journals"> {
    const sums = new Map<string, NanoUsd>();
    for (const [principal, value] of Object.entries(spent)) {
      const { success, data } = amountSchema.safeParse(value);
      if (success) sums.set(principal, data);
      else {
        putAside[principal] = value;
        this.#report(
          { file: this.#file.path, principal, value },
          "spending is no whole number of billionths of a dollar: it is put aside, and the budget starts again",
        );
      }
    }
    return { sums, putAside };
  }

  /** Once, though it is found again until the file has been written. */
  #report(details: Readonly<Record<string, unknown>>, message: string): void {
    const key = JSON.stringify(details);
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#options.log.warn(details, message);
  }

  #unreadable(cause: unknown): AccessFileError {
    return new AccessFileError(
      `${this.#file.path} is not a readable file of spending. Restore it from a backup, or move it away to let all budgets of this month start again.`,
      { cause },
    );
  }
}

/** Sums below zero would be a gift on top of the budget: those of a principal whose amount was put aside. */
function addEntries(sums: Map<string, NanoUsd>, ofMonth: string, entries: readonly SpendEntry[]): void {
  for (const { month, principal, nanoUsd } of entries)
    if (month === ofMonth) sums.set(principal, Math.max(0, sumOf(sums.get(principal) ?? 0, nanoUsd)));
}

function textOf({ sums, putAside, journals }: MonthState, month: string): string {
  const file: z.input<typeof fileSchema> = {
    version: 1,
    month,
    spent_nano_usd: Object.fromEntries(sums),
    ...(Object.keys(putAside).length > 0 && { put_aside: putAside }),
    ...(Object.keys(journals).length > 0 && { journals }),
  };
  return `${JSON.stringify(file)}\n`;
}
