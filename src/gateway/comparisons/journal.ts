/** What comparisons came to, one line each in `comparisons.jsonl` of the data folder. */
import { createHmac, randomBytes } from "node:crypto";
import { appendFile, open, stat } from "node:fs/promises";
import { z } from "zod";
import { fileFaultMessage } from "../../foundation/file-fault.js";
import { AccessFileError } from "../../foundation/shared-file.js";
import { type ComparisonResult, comparisonResultSchema } from "./report.js";

/** A first line of a file: what prompts are digested with. */
const keySchema = z.object({ prompt_key: z.string() });

/** The file of one data folder, which any number of processes of this machine add to. Holds no text of any request. */
export class ComparisonJournal {
  readonly #results: ComparisonResult[] = [];
  #promptKey: string | undefined;
  #readBytes = 0;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(private readonly path: string) {}

  /** Appends a line, which other processes read with the next look; if that fails it counts here alone. @throws what the system says */
  async add(result: ComparisonResult): Promise<void> {
    await this.#append(result).catch((fault) => {
      this.#results.push(result);
      throw fault;
    });
  }

  /** All of them, oldest first; only what was added since the last look is read. @throws AccessFileError */
  results(): Promise<readonly ComparisonResult[]> {
    const reading = this.#reading.then(() => this.#readOn());
    this.#reading = reading.catch(() => {});
    return reading.catch((cause) => {
      throw new AccessFileError(fileFaultMessage(`${this.path} cannot be read`, cause), { cause });
    });
  }

  /** A digest of a prompt that only this file's key makes. */
  async digestOf(prompt: string): Promise<string> {
    await this.results();
    if (this.#promptKey === undefined) {
      // Of two processes that begin at once, the first line counts for both.
      await this.#append({ prompt_key: randomBytes(16).toString("hex") });
      await this.results();
    }
    return createHmac("sha256", this.#promptKey ?? "")
      .update(prompt)
      .digest("base64url")
      .slice(0, 22);
  }

  /** After half a line, which a full disk leaves, comes a new one. */
  #append(value: unknown): Promise<void> {
    return appendFile(this.path, `\n${JSON.stringify(value)}\n`, { mode: 0o600 });
  }

  async #readOn(): Promise<readonly ComparisonResult[]> {
    const size = await stat(this.path).then(
      (found) => found.size,
      () => 0,
    );
    if (size < this.#readBytes) this.#forget();
    if (size === this.#readBytes) return this.#results;
    const file = await open(this.path, "r");
    try {
      const { buffer } = await file.read(
        Buffer.alloc(size - this.#readBytes),
        0,
        size - this.#readBytes,
        this.#readBytes,
      );
      // A line that another process is writing is read whole the next time.
      const whole = buffer.subarray(0, buffer.lastIndexOf(10) + 1);
      this.#readBytes += whole.length;
      for (const line of whole.toString("utf8").split("\n")) this.#take(line);
    } finally {
      await file.close();
    }
    return this.#results;
  }

  /** Another file is in its place. */
  #forget(): void {
    this.#results.length = 0;
    this.#promptKey = undefined;
    this.#readBytes = 0;
  }

  #take(line: string): void {
    const value = parsed(line);
    const result = comparisonResultSchema.safeParse(value);
    if (result.success) this.#results.push(result.data);
    else this.#promptKey ??= keySchema.safeParse(value).data?.prompt_key;
  }
}

/** Undefined for what a crash left of a line. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
