import { beforeEach, describe, expect, it } from "vitest";
import { appendRows } from "../../../bench/traces/append.js";
import { MadeUpTraces } from "../../../bench/traces/made-up-traces.js";
import type { TraceStore } from "../../../src/gateway/traces/store.js";
import type { Trace } from "../../../src/gateway/traces/trace.js";
import { MemoryTraceStore } from "../../fakes/trace-store.js";
import { folderForTest } from "../../support/folders.js";

const texts = { prompts: ["a prompt", "another"], answers: ["an answer"] };
const source = () => new MadeUpTraces({ seed: 1, rows: 10_000, texts });

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

/** A store that notes the groups it is given. */
class NotingStore extends MemoryTraceStore {
  readonly groups: (readonly Trace[])[] = [];
  override append(traces: readonly Trace[]): Promise<void> {
    this.groups.push(traces);
    return super.append(traces);
  }
}

const append = (store: TraceStore, rows: number) => {
  const recorded: Trace[] = [];
  let written = 0;
  return appendRows(store, source(), {
    rows,
    folder,
    content: "stored",
    onRecorded: (trace) => recorded.push(trace),
    onWritten: (count) => {
      written += count;
    },
  }).then((steps) => ({ steps, recorded, written }));
};

describe("Appending in `bench traces`", () => {
  it("passes every row once, in order, in full batches as the recorder forms them", async () => {
    const store = new NotingStore();
    const { steps, recorded, written } = await append(store, 5000);
    expect(store.groups.flat()).toEqual(recorded);
    expect(recorded).toEqual(source().take(5000));
    expect(written).toBe(5000);
    const sizes = store.groups.map(({ length }) => length);
    expect(steps.map(({ rows }) => rows)).toEqual(sizes);
    // But for the last, they are as large as the recorder makes them.
    expect(new Set(sizes.slice(0, -1)).size).toBe(1);
    expect(sizes[0]).toBeGreaterThan(1000);
  });
});
