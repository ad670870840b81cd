import { z } from "zod";
import { faultName, type Log } from "../../foundation/log.js";
import type { Cancel, Timers } from "../../foundation/timers.js";
import type { CorrectionTable, LengthObservation } from "./length-corrections.js";
import { LengthRatios } from "./length-ratios.js";

/** Time from the first answer that is not saved until it is, in milliseconds. */
const SAVE_MS = 5_000;

const RELEARNING =
  "the profile files changed: answer lengths that were learned with the old ones are forgotten, and learned anew";

const ENTRY = { kind: "lengths", key: "all" };

const storedSchema = z.object({
  /** Of the profile files by which the lengths were expected. */
  profileVersion: z.string(),
  /** The one that answered longest ago first. */
  models: z.array(
    z.tuple([
      z.string(),
      z.object({
        answers: z.int().positive(),
        expectedTokens: z.number().positive(),
        actualTokens: z.number().positive(),
      }),
    ]),
  ),
});

/** Where they are kept. Methods reject when it cannot be read or written. */
interface LengthsStore {
  get(entry: typeof ENTRY): Promise<string | undefined>;
  put(entry: typeof ENTRY, value: string): Promise<void>;
}

export interface SavedLengthsOptions {
  readonly store: LengthsStore;
  readonly timers: Timers;
  readonly log: Pick<Log, "info" | "warn">;
}

/**
 * What executed answers say about the lengths that the profiles expect. It survives a restart: saved within five seconds of
 * an answer, and at the end. A process that is killed forgets at most the last five seconds.
 */
export class SavedLengths {
  readonly #options: SavedLengthsOptions;
  #profileVersion: string | undefined;
  #ratios = new LengthRatios();
  #cancelSave: Cancel | undefined;
  #saving: Promise<void> = Promise.resolve();
  #isChanged = false;
  #isFailing = false;

  private constructor(options: SavedLengthsOptions) {
    this.#options = options;
  }

  /** Starts anew, and logs why, when they cannot be read. */
  static async open(options: SavedLengthsOptions): Promise<SavedLengths> {
    const lengths = new SavedLengths(options);
    await lengths.#load();
    return lengths;
  }

  /**
   * Starts anew if what is known belongs to other profiles: then a ratio would correct an expectation that is gone.
   *
   * @param version of the profile files
   */
  useProfiles(version: string): void {
    if (version === this.#profileVersion) return;
    const models = this.#ratios.sums().size;
    if (models > 0) {
      const details = { models, before: this.#profileVersion, now: version };
      this.#options.log.info(details, RELEARNING);
    }
    this.#profileVersion = version;
    this.#ratios = new LengthRatios();
  }

  /** Never throws and never waits. */
  observe(observation: LengthObservation): void {
    this.#ratios.observe(observation);
    this.#isChanged = true;
    this.#cancelSave ??= this.#options.timers.after(SAVE_MS, () => void this.#save());
  }

  /** 1 for a model without observations. */
  ratioOf(model: string): number {
    return this.#ratios.ratioOf(model);
  }

  corrections(): CorrectionTable {
    return this.#ratios.corrections();
  }

  /** Saves what has not been yet. */
  async close(): Promise<void> {
    await this.#save();
  }

  async #load(): Promise<void> {
    const { store, log } = this.#options;
    try {
      const text = await store.get(ENTRY);
      if (text === undefined) return;
      const { profileVersion, models } = storedSchema.parse(JSON.parse(text));
      this.#profileVersion = profileVersion;
      this.#ratios = new LengthRatios(new Map(models));
    } catch (fault) {
      const details = { fault: faultName(fault) };
      log.warn(details, "corrections of answer lengths cannot be read: they start anew");
    }
  }

  /** One after the other. Never rejects. */
  #save(): Promise<void> {
    this.#cancelSave?.();
    this.#cancelSave = undefined;
    this.#saving = this.#saving.then(() => this.#saveOnce());
    return this.#saving;
  }

  async #saveOnce(): Promise<void> {
    if (!this.#isChanged || this.#profileVersion === undefined) return;
    this.#isChanged = false;
    try {
      const stored = { profileVersion: this.#profileVersion, models: [...this.#ratios.sums()] };
      await this.#options.store.put(ENTRY, JSON.stringify(stored));
      this.#isFailing = false;
    } catch (fault) {
      // The next answer brings the next try.
      this.#isChanged = true;
      if (!this.#isFailing)
        this.#options.log.warn({ fault: faultName(fault) }, "corrections of answer lengths not saved");
      this.#isFailing = true;
    }
  }
}
