import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { Recorder, type RecorderOptions } from "../../../src/gateway/traces/recorder.js";
import type { Redactor } from "../../../src/gateway/traces/redaction/redactor.js";
import { SpillFolder } from "../../../src/gateway/traces/spill/spill-folder.js";
import type { Trace } from "../../../src/gateway/traces/trace.js";
import type { TracedMessage } from "../../../src/gateway/traces/traced-message.js";
import { FakeClock } from "../../fakes/clock.js";
import { ScriptedStore } from "../../fakes/scripted-store.js";
import { folderForTest } from "../../support/folders.js";
import { traceWith } from "./trace-for-test.js";
import { until } from "./until.js";

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

type Line = readonly [level: string, reason: unknown, message: string];

/** A recorder on a store, a clock and a log that the test governs, and on a real folder. */
class Bench {
  readonly store = new ScriptedStore();
  readonly clock = new FakeClock();
  readonly lines: Line[] = [];
  readonly spill: SpillFolder;
  readonly recorder: Recorder;

  constructor(options: Partial<RecorderOptions> & { readonly maxSpillBytes?: number } = {}) {
    this.spill = SpillFolder.find(join(folder, "spill"), {
      maxBytes: options.maxSpillBytes ?? 10_000_000,
      processId: 7,
      startedAtMs: this.clock.now(),
      isAlive: () => false,
    });
    // Many tests leave it as a process does that dies.
    onTestFinished(() => this.spill.close().catch(() => {}));
    const line = (level: string) => (details: Readonly<Record<string, unknown>>, message: string) =>
      void this.lines.push([level, details.reason, message]);
    this.recorder = new Recorder({
      store: this.store,
      spill: this.spill,
      content: "stored",
      flushMs: 100,
      bufferTraces: 1000,
      bufferBytes: 100_000_000,
      maxTextCharacters: 10_000_000,
      timers: this.clock,
      log: { info: line("info"), warn: line("warn"), error: line("error") },
      ...options,
    });
  }

  record(count: number): Trace[] {
    const traces = Array.from({ length: count }, () => traceWith());
    for (const trace of traces) this.recorder.record(trace);
    return traces;
  }

