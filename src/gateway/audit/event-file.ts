import { join } from "node:path";
import { SharedFile } from "../../foundation/shared-file.js";
import type { EventStore } from "./event-log.js";

/** `events.jsonl` in the data folder, shared by any number of processes of this machine. */
export class EventFile implements EventStore {
  readonly #file: SharedFile;
  readonly #kept: number;

  /** @param kept events that the file has at most, ≥ 1 */
  constructor(dataDir: string, kept: number) {
    this.#file = new SharedFile(join(dataDir, "events.jsonl"));
    this.#kept = kept;
  }

  /** Writes the whole file anew: some milliseconds for thousands of events, of which a day has a few. */
  async append(line: string): Promise<void> {
    await this.#file.update((text) => `${[...linesOf(text), line].slice(-this.#kept).join("\n")}\n`);
  }

  async lines(): Promise<readonly string[]> {
    return linesOf((await this.#file.read()).text);
  }

  async close(): Promise<void> {}
}

const linesOf = (text = ""): readonly string[] => text.split("\n").filter((line) => line !== "");
