import type { Trace, TraceSink } from "../../src/traces/trace.js";

/** Keeps every trace. */
export class FakeTraceSink implements TraceSink {
  readonly traces: Trace[] = [];

  constructor(readonly wantsContent = true) {}

  record(trace: Trace): void {
    this.traces.push(trace);
  }
}
