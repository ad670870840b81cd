import { appendFile, readFile } from "node:fs/promises";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { replaceFile } from "../../foundation/replace-file.js";
import { SerialQueue } from "../../foundation/serial-queue.js";
import { parsedJson } from "../providers/chat.js";
import {
  type KeptKinds,
  type KeptValue,
  RESPONSE_TTL_MS,
  type ResponseMemory,
  type StoredResponse,
} from "./response-memory.js";

/** Stored responses that are remembered; those used longest ago are forgotten. Some 200 bytes each. */
const MOST_STORED = 100_000;

export interface ResponseSettings {
  readonly responseItemsMaxBytes: number;
}

export interface LocalResponsesOptions {
  readonly settings: ResponseSettings;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Where stored responses are written; undefined: in memory alone. */
  readonly path?: string | undefined;
}

const lineSchema = z.object({
  key: z.string(),
  id: z.string(),
  provider: z.string(),
  providerKey: z.string().optional(),
  model: z.string(),
  keptAtMs: z.number(),
  deleted: z.boolean().optional(),
});

/** Responses in the memory of this process, and a file of JSON lines for those that a provider keeps: the last line of a key counts. */
export class LocalResponses implements ResponseMemory {
  readonly #items: LRUCache<string, string> | null;
  readonly #stored: LRUCache<string, StoredResponse>;
  readonly #writes = new SerialQueue();

  private constructor(private readonly options: LocalResponsesOptions) {
    const { settings, now } = options;
    const { responseItemsMaxBytes: maxSize } = settings;
    const perf = { now };
    this.#items =
      maxSize === 0
        ? null
        : new LRUCache({
            maxSize,
            ttl: RESPONSE_TTL_MS.item,
            ttlResolution: 0,
            perf,
            sizeCalculation: (text) => 2 * text.length,
          });
    this.#stored = new LRUCache({
      // With `max` it would take the memory of all of them at once.
      maxSize: MOST_STORED,
      sizeCalculation: () => 1,
      ttl: RESPONSE_TTL_MS.stored,
      ttlResolution: 0,
      perf,
    });
  }

  /** Without a file. */
  static inMemory(options: Omit<LocalResponsesOptions, "path">): LocalResponses {
    return new LocalResponses(options);
  }

  /** Reads the file, and writes it again without what is over. A file that cannot be read counts as empty. */
  static async open(options: LocalResponsesOptions): Promise<LocalResponses> {
    const responses = new LocalResponses(options);
    const { path } = options;
    if (path === undefined) return responses;
    const text = await readFile(path, "utf8").catch(() => "");
    if (text === "") return responses;
    for (const line of text.split("\n")) responses.#read(line);
    const kept = [...responses.#stored.entries()].map(([key, stored]) => lineOf(key, stored));
    await replaceFile(path, kept.reverse().join(""), 0o600).catch(() => {});
    return responses;
  }

  async find<Kind extends keyof KeptKinds>(kind: Kind, key: string): Promise<KeptKinds[Kind] | undefined> {
    if (kind === "item") {
      const text = this.#items?.get(key);
      return text === undefined ? undefined : JSON.parse(text);
    }
    const stored = this.#stored.get(key);
    return stored?.deleted === true ? undefined : (stored as KeptKinds[Kind] | undefined);
  }

  keep({ kind, key, value }: KeptValue): void {
    if (kind === "item") {
      this.#items?.set(key, JSON.stringify(value));
      return;
    }
    this.#stored.set(key, value);
    const { path } = this.options;
    if (path === undefined) return;
    void this.#writes.run(() => appendFile(path, lineOf(key, value), { mode: 0o600 }).catch(() => {}));
  }

  async close(): Promise<void> {
    await this.#writes.run(async () => {});
  }

  #read(line: string): void {
    const { success, data } = lineSchema.safeParse(parsedJson(line));
    if (!success) return;
    const { key, ...stored } = data;
    const ttl = stored.keptAtMs + RESPONSE_TTL_MS.stored - this.options.now();
    if (ttl > 0 && stored.deleted !== true) this.#stored.set(key, stored, { ttl });
    else this.#stored.delete(key);
  }
}

/** After half a line, which a full disk leaves, comes a new one. */
const lineOf = (key: string, stored: StoredResponse): string => `\n${JSON.stringify({ key, ...stored })}\n`;
