import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { ExplainedError } from "../../../src/foundation/errors.js";
import { systemTimers } from "../../../src/foundation/timers.js";
import { loadSettings } from "../../../src/gateway/settings/load-settings.js";
import type { Settings } from "../../../src/gateway/settings/settings.js";
import { openTraceStore, openTraces, type Traces } from "../../../src/gateway/traces/open-traces.js";
import type { Trace } from "../../../src/gateway/traces/trace.js";
import type { TracedMessage } from "../../../src/gateway/traces/traced-message.js";
import { folderForTest } from "../../support/folders.js";
import { failedTrace, NOON, traceWith } from "./trace-for-test.js";
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
function everyByte(path: string): Buffer {
  if (!statSync(path).isDirectory()) return readFileSync(path);
  return Buffer.concat(readdirSync(path).map((name) => everyByte(join(path, name))));
}

const holds = (marker: string): boolean =>
  everyByte(folder).includes(marker) || lines.join("").includes(marker);

/** What the file has of all traces, as a new start reads it. */
async function everyTrace(): Promise<readonly Trace[]> {
  const store = openTraceStore(settingsOf());
  const found: Trace[] = [];
  for await (const batch of store.export({ filter: {} }, ALL)) found.push(...batch);
  await store.close();
  return found;
}

describe("A data folder that cannot hold traces", () => {
  it("says that its folder for waiting traces is a file, and what to do", () => {
    const settings = settingsOf();
    mkdirSync(settings.dataDir);
    writeFileSync(join(settings.dataDir, "spill"), "");
    expect(() => open(settings)).toThrow(
      new ExplainedError(
        `${join(settings.dataDir, "spill")} is a file, but traces that wait for their store are kept in a folder of that name. ` +
          "Move it away, or set SEXTANT_DATA_DIR to another folder.",
      ),
    );
  });
});

