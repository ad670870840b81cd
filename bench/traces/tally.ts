import type { Trace } from "../../src/gateway/traces/trace.js";
import { promptText } from "../../src/gateway/traces/trace-messages.js";

/** Of every so many rows, the bytes of the texts are counted. */
const MEASURED_EVERY = 64;

/** Notes, while rows are made, what is to be known of them without asking the store. */
export class Tally {
  readonly #idEvery: number;
  /** Of some rows, from the oldest to the newest. */
  readonly ids: string[] = [];
  #rows = 0;
  #measured = 0;
  #bytes = 0;

  constructor({ rows, ids }: { readonly rows: number; readonly ids: number }) {
    this.#idEvery = Math.max(1, Math.floor(rows / ids));
  }

  add(trace: Trace): void {
    if (this.#rows % this.#idEvery === 0) this.ids.push(trace.requestId);
    if (this.#rows % MEASURED_EVERY === 0) {
      this.#measured += 1;
      this.#bytes +=
        Buffer.byteLength(promptText(trace.content?.input ?? [])) +
        Buffer.byteLength(trace.content?.output ?? "");
    }
    this.#rows += 1;
  }

  /** Mean bytes of prompt and answer together, as UTF-8. */
  get contentBytes(): number {
    return this.#bytes / this.#measured;
  }
}