  /**
   * Lets time pass in steps until the condition holds. The folder is real: the clock must not run far ahead of a disk that
   * takes its time, so that each step waits a moment for it.
   */
  async passTimeUntil(condition: () => boolean): Promise<void> {
    for (;;) {
      this.clock.advance(10);
      if (condition()) return;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  get storedIds(): string[] {
    return this.store.stored.map(({ requestId }) => requestId);
  }
}

const endlessRedactor: Redactor = {
  redact: () => new Promise(() => {}),
  redactText: () => new Promise(() => {}),
  close: async () => {},
};

const idsOf = (traces: readonly Trace[]): string[] => traces.map(({ requestId }) => requestId);

describe("The recorder, while the store is being opened,", () => {
  it("writes traces to disk at once, where a kill loses none of them, and to the store when it is open", async () => {
    const bench = new Bench();
    bench.store.state = "opening";
    bench.store.mode = "hanging";
    const traces = bench.record(2);
    bench.clock.advance(0);
    await until(() => bench.recorder.stats().spilled === 2);
    expect(bench.recorder.stats()).toMatchObject({ buffered: 0, written: 0 });
    bench.store.state = "open";
    bench.store.release();
    await bench.passTimeUntil(() => bench.recorder.stats().written === 2);
    expect(bench.storedIds).toEqual(idsOf(traces));
    // Nothing was written twice, so that the store need not look for what it has.
    expect(bench.store.calls).toEqual(["append 2"]);
    expect(bench.lines).toEqual([]);
  });
});

describe("The recorder, while the store works,", () => {
  it("writes traces at once on demand, also for several concurrent callers", async () => {
    const bench = new Bench();
    const first = bench.record(2);
    const flushed = Promise.all([bench.recorder.flush(), bench.recorder.flush()]);
    const second = bench.record(1);
    await Promise.all([flushed, bench.recorder.flush()]);
    expect(bench.storedIds).toEqual(idsOf([...first, ...second]));
    await bench.recorder.flush();
    expect(bench.recorder.stats()).toMatchObject({ written: 3, buffered: 0 });
    expect(bench.recorder.isBehind).toBe(false);
  });

  it("writes traces together at the flush interval, not before", async () => {
    const bench = new Bench();
    const traces = bench.record(3);
    bench.clock.advance(99);
    expect(bench.store.calls).toEqual([]);
    expect(bench.recorder.stats()).toMatchObject({ recorded: 3, written: 0, buffered: 3 });
    bench.clock.advance(1);
    await until(() => bench.recorder.stats().written === 3);
    expect(bench.store.calls).toEqual(["append 3"]);
    expect(bench.store.stored).toEqual(traces);
    expect(bench.recorder.stats()).toEqual({
      recorded: 3,
      written: 3,
      spilled: 0,
      dropped: 0,
      withheld: 0,
      buffered: 0,
      spillBytes: 0,
    });
    expect(bench.lines).toEqual([]);
  });

  it("starts a new interval for later traces", async () => {
    const bench = new Bench();
    const first = bench.record(1);
    await bench.passTimeUntil(() => bench.recorder.stats().written === 1);
    const second = bench.record(2);
    bench.clock.advance(99);
    expect(bench.store.calls).toEqual(["append 1"]);
    bench.clock.advance(1);
    await until(() => bench.recorder.stats().written === 3);
    expect(bench.storedIds).toEqual(idsOf([...first, ...second]));
  });

  it("counts the interval from the arrival of a trace, also during a slow write", async () => {
    const bench = new Bench();
    bench.store.mode = "hanging";
    bench.record(1);
    bench.clock.advance(100);
    await until(() => bench.store.calls.length === 1);
    bench.record(2);
    bench.clock.advance(100);
    await until(() => bench.recorder.stats().spilled === 1);
    await until(() => {
      bench.clock.advance(0);
      return bench.recorder.stats().spilled === 3;
    });
  });

  it("writes a full batch at once, and the rest after it", async () => {
    const bench = new Bench({ bufferTraces: 100_000 });
    const traces = bench.record(5000);
    await until(() => {
      bench.clock.advance(0);
      return bench.recorder.stats().written >= 4096;
    });
    expect(bench.store.calls).toEqual(["append 2048", "append 2048"]);
    await bench.passTimeUntil(() => bench.recorder.stats().written === 5000);
    expect(bench.storedIds).toEqual(idsOf(traces));
  });

  it("writes smaller batches of long texts", async () => {
    const bench = new Bench();
    const content = { input: "x".repeat(3_000_000), output: "" };
    for (let count = 0; count < 5; count++) bench.recorder.record(traceWith({ content }));
    await bench.passTimeUntil(() => bench.recorder.stats().written === 5);
    expect(bench.store.calls).toEqual(["append 3", "append 2"]);
  });

  it("keeps the beginning of a prompt that is too long, with a note of its length, without splitting a character", async () => {
    const bench = new Bench({ maxTextCharacters: 1000 });
    const prompt = `${"x".repeat(999)}😀${"y".repeat(5000)}`;
    bench.recorder.record(traceWith({ content: { input: prompt, output: "ok" } }));
    bench.recorder.record(traceWith({ content: { input: "z".repeat(1000), output: "" } }));
    await bench.passTimeUntil(() => bench.recorder.stats().written === 2);
    expect(bench.store.stored.map(({ content }) => content?.input)).toEqual([
      `${"x".repeat(999)}\n[cut: 999 of 6001 characters are kept (SEXTANT_TRACE_MAX_TEXT_CHARACTERS)]`,
      "z".repeat(1000),
    ]);
  });

  it("keeps the last user message and the beginning of the others of a conversation that is too long", async () => {
    const bench = new Bench({ maxTextCharacters: 1000 });
    const call = (given: string) =>
      ({ id: "c", type: "function", function: { name: "f", arguments: given } }) as const;
    const messages = (system: string, given: string, result: string): readonly TracedMessage[] => [
      { role: "system", content: system },
      { role: "user", content: [{ type: "text", text: "Why?" }] },
      { role: "assistant", content: null, tool_calls: [call(given)] },
      { role: "tool", content: result, tool_call_id: "c" },
      { role: "user", content: "u".repeat(300) },
      { role: "assistant", content: "" },
    ];
    const input = messages("s".repeat(600), "a".repeat(200), "r".repeat(50));
    bench.recorder.record(traceWith({ content: { input, output: "" } }));
    await bench.passTimeUntil(() => bench.recorder.stats().written === 1);
    const cut = (kept: number, whole: number) =>
      `\n[cut: ${kept} of ${whole} characters are kept (SEXTANT_TRACE_MAX_TEXT_CHARACTERS)]`;
    const [stored] = bench.store.stored;
    expect(stored?.content?.input).toEqual([
      ...messages("s".repeat(600), `${"a".repeat(94)}${cut(94, 200)}`, cut(0, 50)).map((message) =>
        message.role === "tool" ? { ...message, tool_call_id: cut(0, 1) } : message,
      ),
    ]);
  });

  it("has no running timer when nothing is recorded", async () => {
    const bench = new Bench();
    bench.record(1);
    await bench.passTimeUntil(() => bench.recorder.stats().written === 1);
    await until(() => bench.clock.waiting === 0);
    expect(bench.clock.waiting).toBe(0);
  });
});

describe("The recorder, when the store fails,", () => {
  it("spills traces to disk, and writes each to the store once, in order, when it is back", async () => {
    const bench = new Bench();
    bench.store.mode = "failing";
    const traces = bench.record(2);
    await bench.passTimeUntil(() => bench.recorder.stats().spilled === 2);
    traces.push(...bench.record(3));
    await bench.passTimeUntil(() => bench.recorder.stats().spilled === 5);
    expect(bench.recorder.stats()).toMatchObject({ written: 0, dropped: 0, buffered: 0 });
    expect(bench.recorder.stats().spillBytes).toBeGreaterThan(0);
    bench.store.mode = "working";
    await bench.passTimeUntil(() => bench.recorder.stats().written === 5);
    expect(bench.storedIds).toEqual(idsOf(traces));
    expect(bench.recorder.stats()).toMatchObject({ spilled: 5, dropped: 0, spillBytes: 0 });
    expect(readdirSync(join(folder, "spill"))).toEqual([]);
  });

  it("logs the outage once when it begins and once when it ends", async () => {
    const bench = new Bench();
    for (let outage = 0; outage < 2; outage++) {
      bench.store.mode = "failing";
      for (let flush = 1; flush <= 3; flush++) {
        bench.record(1);
        await bench.passTimeUntil(() => bench.recorder.stats().spilled === outage * 3 + flush);
      }
      bench.store.mode = "working";
      await bench.passTimeUntil(() => bench.lines.length === (outage + 1) * 2);
    }
    const kept = "traces are not stored for the time being; they are kept on disk until they are";
    const back = "traces are stored again";
    expect(bench.lines).toEqual([
      ["warn", "the store is away", kept],
      ["info", undefined, back],
      ["warn", "the store is away", kept],
      ["info", undefined, back],
    ]);
  });

  it("does not write again what the failed write had stored", async () => {
    const bench = new Bench();
    bench.store.mode = "failing";
    bench.store.lies = true;
    const traces = bench.record(3);
    await bench.passTimeUntil(() => bench.recorder.stats().spilled === 3);
    bench.store.mode = "working";
    await bench.passTimeUntil(() => bench.recorder.stats().written === 3);
    expect(bench.storedIds).toEqual(idsOf(traces));
  });

  it("writes to the store directly again when the spill folder is empty", async () => {
    const bench = new Bench();
    bench.store.mode = "failing";
    bench.record(1);
    await bench.passTimeUntil(() => bench.recorder.stats().spilled === 1);
    bench.store.mode = "working";
    await bench.passTimeUntil(() => bench.lines.length === 2);
    bench.record(1);
    await bench.passTimeUntil(() => bench.recorder.stats().written === 2);
    expect(bench.store.calls.at(-1)).toBe("append 1");
    expect(bench.recorder.stats().spilled).toBe(1);
  });

  it("retries less and less often, but at least every five seconds", async () => {
    const bench = new Bench();
    bench.store.mode = "failing";
    bench.record(1);
    await bench.passTimeUntil(() => bench.store.calls.length === 9);
    const before = bench.clock.now();
    await bench.passTimeUntil(() => bench.store.calls.length === 10);
    const waitedMs = bench.clock.now() - before;
    expect(waitedMs).toBeGreaterThanOrEqual(4900);
    expect(waitedMs).toBeLessThan(20_000);
  });
});

describe("The recorder, when the store is slow,", () => {
  it("spills traces to disk, and stores a batch that completes late once", async () => {
    const bench = new Bench();
    bench.store.mode = "hanging";
    const traces = bench.record(2);
    await bench.passTimeUntil(() => bench.recorder.stats().spilled === 2);
    traces.push(...bench.record(2));
    await bench.passTimeUntil(() => bench.recorder.stats().spilled === 4);
    expect(bench.store.calls).toEqual(["append 2"]);
    bench.store.release();
    await bench.passTimeUntil(() => bench.recorder.stats().written === 4);
    expect(bench.storedIds).toEqual(idsOf(traces));
  });

  it("asks for what it has already only where it may have some", async () => {
    const bench = new Bench();
    bench.store.mode = "hanging";
    const traces = bench.record(2);
    await bench.passTimeUntil(() => bench.recorder.stats().spilled === 2);
    await bench.spill.oldest();
    traces.push(...bench.record(3));
    await bench.passTimeUntil(() => bench.recorder.stats().spilled === 5);
    bench.store.release();
    await bench.passTimeUntil(() => bench.recorder.stats().written === 5);
    expect(bench.store.calls).toEqual(["append 2", "append missing 2", "append 3"]);
    expect(bench.storedIds).toEqual(idsOf(traces));
  });

  it("asks again for what it may have stored of traces that were on disk", async () => {
    const bench = new Bench();
    bench.store.mode = "hanging";
    const traces = bench.record(2);
    await bench.passTimeUntil(() => bench.recorder.stats().spilled === 2);
    await bench.spill.oldest();
    traces.push(...bench.record(3));
    await bench.passTimeUntil(() => bench.recorder.stats().spilled === 5);
    const append = bench.store.append.bind(bench.store);
    bench.store.append = async (batch) => {
      bench.store.append = append;
      await append(batch);
      throw new Error("the answer was lost");
    };
    bench.store.release();
    await bench.passTimeUntil(() => bench.recorder.stats().written === 5);
    expect(bench.store.calls).toEqual(["append 2", "append missing 2", "append 3", "append missing 3"]);
    expect(bench.storedIds).toEqual(idsOf(traces));
  });

  it("logs it only when it lasts", async () => {
    const bench = new Bench();
    bench.store.mode = "hanging";
    bench.record(1);
    await bench.passTimeUntil(() => bench.recorder.stats().spilled === 1);
    bench.store.release();
    await bench.passTimeUntil(() => bench.recorder.stats().written === 1);
    expect(bench.lines).toEqual([]);
    bench.store.mode = "hanging";
    bench.record(1);
    await bench.passTimeUntil(() => bench.lines.length > 0);
    expect(bench.lines).toEqual([["warn", "the store has not answered for 30 s", expect.any(String)]]);
    bench.store.release();
    await bench.passTimeUntil(() => bench.lines.length === 2);
  });
});

describe("The recorder, when there is no room,", () => {
  it("drops and counts traces that do not fit on disk, and logs it once", async () => {
    const one = JSON.stringify(traceWith()).length + 1;
    const bench = new Bench({ maxSpillBytes: one * 2 + 10 });
    bench.store.mode = "failing";
    const traces = bench.record(3);
    await bench.passTimeUntil(() => bench.recorder.stats().dropped === 1);
    bench.record(2);
    await bench.passTimeUntil(() => bench.recorder.stats().dropped === 3);
    expect(bench.recorder.stats()).toMatchObject({ recorded: 5, spilled: 2, written: 0 });
    expect(bench.lines.filter(([level]) => level === "error")).toEqual([
      ["error", "the store is down and the disk takes no more", "traces are being dropped"],
    ]);
    bench.store.mode = "working";
    await bench.passTimeUntil(() => bench.recorder.stats().written === 2);
    expect(bench.storedIds).toEqual(idsOf(traces.slice(0, 2)));
  });

  it("drops traces when the disk fails, and continues once it works", async () => {
    const bench = new Bench();
    writeFileSync(join(folder, "spill"), "a file where the folder should be");
    bench.store.mode = "failing";
    bench.record(2);
    await bench.passTimeUntil(() => bench.recorder.stats().dropped === 2);
    expect(bench.lines.map(([level]) => level).sort()).toEqual(["error", "error", "warn"]);
    rmSync(join(folder, "spill"));
    const kept = bench.record(1);
    await bench.passTimeUntil(() => bench.recorder.stats().spilled === 1);
    bench.store.mode = "working";
    await bench.passTimeUntil(() => bench.recorder.stats().written === 1);
    expect(bench.storedIds).toEqual(idsOf(kept));
  });

  it("drops and counts traces that do not fit in memory, by number and by bytes", () => {
    const byNumber = new Bench({ bufferTraces: 3 });
    byNumber.record(5);
    expect(byNumber.recorder.stats()).toMatchObject({ recorded: 5, buffered: 3, dropped: 2 });
    expect(byNumber.lines).toEqual([["error", "the buffer is full", "traces are being dropped"]]);
    const byBytes = new Bench({ bufferBytes: 10_000 });
    const content = { input: "x".repeat(6000), output: "" };
    for (let count = 0; count < 5; count++) byBytes.recorder.record(traceWith({ content }));
    expect(byBytes.recorder.stats()).toMatchObject({ buffered: 2, dropped: 3 });
  });

  it("never fails a request", () => {
    const bench = new Bench({ bufferTraces: 1 });
    bench.record(1);
    expect(() => bench.record(1)).not.toThrow();
  });
});

describe("Content in the recorder", () => {
  it("is removed before a trace is written to the store or to disk, when it is not to be stored", async () => {
    const bench = new Bench({ content: "left out" });
    expect(bench.recorder.wantsContent).toBe(false);
    const trace = traceWith({ content: { input: "a marker", output: "a marker" } });
    bench.recorder.record(trace);
    await bench.passTimeUntil(() => bench.recorder.stats().written === 1);
    expect(bench.store.stored).toEqual([{ ...trace, content: null }]);
    bench.store.mode = "failing";
    bench.recorder.record(trace);
    await bench.passTimeUntil(() => bench.recorder.stats().spilled === 1);
    const [file = ""] = readdirSync(join(folder, "spill"));
    expect(readFileSync(join(folder, "spill", file), "utf8")).not.toContain("marker");
  });

  it("is redacted before a trace is written to the store or to disk", async () => {
    const redactor: Redactor = {
      redact: async (traces) => ({
        traces: traces.map((trace) => ({ ...trace, content: { input: "[redacted]", output: "" } })),
        withheld: 1,
      }),
      redactText: async () => "[redacted]",
      close: async () => {},
    };
    const bench = new Bench({ redactor });
    bench.record(1);
    await bench.passTimeUntil(() => bench.recorder.stats().written === 1);
    expect(bench.store.stored[0]?.content?.input).toBe("[redacted]");
    bench.store.mode = "failing";
    bench.record(1);
    await bench.passTimeUntil(() => bench.recorder.stats().spilled === 1);
    const [file = ""] = readdirSync(join(folder, "spill"));
    expect(readFileSync(join(folder, "spill", file), "utf8")).toContain('"[redacted]"');
    expect(bench.recorder.stats().withheld).toBe(2);
  });

  it("is withheld when redaction is so slow that the buffer is half full", async () => {
    const redactor: Redactor = endlessRedactor;
    const bench = new Bench({ redactor, bufferTraces: 4 });
    bench.record(3);
    await bench.passTimeUntil(() => bench.recorder.stats().written === 3);
    expect(bench.store.stored.map(({ content, metadata }) => [content, metadata])).toEqual([
      [null, {}],
      [null, {}],
      [null, {}],
    ]);
    expect(bench.recorder.stats().withheld).toBe(3);
  });
});

describe("Closing the recorder", () => {
  it("writes waiting traces, and accepts no more", async () => {
    const bench = new Bench();
    const traces = bench.record(3);
    await bench.recorder.close(1000);
    expect(bench.storedIds).toEqual(idsOf(traces));
    bench.record(1);
    expect(bench.recorder.stats()).toMatchObject({ recorded: 4, written: 3, dropped: 1 });
    await bench.recorder.close(1000);
  });

  it("spills to disk what the store does not accept, for the next start", async () => {
    const bench = new Bench();
    bench.store.mode = "failing";
    const traces = bench.record(3);
    await bench.recorder.close(1000);
    expect(bench.recorder.stats()).toMatchObject({ spilled: 3, dropped: 0, buffered: 0 });
    const next = new Bench();
    await next.passTimeUntil(() => next.recorder.stats().written === 3);
    expect(next.storedIds).toEqual(idsOf(traces));
    expect(next.store.calls).toEqual(["append missing 3"]);
  });

  it("waits for a store that hangs until the deadline, and loses nothing", async () => {
    const bench = new Bench();
    bench.store.mode = "hanging";
    const traces = bench.record(2);
    bench.clock.advance(100);
    traces.push(...bench.record(2));
    const closed = bench.recorder.close(1000);
    await until(() => {
      bench.clock.advance(10);
      return bench.recorder.stats().spilled === 4;
    });
    await closed;
    const next = new Bench();
    await next.passTimeUntil(() => next.recorder.stats().written === 4);
    expect(next.storedIds).toEqual(idsOf(traces));
  });

  it("counts what could not be written in time", async () => {
    const redactor: Redactor = endlessRedactor;
    const bench = new Bench({ redactor });
    bench.record(2);
    const closed = bench.recorder.close(50);
    bench.clock.advance(50);
    await closed;
    expect(bench.recorder.stats()).toMatchObject({ recorded: 2, dropped: 2, written: 0 });
    expect(bench.lines.at(-1)).toEqual([
      "error",
      "they could not be written in time",
      "traces are being dropped",
    ]);
  });
});

describe("The recorder, when a batch is stored after the close deadline,", () => {
  it("counts it as written, and not also as dropped", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const redact = async (traces: readonly Trace[]) => {
      await released;
      return { traces, withheld: 0 };
    };
    const bench = new Bench({ redactor: { ...endlessRedactor, redact } });
    bench.record(2);
    const closed = bench.recorder.close(50);
    bench.clock.advance(50);
    await closed;
    expect(bench.recorder.stats()).toMatchObject({ dropped: 2, written: 0 });
    release();
    await until(() => bench.recorder.stats().written === 2);
    await until(() => bench.recorder.stats().buffered === 0);
    expect(bench.recorder.stats()).toMatchObject({ recorded: 2, dropped: 0, written: 2 });
  });
});

describe("The recorder, whatever the store does,", () => {
  it("writes every trace once, unchanged, or counts it as dropped", async () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ do: fc.constant("record" as const), count: fc.integer({ min: 1, max: 20 }) }),
        fc.record({ do: fc.constantFrom("failing" as const, "hanging" as const, "working" as const) }),
        fc.record({ do: fc.constant("lie" as const) }),
        fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 3000 }) }),
      ),
      { minLength: 5, maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(0, 3000, 1_000_000), async (script, maxSpillBytes) => {
        rmSync(join(folder, "spill"), { recursive: true, force: true });
        const bench = new Bench({ maxSpillBytes, bufferTraces: 30 });
        const recorded: Trace[] = [];
        for (const step of script) {
          if (step.do === "record") recorded.push(...bench.record(step.count));
          else if (step.do === "wait") {
            for (let ms = 0; ms < step.ms; ms += 50) {
              bench.clock.advance(50);
              await new Promise((resolve) => setImmediate(resolve));
            }
          } else if (step.do === "lie") bench.store.lies = !bench.store.lies;
          else if (step.do === "working") bench.store.release();
          else bench.store.mode = step.do;
        }
        bench.store.release();
        await bench.passTimeUntil(() => {
          const { recorded: all, written, dropped, buffered, spillBytes } = bench.recorder.stats();
          return written + dropped === all && buffered === 0 && spillBytes === 0;
        });
        const { dropped } = bench.recorder.stats();
        const known = new Map(recorded.map((trace) => [trace.requestId, trace]));
        const ids = bench.storedIds;
        expect(new Set(ids).size).toBe(ids.length);
        expect(bench.store.stored).toEqual(ids.map((id) => known.get(id)));
        // A store that lies may have written what was then dropped.
        expect(ids.length).toBeGreaterThanOrEqual(recorded.length - dropped);
        if (dropped === 0) expect(ids.length).toBe(recorded.length);
        await bench.recorder.close(0);
      }),
      { numRuns: 60 },
    );
  });
});
