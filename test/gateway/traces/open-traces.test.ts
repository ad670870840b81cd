import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { ExplainedError } from "../../../src/foundation/errors.js";
import { systemTimers } from "../../../src/foundation/timers.js";
import { loadSettings } from "../../../src/gateway/settings/load-settings.js";
import type { Settings } from "../../../src/gateway/settings.js";
import { openTraceStore, openTraces, type Traces } from "../../../src/gateway/traces/open-traces.js";
import type { TraceFilter } from "../../../src/gateway/traces/store.js";
import type { Trace } from "../../../src/gateway/traces/trace.js";
import type { TracedMessage } from "../../../src/gateway/traces/traced-message.js";
import { folderForTest } from "../../support/folders.js";
import { failedTrace, traceWith } from "./trace-for-test.js";
import { until } from "./until.js";

const ALL = { scope: "all" } as const;
const PAGE = { limit: 10, offset: 0 };
/** A time to close that a slow machine does not need up. */
const LONG_MS = 300_000;

let folder = "";
let lines: string[] = [];
beforeEach(() => {
  folder = folderForTest();
  lines = [];
});

const line = (details: object, message: string) => void lines.push(JSON.stringify([details, message]));
const log = { info: line, warn: line, error: line };

const settingsOf = (environment: Record<string, string> = {}, file: Partial<Settings> = {}): Settings => ({
  ...loadSettings({ SEXTANT_DATA_DIR: join(folder, "data"), ...environment }, { workingDirectory: folder }),
  ...file,
});

const open = (settings: Settings): Traces =>
  openTraces(settings, { timers: systemTimers, now: Date.now, log });

/** Bytes of every file below the folder, one after the other. */
function everyByte(path = folder): Buffer {
  if (!statSync(path).isDirectory()) return readFileSync(path);
  return Buffer.concat(readdirSync(path).map((name) => everyByte(join(path, name))));
}

const holds = (text: string): boolean => everyByte().includes(text) || lines.join("").includes(text);

const totalOf = async ({ store }: Pick<Traces, "store">, filter: TraceFilter = {}): Promise<number> =>
  (await store.ask("list", { filter, page: PAGE }, ALL)).total;

/** What the file has of all traces, as a new start reads it. */
async function everyTrace(): Promise<readonly Trace[]> {
  const store = openTraceStore(settingsOf());
  const found: Trace[] = [];
  for await (const batch of store.export({ filter: {} }, ALL)) found.push(...batch);
  await store.close();
  return found;
}

const MARKER = "zebra-7f3a91";
const INPUT: readonly TracedMessage[] = [
  { role: "system", content: `never say ${MARKER}` },
  {
    role: "user",
    content: [
      { type: "text", text: `first ${MARKER}` },
      { type: "file", media_type: MARKER, bytes: 3, filename: `${MARKER}.pdf` },
    ],
    name: MARKER,
  },
  {
    role: "assistant",
    content: `I call ${MARKER}`,
    reasoning: MARKER,
    refusal: MARKER,
    tool_calls: [
      { id: MARKER, type: "function", function: { name: MARKER, arguments: `{"a":"${MARKER}"}` } },
    ],
  },
  { role: "tool", content: `${MARKER} is known`, tool_call_id: MARKER },
  { role: "user", content: `a ${MARKER} b` },
];
const secret = () => traceWith({ content: { input: INPUT, output: MARKER, reasoning: `hm, ${MARKER}` } });

