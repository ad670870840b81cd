import { join } from "node:path";
import { z } from "zod";
import { AccessFileError, SharedFile } from "../../foundation/shared-file.js";
import type { NanoUsd } from "./counters.js";
import type { MonthAmounts } from "./monthly-spend.js";

const fileSchema = z.object({
  version: z.literal(1),
  month: z.string(),
  /** Principal → billionths of a US dollar. */
  spent_nano_usd: z.record(z.string(), z.int()),
});

/**
 * `spend.json` in the data folder: what principals with a budget spent this month. Writers add to what is there, so that
 * several processes on one folder, such as the old and the new one of a restart, lose nothing of each other. A new month
 * replaces the one before.
 */
export class SpendFile {
  readonly #file: SharedFile;

  constructor(dataDir: string) {
    this.#file = new SharedFile(join(dataDir, "spend.json"));
  }

  /** @returns the amounts of that month; none when the file is of another. @throws AccessFileError */
  async read(month: string): Promise<ReadonlyMap<string, NanoUsd>> {
    try {
      return this.#parse((await this.#file.read()).text, month);
    } catch (cause) {
      throw cause instanceof AccessFileError ? cause : this.#unreadable(cause);
    }
  }

  /** @returns the sums of that month. @throws AccessFileError; then nothing was added */
  async add({ month, amounts }: MonthAmounts): Promise<ReadonlyMap<string, NanoUsd>> {
    let sums = new Map<string, NanoUsd>();
    await this.#file.update((text) => {
      sums = this.#parse(text, month);
      for (const [principal, amount] of amounts) sums.set(principal, (sums.get(principal) ?? 0) + amount);
      return `${JSON.stringify({ version: 1, month, spent_nano_usd: Object.fromEntries(sums) })}\n`;
    });
    return sums;
  }

  #parse(text: string | undefined, month: string): Map<string, NanoUsd> {
    if (text === undefined) return new Map();
    try {
      const file = fileSchema.parse(JSON.parse(text));
      return new Map(file.month === month ? Object.entries(file.spent_nano_usd) : []);
    } catch (cause) {
      throw this.#unreadable(cause);
    }
  }

  #unreadable(cause: unknown): AccessFileError {
    return new AccessFileError(
      `${this.#file.path} is not a readable file of spending. Restore it from a backup, or move it away to let all budgets of this month start again.`,
      { cause },
    );
  }
}
