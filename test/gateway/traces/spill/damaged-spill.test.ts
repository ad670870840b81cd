/** Traces on disk that cannot be read: they are put aside, and all others reach the store. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SpillFolder } from "../../../../src/gateway/traces/spill/spill-folder.js";
import type { Trace } from "../../../../src/gateway/traces/trace.js";
import { ScriptedStore } from "../../../fakes/scripted-store.js";
import { folderForTest } from "../../../support/folders.js";
import { recorderOf, spillIn } from "../recorder-for-test.js";
import { routedTrace, traceWith } from "../trace-for-test.js";
import { until } from "../until.js";

let spillPath = "";
let store: ScriptedStore;
beforeEach(() => {
  spillPath = join(folderForTest(), "spill");
  mkdirSync(spillPath);
  store = new ScriptedStore();
});

const FIRST = "0000000900-0000000003-0000000000.jsonl";
const SECOND = "0000000901-0000000003-0000000001.jsonl";
const aside = (name: string): string => join(spillPath, name.replace(".jsonl", ".damaged"));

const write = (name: string, ...lines: readonly (string | Buffer)[]): void =>
  writeFileSync(join(spillPath, name), Buffer.concat(lines.flatMap((line) => [Buffer.from(line), NEWLINE])));
const NEWLINE = Buffer.from("\n");

interface Outcome {
  readonly stored: readonly string[];
  readonly dropped: number;
  readonly errors: readonly unknown[];
}

/** Lets a start bring what is on disk to the store. */
async function bring(): Promise<Outcome> {
  const errors: unknown[] = [];
  const report = (details: unknown, message: string) => void errors.push([message, details]);
  const spill = spillIn(join(spillPath, ".."));
  const recorder = recorderOf({ store, spill, log: { info: () => {}, warn: report, error: report } });
  await until(() => !recorder.isBehind);
  const { dropped } = recorder.stats();
  await recorder.close(1000);
  return { stored: idsOf(...store.stored), dropped, errors };
}

const line = (trace: Trace): string => JSON.stringify(trace);
const idsOf = (...traces: readonly Trace[]): string[] => traces.map(({ requestId }) => requestId).sort();

describe("lines on disk that are no traces", () => {
  it("are put aside byte by byte and named, and the others are stored", async () => {
    const [a, b, c] = [traceWith(), routedTrace(), traceWith({ content: null })];
    const bytes = Buffer.from([0xff, 0x00, 0xfe, 0x7b]);
    write(FIRST, line(a), '{"requestId":"req_1', bytes, line(b), "");
    write(SECOND, line(c));
    expect(await bring()).toEqual({
      stored: idsOf(a, b, c),
      dropped: 3,
      errors: [["damaged traces were put aside", { file: aside(FIRST), lines: 3 }]],
    });
    expect(readFileSync(aside(FIRST))).toEqual(
      Buffer.concat([Buffer.from('{"requestId":"req_1\n'), bytes, Buffer.from("\n\n")]),
    );
    expect(readdirSync(spillPath)).toEqual([FIRST.replace(".jsonl", ".damaged")]);
  });

  it("may have any member of a wrong type, which no store could take", async () => {
    const good = traceWith();
    const wrong: Readonly<Record<string, unknown>>[] = [
      { requestId: 5 },
      { createdAtMs: 1e300 },
      { kind: null },
      { status: {} },
      { model: 5 },
      { source: null },
      { principal: [] },
      { latencyMs: null },
      { ttftMs: "soon" },
      { streamed: "yes" },
      { finishReason: 1 },
      { usage: { prompt_tokens: "many" } },
      { attempts: [null] },
      { attempts: [{ provider: "a", model: "b", usage: { total_cost_usd: "much" } }] },
      { routing: "auto" },
      { error: { code: 1 } },
      { metadata: { tags: ["a"] } },
      { content: { input: 1, output: "" } },
      { content: { input: [{ content: "a" }], output: "" } },
      { content: { input: [{ role: "user", content: ["a"] }], output: "" } },
      { content: { input: [{ role: "assistant", content: null, tool_calls: {} }], output: "" } },
      { content: { input: [], output: "", reasoning: null } },
    ];
    write(FIRST, ...wrong.map((change) => JSON.stringify({ ...good, ...change })), line(good));
    expect(await bring()).toMatchObject({ stored: idsOf(good), dropped: wrong.length });
    expect(readFileSync(aside(FIRST), "utf8").trim().split("\n")).toHaveLength(wrong.length);
  });
});

describe("a file on disk that cannot be read", () => {
  const trace = traceWith();
  beforeEach(() => {
    write(FIRST, line(traceWith()));
    write(SECOND, line(trace));
  });
  afterEach(() => vi.restoreAllMocks());

  it("is put aside as it is, and the next is brought", async () => {
    const { read } = SpillFolder.prototype;
    vi.spyOn(SpillFolder.prototype, "read").mockImplementation(async function (this: SpillFolder, segment) {
      if (segment.path.endsWith(FIRST)) throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
      return read.call(this, segment);
    });
    const details = { file: aside(FIRST), reason: "EIO: i/o error" };
    expect(await bring()).toMatchObject({
      stored: idsOf(trace),
      errors: [["a file of traces cannot be read and was put aside", details]],
    });
    expect(existsSync(aside(FIRST))).toBe(true);
  });

  it("because somebody removed it is no longer waited for", async () => {
    const { oldest } = SpillFolder.prototype;
    vi.spyOn(SpillFolder.prototype, "oldest").mockImplementation(function (this: SpillFolder) {
      rmSync(join(spillPath, FIRST), { force: true });
      return oldest.call(this);
    });
    expect(await bring()).toMatchObject({ stored: idsOf(trace) });
  });
});
