import { join } from "node:path";
import { z } from "zod";
import { AccessFileError, SharedFile } from "../../foundation/shared-file.js";
import { hasEnded, type Pause, pausedThing, pauseSchema } from "./pause.js";
import type { PauseState, PauseStore } from "./pause-store.js";

const fileSchema = z.object({ version: z.literal(1), pauses: z.array(pauseSchema) });

/** `pauses.json` in the data folder, shared by any number of processes of this machine. */
export class PauseFile implements PauseStore {
  readonly #file: SharedFile;
  readonly #now: () => number;

  /** @param now milliseconds since the epoch */
  constructor(dataDir: string, now: () => number) {
    this.#file = new SharedFile(join(dataDir, "pauses.json"));
    this.#now = now;
  }

  /** @throws AccessFileError when the file exists and is not one of pauses */
  async read(knownStamp?: string): Promise<PauseState | undefined> {
    if ((await this.#file.stamp()) === knownStamp) return undefined;
    const { text, stamp } = await this.#file.read();
    return { pauses: this.#parse(text), stamp };
  }

  put(pause: Pause): Promise<void> {
    return this.#update((pauses) => [
      ...pauses.filter((one) => pausedThing(one) !== pausedThing(pause)),
      pause,
    ]);
  }

  remove({ id }: Pause): Promise<void> {
    return this.#update((pauses) => pauses.filter((one) => one.id !== id));
  }

  async close(): Promise<void> {}

  /** Leaves out what has ended meanwhile. */
  async #update(change: (pauses: readonly Pause[]) => readonly Pause[]): Promise<void> {
    await this.#file.update((text) => {
      const nowMs = this.#now();
      const pauses = change(this.#parse(text)).filter((pause) => !hasEnded(pause, nowMs));
      return `${JSON.stringify({ version: 1, pauses }, null, 2)}\n`;
    });
  }

  #parse(text: string | undefined): readonly Pause[] {
    if (text === undefined) return [];
    try {
      return fileSchema.parse(JSON.parse(text)).pauses;
    } catch (cause) {
      throw new AccessFileError(
        `${this.#file.path} is not a readable file of pauses. Restore it from a backup, or move it away to start without pauses.`,
        { cause },
      );
    }
  }
}
