import { join } from "node:path";
import { z } from "zod";
import { AccessFileError, SharedFile } from "../../../foundation/shared-file.js";
import { type ApiKeyRecord, apiKeyRecordSchema } from "./api-key.js";

const fileSchema = z.object({ version: z.literal(1), keys: z.array(apiKeyRecordSchema) });

/** One state of the file. Two states with the same stamp are the same. */
export interface KeyFileState {
  readonly keys: readonly ApiKeyRecord[];
  readonly stamp: string;
}

/** `keys.json` in the data folder, shared by any number of processes of this machine. */
export class KeyFile {
  readonly #file: SharedFile;
  /** Last read or written: ten thousand keys take 50 ms to check. */
  #state: KeyFileState = { keys: [], stamp: "unread" };

  constructor(dataDir: string) {
    this.#file = new SharedFile(join(dataDir, "keys.json"));
  }

  /** Changes whenever the file does; `absent` while there is none. */
  stamp(): Promise<string> {
    return this.#file.stamp();
  }

  /** @throws AccessFileError when the file exists and is not a key file */
  async read(): Promise<KeyFileState> {
    try {
      const { text, stamp } = await this.#file.read();
      this.#state = { keys: this.#parse(text, stamp), stamp };
      return this.#state;
    } catch (cause) {
      throw cause instanceof AccessFileError ? cause : this.#unreadable(cause);
    }
  }

  /**
   * Replaces the keys by what `change` makes of them, while no other writer can.
   *
   * @returns the new state
   * @throws AccessFileError, and whatever `change` throws; then the file is as it was
   */
  async update(change: (keys: readonly ApiKeyRecord[]) => readonly ApiKeyRecord[]): Promise<KeyFileState> {
    let changed: readonly ApiKeyRecord[] = [];
    const stamp = await this.#file.update((text, before) => {
      const keys = this.#parse(text, before);
      changed = change(keys);
      return changed === keys ? undefined : `${JSON.stringify({ version: 1, keys: changed }, null, 2)}\n`;
    });
    this.#state = { keys: changed, stamp };
    return this.#state;
  }

  #parse(text: string | undefined, stamp: string): readonly ApiKeyRecord[] {
    if (text === undefined) return [];
    if (stamp === this.#state.stamp) return this.#state.keys;
    try {
      return fileSchema.parse(JSON.parse(text)).keys;
    } catch (cause) {
      throw this.#unreadable(cause);
    }
  }

  #unreadable(cause: unknown): AccessFileError {
    return new AccessFileError(
      `${this.#file.path} is not a readable key file. Restore it from a backup, or move it away to start without keys.`,
      { cause },
    );
  }
}
