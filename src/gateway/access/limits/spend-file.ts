import { randomUUID } from "node:crypto";
import { appendFileSync, closeSync, fstatSync, openSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { StorageError } from "../../../foundation/errors.js";
import { faultName, type Log } from "../../../foundation/log.js";
import { makePrivateFolder } from "../../../foundation/private-folder.js";
import { SharedFile } from "../../../foundation/shared-file.js";
import { sumOf } from "./counters.js";
import type { SpendEntry } from "./period-spend.js";
import { periodAt, periodOf } from "./spend-period.js";

const NEWLINE = 10;

const fileSchema = z.object({
  version: z.literal(1),
  /** Period of the amounts that `periods` does not name. */
  month: z.string(),
  /** Account of a budget → its period. */
  periods: z.record(z.string(), z.string()).default({}),
  /** Principal → billionths of a US dollar. */
  spent_nano_usd: z.record(z.string(), z.unknown()),
  /** Amounts of other periods, which count on for a day, as lines of a journal are. */
  other_periods: z.array(z.tuple([z.string(), z.string(), z.int().nonnegative()])).default([]),
  /** What was found among them and is no amount. */
  put_aside: z.record(z.string(), z.unknown()).default({}),
  /** Name of a journal → bytes of it that are part of the amounts. */
  journals: z.record(z.string(), z.int().nonnegative()).default({}),
});

const amountSchema = z.int().nonnegative();
const entrySchema = z.tuple([z.string(), z.string(), z.int()]);

/**
 * `spend.json` in the data folder, and the journal beside it: what principals with a budget spent in its running period, and in
 * the one before (`PeriodSpend`). One server writes both, which has the folder to itself (`lockFolder`). Every change is a line
 * of the journal, which outlives a process that is killed; saving writes the amounts into `spend.json`, notes which journals are
 * part of them, and removes those.
 *
 * An amount that cannot be read is put aside, in the same file, and reported: its principal's budget starts again.
 */
export class SpendFile {
  readonly #file: SharedFile;
  readonly #log: Log;
  readonly #prefix: string;
  #putAside: { readonly month: string; readonly values: Record<string, unknown> } | undefined;
  #journal: { readonly name: string; readonly descriptor: number } | undefined;
  /** Journals that no more is written to → bytes of them that the amounts of `save` contain. */
  readonly #ended = new Map<string, number>();
  /** Whether there is anything that `save` did not write yet. */
  #isChanged = false;
  #isFailing = false;

  constructor(dataDir: string, { log }: { readonly log: Log }) {
    const path = join(dataDir, "spend.json");
    this.#file = new SharedFile(path);
    this.#prefix = `${basename(path)}.journal-`;
    this.#log = log;
  }

  /** The amounts that earlier processes left, saved or not, the latest last. To be called once. @throws StorageError */
  async read(nowMs: number): Promise<readonly SpendEntry[]> {
    const { text } = await this.#file.read();
    const { sums, journals } = this.#parse(text, nowMs);
    for (const name of await this.#journalNames()) {
      const content = await readFile(this.#pathOf(name)).catch(() => undefined);
      if (content === undefined) continue;
      const end = content.lastIndexOf(NEWLINE) + 1;
      this.#addLines(sums, { name, text: content.toString("utf8", journals[name] ?? 0, end) });
      this.#ended.set(name, Math.max(end, journals[name] ?? 0));
      this.#isChanged = true;
    }
    return [...sums.values()];
  }

  /**
   * Writes a line of the journal, before it returns; it is not flushed to disk (docs/decisions/0021-spend-journal.md). Never
   * throws: what cannot be written is saved with the amounts.
   */
  append({ period, principal, nanoUsd }: SpendEntry): void {
    this.#isChanged = true;
    try {
      this.#journal ??= this.#startJournal();
      appendFileSync(this.#journal.descriptor, `${JSON.stringify([period, principal, nanoUsd])}\n`);
      this.#isFailing = false;
    } catch (fault) {
      // Half a line must not stand before the next one.
      this.#endJournal();
      if (!this.#isFailing) {
        const details = { fault: faultName(fault), folder: dirname(this.#file.path) };
        this.#log.warn(details, "spending cannot be written to its journal: a crash would lose it");
      }
      this.#isFailing = true;
    }
  }

  /** Writes these amounts, in which everything appended so far is, if anything was. @throws StorageError */
  async save(amounts: readonly SpendEntry[], nowMs: number): Promise<void> {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    this.#endJournal();
    const ended = new Map(this.#ended);
    const text = this.#textOf(amounts, nowMs);
    try {
      await this.#file.update(() => text);
    } catch (fault) {
      this.#isChanged = true;
      throw fault;
    }
    for (const name of ended.keys()) {
      await rm(this.#pathOf(name), { force: true });
      this.#ended.delete(name);
    }
  }

  #startJournal() {
    makePrivateFolder(dirname(this.#file.path));
    const name = `${this.#prefix}${randomUUID()}`;
    return { name, descriptor: openSync(this.#pathOf(name), "ax", 0o600) };
  }

  #endJournal(): void {
    if (this.#journal === undefined) return;
    const { name, descriptor } = this.#journal;
    this.#journal = undefined;
    this.#ended.set(name, fstatSync(descriptor).size);
    closeSync(descriptor);
  }

  #pathOf(name: string): string {
    return join(dirname(this.#file.path), name);
  }

  async #journalNames(): Promise<readonly string[]> {
    const names = await readdir(dirname(this.#file.path)).catch(() => []);
    return names.filter((name) => name.startsWith(this.#prefix)).sort();
  }

  /** Sums below zero would be a gift on top of the budget: those of a principal whose amount was put aside. */
  #addLines(
    sums: Map<string, SpendEntry>,
    { name, text }: { readonly name: string; readonly text: string },
  ): void {
    for (const line of text.split("\n").filter((line) => line !== "")) {
      const entry = entryIn(line);
      if (entry === undefined) {
        const details = { file: this.#pathOf(name), line };
        this.#log.warn(details, "a line of a journal of spending is damaged and was left out");
      } else {
        const before = sums.get(sumId(entry))?.nanoUsd ?? 0;
        sums.set(sumId(entry), { ...entry, nanoUsd: Math.max(0, sumOf(before, entry.nanoUsd)) });
      }
    }
  }

  #parse(text: string | undefined, nowMs: number) {
    const sums = new Map<string, SpendEntry>();
    if (text === undefined) return { sums, journals: {} };
    try {
      const file = fileSchema.parse(JSON.parse(text));
      if (file.month === monthAt(nowMs)) this.#putAside = { month: file.month, values: file.put_aside };
      for (const [period, principal, nanoUsd] of file.other_periods)
        sums.set(sumId({ period, principal }), { period, principal, nanoUsd });
      for (const [principal, value] of Object.entries(file.spent_nano_usd)) {
        const period = file.periods[principal] ?? file.month;
        const { success, data: nanoUsd } = amountSchema.safeParse(value);
        if (success) sums.set(sumId({ period, principal }), { period, principal, nanoUsd });
        else if (isRunning({ period, principal }, nowMs)) {
          this.#putAside ??= { month: monthAt(nowMs), values: {} };
          this.#putAside.values[principal] = value;
          this.#isChanged = true;
          this.#log.warn(
            { file: this.#file.path, principal, value },
            "spending is no whole number of billionths of a dollar: it is put aside, and the budget starts again",
          );
        }
      }
      return { sums, journals: file.journals };
    } catch (cause) {
      throw new StorageError(
        `${this.#file.path} is not a readable file of spending. Restore it from a backup, or move it away to let all budgets start again.`,
        { cause },
      );
    }
  }

  #textOf(amounts: readonly SpendEntry[], nowMs: number): string {
    const month = monthAt(nowMs);
    const putAside = this.#putAside?.month === month ? this.#putAside.values : {};
    const running = amounts.filter((amount) => isRunning(amount, nowMs));
    const others = running.filter(({ period }) => period !== month);
    const over = amounts.filter((amount) => !isRunning(amount, nowMs));
    const file: z.input<typeof fileSchema> = {
      version: 1,
      month,
      spent_nano_usd: Object.fromEntries(
        running.map(({ principal, nanoUsd }) => [principal, Math.max(0, nanoUsd)]),
      ),
      ...(others.length > 0 && {
        periods: Object.fromEntries(others.map(({ principal, period }) => [principal, period])),
      }),
      ...(over.length > 0 && {
        other_periods: over.map(({ period, principal, nanoUsd }) => [
          period,
          principal,
          Math.max(0, nanoUsd),
        ]),
      }),
      ...(Object.keys(putAside).length > 0 && { put_aside: putAside }),
      ...(this.#ended.size > 0 && { journals: Object.fromEntries(this.#ended) }),
    };
    return `${JSON.stringify(file)}\n`;
  }
}

function entryIn(line: string): SpendEntry | undefined {
  try {
    const [period, principal, nanoUsd] = entrySchema.parse(JSON.parse(line));
    return { period, principal, nanoUsd };
  } catch {
    return undefined;
  }
}

const sumId = ({ period, principal }: Omit<SpendEntry, "nanoUsd">): string => `${period} ${principal}`;

const isRunning = ({ period, principal }: Omit<SpendEntry, "nanoUsd">, nowMs: number): boolean =>
  period === periodAt(principal, nowMs).name;

const monthAt = (nowMs: number): string => periodOf("month", "UTC", { nowMs }).name;
