import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Timers } from "../../../src/foundation/timers.js";
import type { Recorder, RecorderOptions } from "../../../src/gateway/traces/recorder.js";
import type { Redactor } from "../../../src/gateway/traces/redaction/redactor.js";
import type { SpillFolder } from "../../../src/gateway/traces/spill/spill-folder.js";
import type { Trace } from "../../../src/gateway/traces/trace.js";
import { FakeClock } from "../../fakes/clock.js";
import { ScriptedStore } from "../../fakes/scripted-store.js";
import { folderForTest } from "../../support/folders.js";
import { recorderOf, spillIn } from "./recorder-for-test.js";
import { said, traceWith } from "./trace-for-test.js";
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
    this.spill = spillIn(folder, { maxBytes: options.maxSpillBytes ?? 10_000_000 });
    // Many tests leave it as a process does that dies.
    onTestFinished(() => this.spill.close().catch(() => {}));
    const line = (level: string) => (details: Readonly<Record<string, unknown>>, message: string) =>
      void this.lines.push([level, details.reason ?? details.fault, message]);
    this.recorder = recorderOf({
      store: this.store,
      spill: this.spill,
      bufferTraces: 1000,
      timers: this.clock,
      clock: this.clock.now,
      log: { info: line("info"), warn: line("warn"), error: line("error") },
      ...options,
    });
  }

  record(count: number, parts: Partial<Trace> = {}): Trace[] {
    const traces = Array.from({ length: count }, () => traceWith(parts));
    for (const trace of traces) this.recorder.record(trace);
    return traces;
  }

  /** Lets time pass until the condition holds, also ahead of the disk, which is real. */
  async passTimeUntil(condition: () => boolean): Promise<void> {
    await until(() => {
      if (!condition()) this.clock.advance(10);
      return condition();
    });
  }

  async written(count: number): Promise<void> {
    await this.passTimeUntil(() => this.stats.written === count);
  }

  async spilled(count: number): Promise<void> {
    await this.passTimeUntil(() => this.stats.spilled === count);
  }

  get stats() {
    return this.recorder.stats();
  }

  get storedIds(): string[] {
    return idsOf(this.store.stored);
  }
}

const endlessRedactor: Redactor = {
  redact: () => new Promise(() => {}),
  redactText: () => new Promise(() => {}),
  close: async () => {},
};

const idsOf = (traces: readonly Trace[]): string[] => traces.map(({ requestId }) => requestId);
let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});

it("The recorder, while the store is being opened, writes traces to disk at once, where a kill loses none of them, and to the store when it is open", async () => {
  bench.store.state = "opening";
  bench.store.mode = "hanging";
  const traces = bench.record(2);
  bench.clock.advance(0);
  await until(() => bench.stats.spilled === 2);
  expect(bench.stats).toMatchObject({ buffered: 0, written: 0 });
  bench.store.state = "open";
  bench.store.release();
  await bench.written(2);
  expect(bench.storedIds).toEqual(idsOf(traces));
  // Nothing was written twice, so that the store need not look for what it has.
  expect(bench.store.calls).toEqual(["append 2"]);
  expect(bench.lines).toEqual([]);
});

describe("The recorder, while the store works,", () => {
  it("writes traces at once on demand, also for several concurrent callers", async () => {
    const first = bench.record(2);
    const flushed = Promise.all([bench.recorder.flush(), bench.recorder.flush()]);
    const second = bench.record(1);
    await Promise.all([flushed, bench.recorder.flush()]);
    expect(bench.storedIds).toEqual(idsOf([...first, ...second]));
  });

  it("writes traces together at the flush interval, not before", async () => {
    const traces = bench.record(3);
    bench.clock.advance(99);
    expect(bench.store.calls).toEqual([]);
    expect(bench.stats).toMatchObject({ recorded: 3, written: 0, buffered: 3 });
    bench.clock.advance(1);
    await until(() => bench.stats.written === 3);
    expect(bench.store.calls).toEqual(["append 3"]);
    expect(bench.store.stored).toEqual(traces);
    expect(bench.stats).toMatchObject({ recorded: 3, written: 3, spilled: 0, dropped: 0, buffered: 0 });
    expect([bench.lines, bench.clock.waiting]).toEqual([[], 0]);
  });

  it("counts the interval from the arrival of a trace, also during a slow write", async () => {
    bench.store.mode = "hanging";
    bench.record(1);
    bench.clock.advance(100);
    await until(() => bench.store.calls.length === 1);
    bench.record(2);
    bench.clock.advance(100);
    await until(() => {
      bench.clock.advance(0);
      return bench.stats.spilled === 3;
    });
  });

  it("writes a full batch at once, and the rest after it", async () => {
    bench = new Bench({ bufferTraces: 100_000 });
    const traces = bench.record(5000);
    await until(() => {
      bench.clock.advance(0);
      return bench.stats.written >= 4096;
    });
    expect(bench.store.calls).toEqual(["append 2048", "append 2048"]);
    await bench.written(5000);
    expect(bench.storedIds).toEqual(idsOf(traces));
  });

  it("writes smaller batches of long texts", async () => {
    bench.record(5, { content: { input: said("x".repeat(3_000_000)), output: "" } });
    await bench.written(5);
    expect(bench.store.calls).toEqual(["append 3", "append 2"]);
  });
});

