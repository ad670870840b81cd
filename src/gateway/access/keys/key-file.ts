import { join } from "node:path";
import { z } from "zod";
import { type BatchClock, forEachCooperatively } from "../../../foundation/cooperative-batches.js";
import { StorageError } from "../../../foundation/errors.js";
import { SharedFile } from "../../../foundation/shared-file.js";
import { type ApiKeyRecord, apiKeyRecordSchema } from "./api-key.js";

const fileSchema = z.object({ version: z.literal(1), keys: z.array(z.unknown()) });

const NO_KEYS = { text: undefined, keys: [] };

/** One state of the file. Two states with the same stamp are the same. */
export interface KeyFileState {
  readonly keys: readonly ApiKeyRecord[];
  readonly stamp: string;
}

/** `keys.json` in the data folder, shared by any number of processes of this machine. */
export class KeyFile {
  readonly #file: SharedFile;
  /** Last read or written: ten thousand keys take 50 ms to check, and 0.2 to compare. */
  #known: { readonly text: string | undefined; readonly keys: readonly ApiKeyRecord[] } = NO_KEYS;

  readonly #clock: BatchClock | undefined;

  constructor(dataDir: string, { clock }: { readonly clock?: BatchClock } = {}) {
    this.#file = new SharedFile(join(dataDir, "keys.json"));
    this.#clock = clock;
  }

  /** Changes whenever the file does; `absent` while there is none. */
  stamp(): Promise<string> {
    return this.#file.stamp();
  }

  /** @throws StorageError when the file exists and is not a key file */
  async read(): Promise<KeyFileState> {
    try {
      const { text, stamp } = await this.#file.read();
      return { keys: await this.#parse(text), stamp };
    } catch (cause) {
      throw cause instanceof StorageError ? cause : this.#unreadable(cause);
    }
  }

  /**
   * Replaces the keys by what `change` makes of them, while no other writer can.
   *
   * @returns the new state
   * @throws StorageError, and whatever `change` throws; then the file is as it was
   */
  async update(change: (keys: readonly ApiKeyRecord[]) => readonly ApiKeyRecord[]): Promise<KeyFileState> {
    let changed: readonly ApiKeyRecord[] = [];
    let written: string | undefined;
    const stamp = await this.#file.update(async (text) => {
      const keys = await this.#parse(text);
      changed = change(keys);
      written = changed === keys ? undefined : await textOf(changed, this.#clock);
      return written;
    });
    if (written !== undefined) this.#known = { text: written, keys: changed };
    return { keys: changed, stamp };
  }

  async #parse(text: string | undefined): Promise<readonly ApiKeyRecord[]> {
    if (text === this.#known.text) return this.#known.keys;
    try {
      const keys = text === undefined ? [] : await keysOf(text, this.#clock);
      this.#known = { text, keys };
      return keys;
    } catch (cause) {
      throw this.#unreadable(cause);
    }
  }

  #unreadable(cause: unknown): StorageError {
    return new StorageError(
      `${this.#file.path} is not a readable key file. Restore it from a backup, or move it away to start without keys.`,
      { cause },
    );
  }
}

/** With the members that only another version knows. */
function recordOf(stored: unknown): ApiKeyRecord {
  const record = apiKeyRecordSchema.parse(stored);
  const { limits, previous } = stored as ApiKeyRecord;
  return {
    // The record's own members stand first, in their order.
    ...record,
    ...(stored as ApiKeyRecord),
    ...record,
    limits: { ...limits, ...record.limits },
    previous: record.previous && { ...previous, ...record.previous },
  };
}

/** Key by key, as other work of the thread allows. @throws when it is no text of `textOf`, or of a version before it */
async function keysOf(text: string, clock: BatchClock | undefined): Promise<ApiKeyRecord[]> {
  const keys: ApiKeyRecord[] = [];
  await forEachCooperatively(
    fileSchema.parse(JSON.parse(text)).keys,
    (key) => {
      keys.push(recordOf(key));
    },
    clock,
  );
  return keys;
}

/** A key a line. */
async function textOf(keys: readonly ApiKeyRecord[], clock: BatchClock | undefined): Promise<string> {
  const lines: string[] = [];
  await forEachCooperatively(
    keys,
    (key) => {
      lines.push(JSON.stringify(key));
    },
    clock,
  );
  return `{"version":1,"keys":[\n${lines.join(",\n")}\n]}\n`;
}
