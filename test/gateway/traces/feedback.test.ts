/** Feedback on the way to the store: traces that are not there yet, and comments that may not be. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemTimers } from "../../../src/foundation/timers.js";
import { loadSettings } from "../../../src/gateway/settings/load-settings.js";
import type { Settings } from "../../../src/gateway/settings/settings.js";
import { feedbackGiver } from "../../../src/gateway/traces/feedback.js";
import { openTraces, type Traces } from "../../../src/gateway/traces/open-traces.js";
import { MemoryTraceStore } from "../../fakes/trace-store.js";
import { folderForTest } from "../../support/folders.js";
import { NOON, traceWith } from "./trace-for-test.js";

const ALL = { scope: "all" } as const;
const OUTCOME = { score: 0.5, comment: "the zebra-7f3a91 is wrong" };
const log = { info: () => {}, warn: () => {}, error: () => {} };

let folder = "";
let opened: Traces[] = [];
beforeEach(() => {
  folder = folderForTest();
});
afterEach(async () => {
  await Promise.all(opened.map((traces) => traces.close(5000)));
  opened = [];
});

/** With an hour between writes, unless something asks for them. */
function open(environment: Record<string, string> = {}, changes: Partial<Settings> = {}): Traces {
  const settings = loadSettings(
    { SEXTANT_DATA_DIR: join(folder, "data"), SEXTANT_TRACE_FLUSH_MS: "60000", ...environment },
    { workingDirectory: folder },
  );
  const traces = openTraces({ ...settings, ...changes }, { timers: systemTimers, now: () => NOON, log });
  opened.push(traces);
  return traces;
}

const everyByte = (): string =>
  readdirSync(join(folder, "data"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("");

describe("Feedback", () => {
  it("for a trace that waits to be written is stored, and survives a restart", async () => {
    const trace = traceWith();
    const traces = open();
    traces.sink.record(trace);
    const feedback = { ...OUTCOME, givenAtMs: NOON };
    expect(await traces.giveFeedback(trace.requestId, OUTCOME, ALL)).toEqual(feedback);
    expect(await traces.store.ask("find", trace.requestId, ALL)).toEqual({ ...trace, feedback });
    await traces.close(5000);
    opened = [];
    expect(await open().store.ask("find", trace.requestId, ALL)).toEqual({ ...trace, feedback });
  });

  it("for an unknown trace is undefined", async () => {
    expect(await open().giveFeedback("req_none", OUTCOME, ALL)).toBeUndefined();
  });

  it("is stored without its comment when content is not stored", async () => {
    const trace = traceWith({ content: null });
    const traces = open({ SEXTANT_TRACE_CONTENT: "false" });
    traces.sink.record(trace);
    const given = await traces.giveFeedback(trace.requestId, OUTCOME, ALL);
    expect(given).toEqual({ score: 0.5, comment: null, givenAtMs: NOON });
    expect((await traces.store.ask("find", trace.requestId, ALL))?.feedback).toEqual(given);
    expect(everyByte()).not.toContain("zebra");
  });

  it("is stored with a redacted comment when redaction is configured", async () => {
    const trace = traceWith();
    const traces = open({}, { traceRedact: [{ pattern: "zebra-[0-9a-f]+" }] });
    traces.sink.record(trace);
    const given = await traces.giveFeedback(trace.requestId, OUTCOME, ALL);
    expect(given?.comment).toBe("the [redacted] is wrong");
    expect((await traces.store.ask("find", trace.requestId, ALL))?.feedback).toEqual(given);
    expect(everyByte()).not.toContain("zebra");
  });

  it("is refused while traces are switched off", async () => {
    const traces = open({ SEXTANT_CH_ENABLED: "false" });
    await expect(traces.giveFeedback("req_1", OUTCOME, ALL)).rejects.toMatchObject({ code: "store_down" });
  });

  it("for a trace that another process sends a moment later is stored", async () => {
    const trace = traceWith();
    const store = new MemoryTraceStore();
    let flushes = 0;
    const giveFeedback = feedbackGiver({
      store,
      recorder: {
        wantsContent: true,
        isBehind: false,
        flush: async () => {
          flushes += 1;
          if (flushes === 2) await store.append([trace]);
        },
      },
      timers: systemTimers,
      now: () => NOON,
    });
    expect(await giveFeedback(trace.requestId, OUTCOME, ALL)).toMatchObject(OUTCOME);
  });

  it("for a trace that may wait on disk is refused with store_down, not as an unknown trace", async () => {
    const giveFeedback = feedbackGiver({
      store: new MemoryTraceStore(),
      recorder: { wantsContent: true, isBehind: true, flush: async () => {} },
      timers: { ...systemTimers, after: (_, task) => systemTimers.after(0, task) },
      now: () => NOON,
    });
    await expect(giveFeedback("req_1", OUTCOME, ALL)).rejects.toMatchObject({ code: "store_down" });
  });
});