describe("openTraces", () => {
  it("says of a folder for waiting traces that is a file, what to do", () => {
    const settings = settingsOf();
    mkdirSync(settings.dataDir);
    writeFileSync(join(settings.dataDir, "spill"), "");
    expect(() => open(settings)).toThrow(
      new ExplainedError(
        `${join(settings.dataDir, "spill")} cannot be read: a part of its path is a file (ENOTDIR). ` +
          "Move that file away, or set SEXTANT_DATA_DIR to a writable folder.",
      ),
    );
  });

  it("stores recorded traces in the data folder's file, those that wait when it is closed too, for this start and the next", async () => {
    const trace = secret();
    const first = open(settingsOf());
    expect(first.sink.wantsContent).toBe(true);
    first.sink.record(trace);
    await until(() => first.stats()?.written === 1);
    expect(await first.store.ask("find", trace.requestId, ALL)).toEqual(trace);
    expect(first.health()).toEqual({ ok: true, state: "open" });
    // Which validates the search of the tests that follow.
    expect(holds(MARKER)).toBe(true);
    for (let count = 0; count < 100; count++) first.sink.record(traceWith());
    await first.close(LONG_MS);
    expect(first.stats()).toMatchObject({ recorded: 101, dropped: 0, buffered: 0 });
    expect(readdirSync(join(folder, "data"))).toContain("traces.duckdb");
    const second = open(settingsOf());
    await until(() => second.stats()?.spillBytes === 0 && second.health().state === "open");
    expect(await totalOf(second)).toBe(101);
    await second.close(LONG_MS);
  });

  it("creates no file when traces are switched off, and refuses queries and feedback with the reason", async () => {
    const traces = open(settingsOf({ SEXTANT_CH_ENABLED: "false" }));
    expect(traces.sink.wantsContent).toBe(false);
    traces.sink.record(traceWith());
    for (const refused of [
      totalOf(traces),
      traces.store.ask("find", "x", ALL),
      traces.store.ask("stats", { filter: {}, by: [] }, ALL),
      traces.store.export({ filter: {} }, ALL)[Symbol.asyncIterator]().next(),
      traces.giveFeedback("req_1", { score: 1, comment: null }, ALL),
    ])
      await expect(refused).rejects.toMatchObject({
        code: "store_down",
        message: expect.stringMatching(/SEXTANT_CH_ENABLED/),
      });
    expect(traces.stats()).toBeUndefined();
    await traces.close(LONG_MS);
    expect(readdirSync(folder)).toEqual([]);
  });
});

// The log has texts as they are; in the file they are compressed, where looking for bytes would prove nothing.
describe("Content that is not to be stored", () => {
  it("is in no file, log or metric, during and after the run, with the store up and down", async () => {
    const settings = settingsOf({ SEXTANT_TRACE_CONTENT: "false" });
    const traces = open(settings);
    expect(traces.sink.wantsContent).toBe(false);
    // The first of them come before the file is open, and take the way over the disk.
    for (let count = 0; count < 50; count++) traces.sink.record(secret());
    await until(() => (traces.stats()?.written ?? 0) >= 50);
    traces.sink.record(secret());
    await until(() => traces.stats()?.written === 51);
    expect(statSync(join(settings.dataDir, "traces.duckdb.wal")).size).toBeGreaterThan(0);
    expect(everyByte().includes('"acme"')).toBe(true);
    expect(holds(MARKER)).toBe(false);
    await traces.close(LONG_MS);
    expect(holds(MARKER)).toBe(false);
    expect((await everyTrace()).map(({ content }) => content)).toEqual(Array(51).fill(null));
    expect(everyByte().includes("gpt-4o-mini")).toBe(true);
  });

  it("is in no file when it is redacted, in every string of messages, answers, reasoning, metadata and errors", async () => {
    const traces = open(settingsOf({}, { traceRedact: [{ pattern: "zebra-[0-9a-f]+" }] }));
    traces.sink.record({ ...secret(), metadata: { note: `is ${MARKER}` } });
    const error = { code: "upstream_error", message: `said ${MARKER}` };
    const call = { provider: "lab", model: "a", status: 500, code: "server_error", latency_ms: 1 };
    traces.sink.record(failedTrace({ error, attempts: [{ ...call, message: `called ${MARKER}` }] }));
    await until(() => traces.stats()?.written === 2);
    for (const text of [
      "a [redacted] b",
      "never say [redacted]",
      "[redacted] is known",
      '"a":"[redacted]"',
      "[redacted].pdf",
    ])
      expect([text, await totalOf(traces, { text })]).toEqual([text, 1]);
    expect(holds(MARKER)).toBe(false);
    for (const text of ["is", "hm,", "said", "called"])
      expect(everyByte().includes(`${text} [redacted]`)).toBe(true);
    await traces.close(LONG_MS);
    expect(holds(MARKER)).toBe(false);
    const kept = JSON.stringify(await everyTrace());
    expect(kept).not.toContain(MARKER);
    expect(kept).toContain("is [redacted]");
  });
});
