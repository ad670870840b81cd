/** Feedback on the way to the store: traces that are not there yet, and comments that may not be. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemTimers } from "../../../src/foundation/timers.js";
import { loadSettings } from "../../../src/gateway/settings/load-settings.js";
import { type FeedbackDependencies, feedbackGiver } from "../../../src/gateway/traces/feedback.js";
import { openTraces } from "../../../src/gateway/traces/open-traces.js";
import { MemoryTraceStore } from "../../fakes/trace-store.js";
import { folderForTest } from "../../support/folders.js";
import { NOON, traceWith } from "./trace-for-test.js";

const ALL = { scope: "all" } as const;
const OUTCOME = { score: 0.5, comment: "the zebra-7f3a91 is wrong" };
const recorder = { wantsContent: true, isBehind: false, flush: async () => {} };

/** Over a store in memory that has one trace, without waiting for others. */
async function giver(changes: Partial<FeedbackDependencies> = {}) {
  const [store, trace] = [new MemoryTraceStore(), traceWith()];
  await store.append([trace]);
  const timers = { ...systemTimers, after: (_: number, task: () => void) => systemTimers.after(0, task) };
  const give = feedbackGiver({ store, recorder, timers, now: () => NOON, ...changes });
  return { store, trace, give };
}

describe("Feedback", () => {
  it("for a trace that waits to be written is stored redacted, and survives a restart", async () => {
    const folder = folderForTest();
    const environment = {
      SEXTANT_DATA_DIR: folder,
      SEXTANT_TRACE_FLUSH_MS: "60000",
      SEXTANT_TRACE_QUERY_TIMEOUT_MS: "300000",
    };
    const settings = {
      ...loadSettings(environment, { workingDirectory: folder }),
      traceRedact: [{ pattern: "zebra-[0-9a-f]+" }],
    };
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const open = () => openTraces(settings, { timers: systemTimers, now: () => NOON, log });
    const trace = traceWith();
    const traces = open();
    traces.sink.record(trace);
    const feedback = { score: 0.5, comment: "the [redacted] is wrong", givenAtMs: NOON };
    expect(await traces.giveFeedback(trace.requestId, OUTCOME, ALL)).toEqual(feedback);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    for (const { parentPath, name } of files)
      expect(readFileSync(join(parentPath, name), "latin1")).not.toContain("zebra");
    await traces.close(300_000);
    const again = open();
    expect(await again.store.ask("find", trace.requestId, ALL)).toEqual({ ...trace, feedback });
    await again.close(300_000);
  });

  it("for an unknown trace is undefined", async () => {
    expect(await (await giver()).give("req_none", OUTCOME, ALL)).toBeUndefined();
  });

  it("is stored without its comment when content is not stored", async () => {
    const { give, store, trace } = await giver({ recorder: { ...recorder, wantsContent: false } });
    const given = { score: 0.5, comment: null, givenAtMs: NOON };
    expect(await give(trace.requestId, OUTCOME, ALL)).toEqual(given);
    expect((await store.ask("find", trace.requestId, ALL))?.feedback).toEqual(given);
  });

  it("for a trace that another process sends a moment later is stored", async () => {
    const [store, trace] = [new MemoryTraceStore(), traceWith()];
    let flushes = 0;
    const flush = async () => {
      flushes += 1;
      if (flushes === 2) await store.append([trace]);
    };
    const { give } = await giver({ store, recorder: { ...recorder, flush } });
    expect(await give(trace.requestId, OUTCOME, ALL)).toMatchObject(OUTCOME);
  });

  it("for a trace that may wait on disk is refused with store_down, not as an unknown trace", async () => {
    const { give } = await giver({ recorder: { ...recorder, isBehind: true } });
    await expect(give("req_1", OUTCOME, ALL)).rejects.toMatchObject({ code: "store_down" });
  });
});