const KEPT = "traces are not stored for the time being; they are kept on disk until they are";

describe("The recorder, when the store fails,", () => {
  beforeEach(() => {
    bench.store.mode = "failing";
  });

  it("spills traces to disk, writes each once, in order, when it is back, and then to the store directly", async () => {
    const traces = bench.record(2);
    await bench.spilled(2);
    traces.push(...bench.record(3));
    await bench.spilled(5);
    expect(bench.stats.spillBytes).toBeGreaterThan(0);
    bench.store.mode = "working";
    await bench.written(5);
    expect(bench.storedIds).toEqual(idsOf(traces));
    await until(() => !bench.recorder.isBehind);
    expect([bench.stats.spillBytes, readdirSync(join(folder, "spill"))]).toEqual([0, []]);
    bench.record(1);
    await bench.written(6);
    expect(bench.store.calls.at(-1)).toBe("append 1");
    expect(bench.stats.spilled).toBe(5);
  });

  it("logs the outage once when it begins and once when it ends", async () => {
    for (let outage = 0; outage < 2; outage++) {
      bench.store.mode = "failing";
      for (let flush = 1; flush <= 3; flush++) {
        bench.record(1);
        await bench.spilled(outage * 3 + flush);
      }
      bench.store.mode = "working";
      await bench.passTimeUntil(() => bench.lines.length === (outage + 1) * 2);
    }
    const [kept, back] = [
      ["warn", "the store is away", KEPT],
      ["info", undefined, "traces are stored again"],
    ];
    expect(bench.lines).toEqual([kept, back, kept, back]);
  });

  it("retries less and less often, but at least every five seconds", async () => {
    const pauses: number[] = [];
    const { clock } = bench;
    const after: Timers["after"] = (ms, task) => {
      pauses.push(ms);
      return clock.after(ms, task);
    };
    const timed = new Bench({ timers: { ...clock, after } });
    timed.store.mode = "failing";
    timed.record(1);
    await until(() => {
      clock.advance(5000);
      return pauses.length >= 10;
    });
    const [flush, store] = [100, 100];
    expect(pauses.slice(0, 10)).toEqual([flush, store, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  });
});

describe("The recorder, when the store is slow,", () => {
  beforeEach(() => {
    bench.store.mode = "hanging";
  });

  it("asks again for what it may have stored of traces that were on disk", async () => {
    const traces = bench.record(2);
    await bench.spilled(2);
    await bench.spill.oldest();
    traces.push(...bench.record(3));
    await bench.spilled(5);
    const append = bench.store.append.bind(bench.store);
    bench.store.append = async (batch) => {
      bench.store.append = append;
      await append(batch);
      throw new Error("the answer was lost");
    };
    bench.store.release();
    await bench.written(5);
    expect(bench.store.calls).toEqual(["append 2", "append missing 2", "append 3", "append missing 3"]);
    expect(bench.storedIds).toEqual(idsOf(traces));
  });

  it("logs it only when it lasts", async () => {
    /** The store is asked, and not waited for any longer. */
    const askInVain = async (calls: number) => {
      bench.store.mode = "hanging";
      bench.record(1);
      bench.clock.advance(100);
      await until(() => bench.store.calls.length === calls);
      bench.clock.advance(100);
      await until(() => bench.recorder.isBehind && bench.stats.buffered === 0);
    };
    await askInVain(1);
    bench.store.release();
    await until(() => bench.stats.written === 1 && !bench.recorder.isBehind);
    await askInVain(3);
    bench.clock.advance(29_999);
    expect(bench.lines).toEqual([]);
    bench.clock.advance(1);
    expect(bench.lines).toEqual([["warn", "the store has not answered for 30 s", KEPT]]);
    bench.store.release();
    await until(() => bench.lines.length === 2);
  });
});

describe("The recorder, when neither the store nor the disk takes traces,", () => {
  const one = JSON.stringify(traceWith()).length + 1;
  const noFolder = () => writeFileSync(join(folder, "spill"), "a file where the folder should be");
  const makeRoom = () => rmSync(join(folder, "spill"), { recursive: true, force: true });
  /** Until there are so many in memory that were tried to be written. */
  const stuck = (count: number) =>
    bench.passTimeUntil(() => bench.stats.buffered === count && !bench.recorder.health().ok);

  it.each([
    [
      one * 2 + 10,
      () => {},
      2,
      "the folder spill is full. Repair the store, or raise SEXTANT_TRACE_SPILL_MAX_BYTES.",
    ],
    [
      ...[10_000_000, noFolder, 0],
      "the folder spill cannot be written: a part of its path is a file (EEXIST). Move that file away, or set SEXTANT_DATA_DIR to a writable folder.",
    ],
  ] as const)(
    "keeps them in memory, says why, and writes all of them in order once the store works (%s bytes on disk)",
    async (maxSpillBytes, prepare, spilled, fault) => {
      bench = new Bench({ maxSpillBytes });
      prepare();
      bench.store.mode = "failing";
      const traces = bench.record(3);
      await stuck(3 - spilled);
      expect(bench.recorder.health()).toEqual({ ok: false, state: `traces wait in memory: ${fault}` });
      traces.push(...bench.record(2));
      await bench.recorder.flush();
      expect(bench.stats).toMatchObject({ recorded: 5, spilled, buffered: 5 - spilled, dropped: 0 });
      bench.store.mode = "working";
      await bench.written(5);
      expect(bench.storedIds).toEqual(idsOf(traces));
      expect(bench.recorder.health()).toEqual({ ok: true, state: "open" });
      // Said again after a while, and how much time passes depends on how quickly the folder answers.
      const errors = new Set(bench.lines.filter(([level]) => level === "error").map(String));
      expect([...errors]).toEqual([`error,${fault},traces wait in memory: they cannot be kept on disk`]);
    },
  );

  it("writes them to disk once there is room, and once each what a slow store took after all", async () => {
    noFolder();
    bench.store.mode = "hanging";
    const traces = bench.record(2);
    await stuck(2);
    makeRoom();
    await bench.spilled(2);
    bench.store.release();
    await bench.written(2);
    expect(bench.storedIds).toEqual(idsOf(traces));
  });

  it("drops and counts what does not fit in memory, by number and by bytes, says so once a minute, and fails no request", async () => {
    for (const [limit, length] of [
      [{ bufferTraces: 3 }, 1],
      [{ bufferBytes: 20_000 }, 6000],
    ] as const) {
      makeRoom();
      bench = new Bench(limit);
      noFolder();
      bench.store.mode = "failing";
      const record = (count: number) =>
        bench.record(count, { content: { input: said("x".repeat(length)), output: "" } });
      record(2);
      await stuck(2);
      record(3);
      for (const pauseMs of [1000, 60_000]) {
        bench.clock.advance(pauseMs);
        record(1);
      }
      expect(bench.recorder.health()).toMatchObject({ ok: false, dropped: 4 });
      expect(bench.stats).toMatchObject({ recorded: 7, buffered: 3, dropped: 4 });
      const dropped = bench.lines.filter(([, , message]) => message === "traces are being dropped");
      expect(dropped).toEqual(Array(2).fill(["error", "the buffer is full", "traces are being dropped"]));
    }
  });

  it("withholds no content because of that", async () => {
    const redact = async (traces: readonly Trace[]) => ({ traces, withheld: 0 });
    bench = new Bench({ bufferTraces: 4, redactor: { ...endlessRedactor, redact } });
    noFolder();
    bench.store.mode = "failing";
    bench.record(1);
    await stuck(1);
    bench.record(3);
    bench.store.mode = "working";
    await bench.written(4);
    expect(bench.stats.withheld).toBe(0);
  });
});

describe("Content in the recorder", () => {
  it("is redacted before a trace is written, and what was withheld is counted", async () => {
    const redact = async (traces: readonly Trace[]) => ({
      traces: traces.map((trace) => ({ ...trace, content: null })),
      withheld: 1,
    });
    bench = new Bench({ redactor: { ...endlessRedactor, redact } });
    const [trace] = bench.record(1);
    await bench.written(1);
    expect([bench.store.stored, bench.stats.withheld]).toEqual([[{ ...trace, content: null }], 1]);
  });

  it("is withheld when redaction is so slow that the buffer is half full", async () => {
    bench = new Bench({ redactor: endlessRedactor, bufferTraces: 4 });
    bench.record(3);
    await bench.written(3);
    expect(bench.store.stored).toMatchObject(Array(3).fill({ content: null, metadata: {} }));
    expect(bench.stats.withheld).toBe(3);
  });
});

describe("Closing the recorder", () => {
  it("writes waiting traces, and accepts no more", async () => {
    const traces = bench.record(3);
    await bench.recorder.close(1000);
    expect(bench.storedIds).toEqual(idsOf(traces));
    expect(bench.clock.waiting).toBe(0);
    bench.record(1);
    expect(bench.stats).toMatchObject({ recorded: 4, written: 3, dropped: 1 });
    await bench.recorder.close(1000);
  });

  it("waits for a store that hangs until the deadline, and loses nothing", async () => {
    bench.store.mode = "hanging";
    const traces = bench.record(2);
    bench.clock.advance(100);
    traces.push(...bench.record(2));
    const closed = bench.recorder.close(1000);
    await until(() => bench.store.calls.length === 1);
    bench.clock.advance(100);
    await closed;
    expect(bench.stats).toMatchObject({ spilled: 4, dropped: 0 });
    const next = new Bench();
    await next.written(4);
    expect(next.storedIds).toEqual(idsOf(traces));
  });

  it("counts what could not be written in time as dropped, and as written when it is stored after all", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const redact = async (traces: readonly Trace[]) => {
      await released;
      return { traces, withheld: 0 };
    };
    bench = new Bench({ redactor: { ...endlessRedactor, redact } });
    bench.record(2);
    const closed = bench.recorder.close(50);
    bench.clock.advance(50);
    await closed;
    expect(bench.stats).toMatchObject({ recorded: 2, dropped: 2, written: 0 });
    expect(bench.lines).toEqual([["error", "they could not be written in time", "traces are being dropped"]]);
    release();
    await until(() => bench.stats.written === 2 && bench.stats.buffered === 0);
    expect(bench.stats).toMatchObject({ recorded: 2, dropped: 0, written: 2 });
  });
});

it("The recorder writes every trace once, unchanged, or counts it as dropped, whatever the store does", async () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ do: fc.constant("record" as const), count: fc.integer({ min: 1, max: 20 }) }),
      fc.record({ do: fc.constantFrom("failing" as const, "hanging" as const, "working" as const) }),
      fc.record({ do: fc.constant("lie" as const) }),
      fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 3000 }) }),
    ),
    { minLength: 5, maxLength: 30 },
  );
  const anySpillBytes = fc.constantFrom(0, 3000, 1_000_000);
  const property = fc.asyncProperty(steps, anySpillBytes, async (script, maxSpillBytes) => {
    rmSync(join(folder, "spill"), { recursive: true, force: true });
    bench = new Bench({ maxSpillBytes, bufferTraces: 30 });
    const recorded: Trace[] = [];
    for (const step of script) {
      if (step.do === "record") recorded.push(...bench.record(step.count));
      else if (step.do === "wait") {
        const endMs = bench.clock.now() + step.ms;
        await bench.passTimeUntil(() => bench.clock.now() >= endMs);
      } else if (step.do === "lie") bench.store.lies = !bench.store.lies;
      else if (step.do === "working") bench.store.release();
      else bench.store.mode = step.do;
    }
    bench.store.release();
    await bench.passTimeUntil(() => {
      const { recorded: all, written, dropped, buffered, spillBytes } = bench.stats;
      return written + dropped === all && buffered === 0 && spillBytes === 0;
    });
    const { dropped } = bench.stats;
    const known = new Map(recorded.map((trace) => [trace.requestId, trace]));
    const ids = bench.storedIds;
    expect(new Set(ids).size).toBe(ids.length);
    expect(bench.store.stored).toEqual(ids.map((id) => known.get(id)));
    // A store that lies may have written what was then dropped.
    expect(ids.length).toBeGreaterThanOrEqual(recorded.length - dropped);
    if (dropped === 0) expect(ids.length).toBe(recorded.length);
    await bench.recorder.close(0);
  });
  await fc.assert(property, { numRuns: 25 });
});
