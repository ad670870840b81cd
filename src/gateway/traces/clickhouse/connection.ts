import { once } from "node:events";
import type { Timers } from "../../../foundation/timers.js";
import type { StoreHealth } from "../store.js";
import { ClickHouseFault, ClickHouseSilence, closed } from "./fault.js";

/** Waits before a server that failed is tried again, in milliseconds: the first, and the longest. */
const RETRY_MS = 1000;
const MOST_RETRY_MS = 30_000;

export interface ConnectionOptions {
  /** Makes the server ready for use; called again after a failure. */
  readonly open: () => Promise<void>;
  /** Rejects when the server does not answer at all. */
  readonly ping: () => Promise<void>;
  readonly timers: Timers;
}

/**
 * Whether the server can be used, by the last contact. After a fault it is tried again with growing waits, so that `health`
 * recovers without a caller.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  #opening: Promise<void> | undefined;
  #state: "opening" | "open" | "closed" | { readonly fault: string } = "opening";
  #retryMs = RETRY_MS;
  #cancelRetry: (() => void) | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    void this.use(async () => {}).catch(() => {});
  }

  /** Runs the task once the server is ready. The signal ends the wait for that. */
  async use<Result>(task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (this.#state === "closed") throw closed();
    try {
      this.#opening ??= this.#open();
      await unlessAborted(this.#opening, signal);
      const result = await task();
      this.#worked();
      return result;
    } catch (error) {
      if (error instanceof ClickHouseSilence) void this.#suspected();
      else if (error instanceof ClickHouseFault) this.#failed(error);
      throw error;
    }
  }

  health(): StoreHealth {
    if (typeof this.#state === "object") return { ok: false, state: this.#state.fault };
    return { ok: this.#state !== "closed", state: this.#state };
  }

  /** Resolves when no preparation of the server is running any more. */
  async close(): Promise<void> {
    this.#state = "closed";
    this.#cancelRetry?.();
    await this.#opening?.catch(() => {});
  }

  #open(): Promise<void> {
    const opening = this.#options.open();
    // Marks the rejection as handled: its callers may be gone when it fails.
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return opening;
  }

  /** Pings the server after a timeout, which a healthy server can cause as well. */
  async #suspected(): Promise<void> {
    await this.#options.ping().catch((error) => this.#failed(error));
  }

  #worked(): void {
    if (this.#state === "closed") return;
    this.#state = "open";
    this.#retryMs = RETRY_MS;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
  }

  #failed(fault: ClickHouseFault): void {
    if (this.#state === "closed" || fault.isAboutTheQuery) return;
    // The next server at this address may be another one, without the tables.
    this.#opening = undefined;
    this.#state = { fault: fault.message };
    if (this.#cancelRetry !== undefined) return;
    this.#cancelRetry = this.#options.timers.after(this.#retryMs, () => {
      this.#cancelRetry = undefined;
      this.#retryMs = Math.min(this.#retryMs * 2, MOST_RETRY_MS);
      void this.use(async () => {}).catch(() => {});
    });
  }
}

async function unlessAborted(waited: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return waited;
  signal.throwIfAborted();
  const waiting = new AbortController();
  const aborted = once(signal, "abort", { signal: waiting.signal }).then(() => signal.throwIfAborted());
  aborted.catch(() => {});
  await Promise.race([waited, aborted]).finally(() => waiting.abort());
}
