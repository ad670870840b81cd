/** Budgets of processes that are killed: nothing that was spent is forgotten, and nothing counts twice. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Tally } from "../../../../src/gateway/access/limits/counters.js";
import { SavedCounters } from "../../../../src/gateway/access/limits/saved-counters.js";
import { SpendFile } from "../../../../src/gateway/access/limits/spend-file.js";
import { FakeAccessLog } from "../../../fakes/access-log.js";
import { FakeClock } from "../../../fakes/clock.js";
import { folderForTest } from "../../../support/folders.js";

const MONTH = "2026-01";
const UNLIMITED = 1e15;

let folder = "";
let log: FakeAccessLog;
beforeEach(() => {
  folder = folderForTest();
  log = new FakeAccessLog();
});

/** The counters of one process. It is killed by letting go of it: its timers never run again. */
class Process {
  private constructor(
    readonly counters: SavedCounters,
    readonly clock: FakeClock,
  ) {}

  static async start(): Promise<Process> {
    const clock = new FakeClock();
    const file = new SpendFile(folder, { log });
    return new Process(await SavedCounters.open({ file, now: clock.now, timers: clock, log }), clock);
  }

  reserve(principal: string, nanoUsd: number, budget = UNLIMITED): Tally {
    return this.counters.claim({
      principal,
      limits: { requests: null, tokens: null, nanoUsd: budget },
      tokens: 0,
      nanoUsd,
    });
  }

  settle(principal: string, nanoUsd: number, period = MONTH): void {
    this.counters.correct({ principal, minute: 0, requests: 0, tokens: 0, period, nanoUsd });
  }

  spent = (principal: string): number => this.reserve(principal, 0).nanoUsd;

  /** Lets the time of saving come until the file has the sum. */
  async save(sum: number): Promise<void> {
    const saveOnce = () => {
      this.clock.advance(5_000);
      return savedText() === "" ? 0 : saved().key_ada;
    };
    await expect.poll(saveOnce).toBe(sum);
    await expect.poll(() => readdirSync(folder).filter((name) => name.includes(".lock-"))).toEqual([]);
  }
}

/** Undefined when there is no such file. */
function contentOf(name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), "utf8");
  } catch {
    return undefined;
  }
}
const savedText = (): string => contentOf("spend.json") ?? "";
const saved = () => JSON.parse(savedText()).spent_nano_usd;
const journals = () => readdirSync(folder).filter((name) => name.startsWith("spend.json.journal-"));

describe("The spend journal of a killed process", () => {
  it("is added to those of others, each from where it was saved, when it was killed after that and before removing it", async () => {
    const line = (nanoUsd: number) => `${JSON.stringify([MONTH, "key_ada", nanoUsd])}\n`;
    const journals = { "spend.json.journal-a": line(7).length };
    const before = { version: 1, month: MONTH, spent_nano_usd: { key_ada: 100 }, journals };
    writeFileSync(join(folder, "spend.json"), JSON.stringify(before));
    writeFileSync(join(folder, "spend.json.journal-a"), line(7) + line(20));
    writeFileSync(join(folder, "spend.json.journal-b"), line(3));
    const process = await Process.start();
    expect(process.spent("key_ada")).toBe(123);
    await process.counters.close();
    expect(saved()).toEqual({ key_ada: 123 });
    expect(readdirSync(folder)).toEqual(["spend.json"]);
  });

  it("may have truncated or damaged lines: the others count, and the damaged one is logged", async () => {
    const first = await Process.start();
    first.reserve("key_ada", 500);
    const [journal = ""] = journals();
    appendFileSync(
      join(folder, journal),
      `{"no":"entry"}\n["${MONTH}","key_ada",7]\n["${MONTH}","key_ada",1`,
    );
    const second = await Process.start();
    expect(second.spent("key_ada")).toBe(507);
    await second.counters.close();
    expect(log.lines.map(({ details }) => details)).toEqual([
      { file: join(folder, journal), line: '{"no":"entry"}' },
    ]);
  });
});

describe("The spend journal of a running process", () => {
  it("does not carry spending of the previous month into the next", async () => {
    const process = await Process.start();
    process.reserve("key_ada", 100);
    process.clock.advance(31 * 86_400_000);
    process.reserve("key_ada", 5);
    process.settle("key_ada", -50);
    await process.counters.close();
    expect(JSON.parse(savedText())).toMatchObject({ month: "2026-02", spent_nano_usd: { key_ada: 5 } });
  });

  it("keeps in memory what cannot be written until it is saved, and logs that once", async () => {
    const process = await Process.start();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "a file where the folder should be");
    process.reserve("key_ada", 100);
    process.reserve("key_ada", 20);
    rmSync(folder);
    mkdirSync(folder);
    process.reserve("key_ada", 3);
    await process.counters.close();
    expect(saved()).toEqual({ key_ada: 123 });
    expect(log.of("warn")).toEqual([expect.stringMatching(/^spending cannot be written to its journal/)]);
  });
});

/**
 * The folder as a process leaves it that is killed now: what it has begun to save goes on in the old one, so that a file may
 * go while this copies. @returns its path
 */
function asLeftNow(): string {
  const left = folderForTest();
  for (const name of readdirSync(folder)) {
    // The lock of a process that is gone does not count, nor does what it had not put in place.
    if (/\.lock-|\.tmp$/.test(name)) continue;
    const content = contentOf(name);
    if (content !== undefined) writeFileSync(join(left, name), content);
  }
  return left;
}

it("The spend journal counts all spending exactly once, for a process that starts, spends, saves, stops and is killed in any order", async () => {
  const step = fc.record({
    what: fc.constantFrom("spend", "spend", "settle", "save", "stop", "kill"),
    nanoUsd: fc.integer({ min: 1, max: 1000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      folder = folderForTest();
      let running: Process | undefined;
      let spent = 0;
      for (const { what, nanoUsd } of steps) {
        const process = running ?? (await Process.start());
        running = process;
        if (what === "spend" || what === "settle") {
          process.reserve("key_ada", nanoUsd);
          const settled = what === "settle" ? -Math.floor(nanoUsd / 2) : 0;
          process.settle("key_ada", settled);
          spent += nanoUsd + settled;
        }
        if (what === "save") {
          process.reserve("key_ada", 1);
          spent += 1;
          await process.save(spent);
        }
        if (what === "stop") await process.counters.close();
        if (what === "kill") folder = asLeftNow();
        if (what === "stop" || what === "kill") running = undefined;
      }
      const last = await Process.start();
      expect(last.spent("key_ada")).toBe(spent);
      last.reserve("key_ada", 1);
      await last.counters.close();
      expect(saved().key_ada).toBe(spent + 1);
    }),
    { numRuns: 12 },
  );
});
