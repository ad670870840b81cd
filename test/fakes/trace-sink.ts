import type { Trace, TraceSink } from "../../src/gateway/traces/trace.js";

/** Keeps every trace. */
export class FakeTraceSink implements TraceSink {
  readonly traces: Trace[] = [];
  readonly #waiting: (() => void)[] = [];

  constructor(readonly wantsContent = true) {}

  record(trace: Trace): void {
    this.traces.push(trace);
    for (const tell of this.#waiting.splice(0)) tell();
  }

  /** Resolves once there is a trace. */
  async first(): Promise<Trace> {
    const [first] = this.traces;
    if (first !== undefined) return first;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
    return this.first();
  }
}
