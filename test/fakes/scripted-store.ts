import { SextantError } from "../../src/foundation/errors.js";
import type { Trace } from "../../src/gateway/traces/trace.js";

type Mode = "working" | "failing" | "hanging";

/** The writing half of a store that works, fails or hangs as a test says. */
export class ScriptedStore {
  readonly stored: Trace[] = [];
  /** Sizes of the batches that came, with the way they came. */
  readonly calls: string[] = [];
  mode: Mode = "working";
  state: "opening" | "open" = "open";
  /** Whether a failing store has written nevertheless what it says it did not. */
  lies = false;
  #hanging: (() => void)[] = [];

  append(traces: readonly Trace[]): Promise<void> {
    this.calls.push(`append ${traces.length}`);
    return this.#answer(() => this.stored.push(...traces));
  }

  appendMissing(traces: readonly Trace[]): Promise<void> {
    this.calls.push(`append missing ${traces.length}`);
    return this.#answer(() => {
      for (const trace of traces) {
        if (!this.stored.some(({ requestId }) => requestId === trace.requestId)) this.stored.push(trace);
      }
    });
  }

  health() {
    return { ok: true, state: this.state };
  }

  /** What hangs is written and answered. */
  release(): void {
    this.mode = "working";
    for (const go of this.#hanging.splice(0)) go();
  }

  async #answer(write: () => void): Promise<void> {
    if (this.mode === "hanging") {
      await new Promise<void>((resolve) => {
        this.#hanging.push(resolve);
      });
    } else if (this.mode === "failing") {
      if (this.lies) write();
      throw new SextantError("store_down", "the store is away");
    }
    write();
  }
}
