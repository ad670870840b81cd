import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { SpillFolder, type SpillOptions } from "../../../../src/gateway/traces/spill/spill-folder.js";
import type { Trace } from "../../../../src/gateway/traces/trace.js";
import { folderForTest } from "../../../support/folders.js";
import { anyTraces } from "../arbitrary-traces.js";
import { HOSTILE, routedTrace, said, traceWith } from "../trace-for-test.js";

let parent = "";
let folder = "";
beforeEach(() => {
  parent = folderForTest();
  folder = join(parent, "spill");
});

function find(options: Partial<SpillOptions> = {}): SpillFolder {
  const defaults = { maxBytes: 1_000_000, startedAtMs: 1000 };
  const spill = new SpillFolder(folder, { ...defaults, ...options });
  // Many tests leave it as a process does that dies.
  onTestFinished(() => spill.close().catch(() => {}));
  return spill;
}

/** Reads and removes everything, in order. */
async function takeAll(spill: SpillFolder): Promise<Trace[]> {
  const taken: Trace[] = [];
  for (let segment = await spill.oldest(); segment !== undefined; segment = await spill.oldest()) {
    const { traces, damaged } = await spill.read(segment);
    expect(damaged).toEqual([]);
    taken.push(...traces);
    await spill.remove(segment);
  }
  return taken;
}

describe("The spill folder", () => {
  it("is empty and not created until something is written", async () => {
    const spill = find();
    expect([spill.isEmpty, spill.bytes, existsSync(folder)]).toEqual([true, 0, false]);
    expect(await spill.oldest()).toBeUndefined();
  });

  it("returns what was written, in order, from files private to their owner, and leaves nothing behind", async () => {
    const spill = find({ segmentBytes: 2000 });
    const content = { input: said("What is 2 + 2?"), output: "4", reasoning: "Two and two." };
    const traces = [
      traceWith(),
      routedTrace(),
      traceWith({ content: null }),
      traceWith({ content }),
      traceWith(),
    ];
    expect(await spill.append(traces.slice(0, 2))).toBe(2);
    expect(await spill.append(traces.slice(2))).toBe(3);
    expect([spill.isEmpty, spill.bytes > 0]).toEqual([false, true]);
    const [file = ""] = readdirSync(folder);
    for (const path of [folder, join(folder, file)]) expect(statSync(path).mode & 0o077).toBe(0);
    expect(await takeAll(spill)).toEqual(traces);
    expect([spill.isEmpty, spill.bytes, readdirSync(folder)]).toEqual([true, 0, []]);
  });

  it("says of each segment whether the store may have some of it: never unless it was given, always after a restart", async () => {
    const spill = find();
    await spill.append([traceWith()], "never");
    const fresh = await spill.oldest();
    expect(fresh?.stored).toBe("never");
    if (fresh !== undefined) await spill.remove(fresh);
    await spill.append([traceWith()], "never");
    await spill.append([traceWith()], "maybe");
    await spill.append([traceWith()], "never");
    expect((await spill.oldest())?.stored).toBe("maybe");
    await spill.close();
    expect((await find({ startedAtMs: 2000 }).oldest())?.stored).toBe("maybe");
  });

  it("restores any texts, including half surrogate pairs", async () => {
    const spill = find();
    const traces = [...HOSTILE, "\ud800", "a\udc00b"].map((text) =>
      traceWith({ content: { input: said(text), output: text }, metadata: { [text]: text } }),
    );
    await spill.append(traces);
    expect(await takeAll(spill)).toEqual(traces);
    await fc.assert(
      fc.asyncProperty(anyTraces, async (some) => {
        await spill.append(some);
        expect(await takeAll(spill)).toEqual(some);
      }),
      { numRuns: 20 },
    );
  });

  it("accepts as many traces as there is room for, and more when there is room again", async () => {
    const one = JSON.stringify(traceWith()).length + 1;
    const spill = find({ maxBytes: 2 * one + 1 });
    const traces = [traceWith(), traceWith(), traceWith()];
    expect(await spill.append(traces)).toBe(2);
    expect(await spill.append(traces)).toBe(0);
    expect(await takeAll(spill)).toEqual(traces.slice(0, 2));
    expect(await spill.append(traces)).toBe(2);
    expect(await find({ maxBytes: 0 }).append(traces)).toBe(0);
  });
});

describe("The spill folder, after a crash,", () => {
  it("returns what was written, oldest first, without the truncated line", async () => {
    const [a, b, c] = [traceWith(), traceWith(), traceWith()];
    const text = [a, b].map((trace) => `${JSON.stringify(trace)}\n`).join("");
    mkdirSync(folder);
    for (const cut of [1, 2, 20, text.length / 2 + 1]) {
      writeFileSync(join(folder, "0000000900-0000000000.jsonl"), text.slice(0, -cut));
      expect(await takeAll(find({ startedAtMs: 2000 }))).toEqual(cut <= 20 ? [a] : []);
    }
    await find().append([a, b]);
    const second = find({ startedAtMs: 2000 });
    await second.append([c]);
    expect(await takeAll(second)).toEqual([a, b, c]);
  });

  it("ignores other files in the folder", async () => {
    await find().append([traceWith()]);
    writeFileSync(join(folder, "README"), "x");
    writeFileSync(join(folder, "notes.part"), "x");
    await takeAll(find({ startedAtMs: 2000 }));
    expect(readdirSync(folder).sort()).toEqual(["README", "notes.part"]);
  });
});
