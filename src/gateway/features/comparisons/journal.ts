/** What comparisons came to. Holds no text of any request. */
import { createHmac, randomBytes } from "node:crypto";
import type { Store } from "../../storage/store.js";
import { type ComparisonResult, comparisonResultSchema } from "./report.js";

const LOG = "comparisons";
/** What prompts are digested with. */
const PROMPT_KEY = { kind: "comparison-prompt-key", key: "all" };

/** Any number of processes may add to it. */
export class ComparisonJournal {
  readonly #results: ComparisonResult[] = [];
  #promptKey: string | undefined;
  #readUpTo = 0;

  constructor(private readonly store: Pick<Store, "update" | "append" | "entries">) {}

  /** Other processes read it with their next look; if that fails it counts here alone. @throws StorageError */
  async add(result: ComparisonResult): Promise<void> {
    await this.store.append(LOG, JSON.stringify(result)).catch((fault) => {
      this.#results.push(result);
      throw fault;
    });
  }

  /** All of them, oldest first; only what was added since the last look is read. @throws StorageError */
  async results(): Promise<readonly ComparisonResult[]> {
    for (const { sequence, value } of await this.store.entries(LOG, this.#readUpTo)) {
      // Two looks may have read it at once.
      if (sequence <= this.#readUpTo) continue;
      this.#readUpTo = sequence;
      const { data } = comparisonResultSchema.safeParse(JSON.parse(value));
      if (data !== undefined) this.#results.push(data);
    }
    return this.#results;
  }

  /** A digest of a prompt that only this store's key makes. @throws StorageError */
  async digestOf(prompt: string): Promise<string> {
    if (this.#promptKey === undefined)
      await this.store.update(PROMPT_KEY, (known) => {
        this.#promptKey = known ?? randomBytes(16).toString("hex");
        return known === undefined ? this.#promptKey : undefined;
      });
    return createHmac("sha256", this.#promptKey ?? "")
      .update(prompt)
      .digest("base64url")
      .slice(0, 22);
  }
}