describe("openTraces", () => {
  it("stores recorded traces in the data folder's file, for this start and the next", async () => {
    const trace = traceWith();
    const first = open(settingsOf());
    expect(first.sink.wantsContent).toBe(true);
    first.sink.record(trace);
    await until(() => first.stats()?.written === 1);
    expect(await first.store.ask("find", trace.requestId, ALL)).toEqual(trace);
    expect(first.health()).toEqual({ ok: true, state: "open" });
    await first.close(5000);
    expect(readdirSync(join(folder, "data"))).toContain("traces.duckdb");
    const second = open(settingsOf());
    expect(await second.store.ask("list", { filter: {}, page: PAGE }, ALL)).toMatchObject({ total: 1 });
    await second.close(5000);
  });

  it("writes waiting traces when it is closed", async () => {
    const traces = open(settingsOf({ SEXTANT_TRACE_FLUSH_MS: "60000" }));
    for (let count = 0; count < 100; count++) traces.sink.record(traceWith());
    await traces.close(LONG_MS);
    expect(traces.stats()).toMatchObject({ recorded: 100, dropped: 0, buffered: 0 });
    const store = openTraceStore(settingsOf());
    const { spilled = 0 } = traces.stats() ?? {};
    expect((await store.ask("list", { filter: {}, page: PAGE }, ALL)).total).toBe(100 - spilled);
    await store.close();
    const next = open(settingsOf());
    await until(() => next.stats()?.spillBytes === 0 && next.health().state === "open");
    expect((await next.store.ask("list", { filter: {}, page: PAGE }, ALL)).total).toBe(100);
    await next.close(5000);
  });

  it("creates no file when traces are switched off, and refuses queries with the reason", async () => {
    const traces = open(settingsOf({ SEXTANT_CH_ENABLED: "false" }));
    expect(traces.sink.wantsContent).toBe(false);
    traces.sink.record(traceWith());
    const off = expect.objectContaining({
      code: "store_down",
      message: expect.stringMatching(/SEXTANT_CH_ENABLED/),
    });
    await expect(traces.store.ask("list", { filter: {}, page: PAGE }, ALL)).rejects.toEqual(off);
    await expect(traces.store.ask("find", "x", ALL)).rejects.toEqual(off);
    await expect(traces.store.ask("stats", { filter: {}, by: [] }, ALL)).rejects.toEqual(off);
    await expect(traces.store.export({ filter: {} }, ALL)[Symbol.asyncIterator]().next()).rejects.toEqual(
      off,
    );
    expect(traces.stats()).toBeUndefined();
    await traces.close(5000);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("Content that is not to be stored", () => {
  const marker = "zebra-7f3a91";
  const call = {
    id: marker,
    type: "function",
    function: { name: marker, arguments: `{"a":"${marker}"}` },
  } as const;
  const file = { type: "file", media_type: marker, bytes: 3, filename: `${marker}.pdf` };
  const input: readonly TracedMessage[] = [
    { role: "system", content: `never say ${marker}` },
    { role: "user", content: [{ type: "text", text: `first ${marker}` }, file], name: marker },
    {
      role: "assistant",
      content: `I call ${marker}`,
      reasoning: marker,
      refusal: marker,
      tool_calls: [call],
    },
    { role: "tool", content: `${marker} is known`, tool_call_id: marker },
    { role: "user", content: `a ${marker} b` },
  ];
  const content = { input, output: marker, reasoning: `hm, ${marker}` };
  const secret = () => traceWith({ content, createdAtMs: NOON });

  it("is in no file, log or metric, during and after the run, with the store up and down", async () => {
    const settings = settingsOf({ SEXTANT_TRACE_CONTENT: "false" });
    const traces = open(settings);
    expect(traces.sink.wantsContent).toBe(false);
    // The first of them come before the file is open, and take the way over the disk.
    for (let count = 0; count < 500; count++) traces.sink.record(secret());
    await until(() => (traces.stats()?.written ?? 0) >= 500);
    traces.sink.record(secret());
    await until(() => traces.stats()?.written === 501);
    expect(statSync(join(settings.dataDir, "traces.duckdb.wal")).size).toBeGreaterThan(0);
    const { traces: found } = await traces.store.ask(
      "list",
      { filter: { source: "default" }, page: PAGE },
      ALL,
    );
    expect((await traces.store.ask("find", found[0]?.requestId ?? "", ALL))?.content).toBeNull();
    // The log has texts as they are; in the file they are compressed, where looking for bytes would prove nothing.
    expect(everyByte(folder).includes('"acme"')).toBe(true);
    expect(holds(marker)).toBe(false);
    await traces.close(5000);
    expect(holds(marker)).toBe(false);
    expect((await everyTrace()).map(({ content }) => content)).toEqual(
      Array.from({ length: 501 }, () => null),
    );
    expect(everyByte(folder).includes("gpt-4o-mini")).toBe(true);
  });

  it("is found by the same search when it is stored, which validates the search", async () => {
    const traces = open(settingsOf());
    traces.sink.record(secret());
    await until(() => traces.stats()?.written === 1);
    expect(holds(marker)).toBe(true);
    await traces.close(5000);
  });

  it("is in no file when it is redacted, in every string of messages, answers, reasoning, metadata and errors", async () => {
    const traces = open(settingsOf({}, { traceRedact: [{ pattern: "zebra-[0-9a-f]+" }] }));
    traces.sink.record({ ...secret(), metadata: { note: `is ${marker}` } });
    traces.sink.record(failedTrace({ error: { code: "upstream_error", message: `said ${marker}` } }));
    await until(() => traces.stats()?.written === 2);
    for (const text of [
      "a [redacted] b",
      "never say [redacted]",
      "[redacted] is known",
      '"a":"[redacted]"',
      "[redacted].pdf",
    ])
      expect([text, (await traces.store.ask("list", { filter: { text }, page: PAGE }, ALL)).total]).toEqual([
        text,
        1,
      ]);
    // The log has texts as they are; in the file they are compressed, where looking for bytes would prove nothing.
    expect(holds(marker)).toBe(false);
    expect(everyByte(folder).includes("is [redacted]")).toBe(true);
    expect(everyByte(folder).includes("hm, [redacted]")).toBe(true);
    expect(everyByte(folder).includes("said [redacted]")).toBe(true);
    await traces.close(5000);
    expect(holds(marker)).toBe(false);
    const kept = JSON.stringify(await everyTrace());
    expect(kept).not.toContain(marker);
    expect(kept).toContain("is [redacted]");
  });

  it("that retention removes is found no more, and other traces are intact", async () => {
    const kept = traceWith({
      createdAtMs: NOON + 1,
      content: { input: "kept-5521".repeat(2000), output: "" },
    });
    const old = Array.from({ length: 300 }, () =>
      traceWith({
        createdAtMs: NOON,
        source: marker,
        metadata: { [`key-${marker}`]: 1, tenant: "acme" },
        content: { input: randomBytes(20_000).toString("base64"), output: marker },
      }),
    );
    const before = openTraceStore(settingsOf());
    await before.append([...old, kept]);
    await before.close();
    const traces = open(settingsOf());
    expect((await traces.store.ask("list", { filter: { text: marker }, page: PAGE }, ALL)).total).toBe(300);
    expect(holds(marker)).toBe(true);
    expect(await traces.store.removeBefore(NOON + 1)).toBe(300);
    expect(await traces.store.ask("find", kept.requestId, ALL)).toEqual(kept);
    expect((await traces.store.ask("list", { filter: { text: marker }, page: PAGE }, ALL)).total).toBe(0);
    // The slot of the key that is gone is given to another, and what was kept is still found by its own.
    await traces.store.append([
      traceWith({ createdAtMs: NOON + 2, metadata: { fresh: "x", tenant: "acme" } }),
    ]);
    for (const [key, value, total] of [
      ["tenant", "acme", 2],
      ["fresh", "x", 1],
      ["tier", "3", 1],
    ] as const) {
      expect(
        (await traces.store.ask("list", { filter: { metadata: [{ key, value }] }, page: PAGE }, ALL)).total,
      ).toBe(total);
    }
    await traces.close(5000);
    const left = JSON.stringify(await everyTrace());
    expect(left).toContain("kept-5521");
    expect(left).not.toContain(marker);
  });
});
