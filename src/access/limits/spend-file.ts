import { join } from "node:path";
import { z } from "zod";
import { AccessFileError, SharedFile } from "../../foundation/shared-file.js";
import type { AccessLog } from "../access-log.js";
import { type NanoUsd, sumOf } from "./counters.js";
import type { MonthAmounts } from "./monthly-spend.js";

const fileSchema = z.object({
  version: z.literal(1),
  month: z.string(),
  /** Principal → billionths of a US dollar. */
  spent_nano_usd: z.record(z.string(), z.unknown()),
  /** What was found among them and is no amount. */
  put_aside: z.record(z.string(), z.unknown()).default({}),
});

const amountSchema = z.int().nonnegative();

/** What a file says of one month. */
interface Month {
  readonly sums: Map<string, NanoUsd>;
  readonly putAside: Record<string, unknown>;
}

/**
 * `spend.json` in the data folder: what principals with a budget spent this month. Writers add to what is there, so that
 * several processes on one folder, such as the old and the new one of a restart, lose nothing of each other. A new month
 * replaces the one before.
 *
 * An amount that is none is put aside, in the same file, and reported: its principal's budget starts again, the others continue.
 */
export class SpendFile {
  readonly #file: SharedFile;
  readonly #log: AccessLog;
  readonly #reported = new Set<string>();

  constructor(dataDir: string, { log }: { readonly log: AccessLog }) {
    this.#file = new SharedFile(join(dataDir, "spend.json"));
    this.#log = log;
  }

  /** @returns the amounts of that month; none when the file is of another. @throws AccessFileError */
  async read(month: string): Promise<ReadonlyMap<string, NanoUsd>> {
    try {
      return this.#parse((await this.#file.read()).text, month).sums;
    } catch (cause) {
      throw cause instanceof AccessFileError ? cause : this.#unreadable(cause);
    }
  }

  /** @returns the sums of that month. @throws AccessFileError; then nothing was added */
  async add({ month, amounts }: MonthAmounts): Promise<ReadonlyMap<string, NanoUsd>> {
    let sums = new Map<string, NanoUsd>();
    await this.#file.update((text) => {
      const found = this.#parse(text, month);
      sums = found.sums;
      for (const [principal, amount] of amounts) sums.set(principal, sumOf(sums.get(principal) ?? 0, amount));
      const putAside = Object.keys(found.putAside).length === 0 ? {} : { put_aside: found.putAside };
      return `${JSON.stringify({ version: 1, month, spent_nano_usd: Object.fromEntries(sums), ...putAside })}\n`;
    });
    return sums;
  }

  #parse(text: string | undefined, month: string): Month {
    if (text === undefined) return { sums: new Map(), putAside: {} };
    try {
      const file = fileSchema.parse(JSON.parse(text));
      return file.month === month ? this.#monthOf(file) : { sums: new Map(), putAside: {} };
    } catch (cause) {
      throw this.#unreadable(cause);
    }
  }

  #monthOf({ spent_nano_usd: spent, put_aside: putAside }: z.infer<typeof fileSchema>): Month {
    const sums = new Map<string, NanoUsd>();
    for (const [principal, value] of Object.entries(spent)) {
      const { success, data } = amountSchema.safeParse(value);
      if (success) sums.set(principal, data);
      else {
        putAside[principal] = value;
        this.#report(principal, value);
      }
    }
    return { sums, putAside };
  }

  /** Once, though it is found again until the file has been written. */
  #report(principal: string, value: unknown): void {
    if (this.#reported.has(principal)) return;
    this.#reported.add(principal);
    this.#log.warn(
      { file: this.#file.path, principal, value },
      "spending is no whole number of billionths of a dollar: it is put aside, and the budget starts again",
    );
  }

  #unreadable(cause: unknown): AccessFileError {
    return new AccessFileError(
      `${this.#file.path} is not a readable file of spending. Restore it from a backup, or move it away to let all budgets of this month start again.`,
      { cause },
    );
  }
}
