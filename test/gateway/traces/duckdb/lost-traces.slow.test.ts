/** A write-ahead log that was damaged after traces had been stored in it: what is lost is said, and the log is kept. */
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { systemTimers } from "../../../../src/foundation/timers.js";
import { loadSettings } from "../../../../src/gateway/settings/load-settings.js";
import type { TraceLoss } from "../../../../src/gateway/traces/duckdb/acknowledged.js";
import { openTraces } from "../../../../src/gateway/traces/open-traces.js";
import type { StoreHealth } from "../../../../src/gateway/traces/store.js";
import { folderForTest } from "../../../support/folders.js";
import { linesUntilKilled } from "../../../support/killed-process.js";
import { traceWith } from "../trace-for-test.js";
import { openStore } from "./database-for-test.js";

const PAIRS = 151;
const STORED = 2 * PAIRS;
/** Places at which the log is overwritten. */
const PARTS = 7;

let folder = "";
let path = "";
let log = "";
beforeEach(() => {
  folder = folderForTest();
  path = join(folder, "traces.duckdb");
  log = `${path}.wal`;
});

/** Runs a script beside this file until it has written so many lines, and kills it. */
const runUntil = (lines: number, script: string, ...argv: readonly string[]) =>
  linesUntilKilled(new URL(script, import.meta.url), { argv, after: lines });

const store302 = (mode = "") => runUntil(1, "storing-process.ts", path, String(PAIRS), mode);

const FIRST = { filter: {}, page: { limit: 1, offset: 0 } };

interface Opened {
  readonly found: number;
  readonly losses: readonly TraceLoss[];
  readonly health: StoreHealth;
}

/** Opens the file, adds one trace, and closes it. */
async function open(): Promise<Opened> {
  const losses: TraceLoss[] = [];
  const store = openStore(path, { onLoss: (loss) => losses.push(loss) });
  try {
    const { total: found } = await store.ask("list", FIRST, { scope: "all" });
    await store.append([traceWith()]);
    return { found, losses, health: store.health() };
  } finally {
    await store.close();
  }
}

const NOTHING_LOST = { losses: [], health: { ok: true, state: "open" } };

describe("a log of which a part is missing", () => {
  it("is reported with the number of traces, and kept beside as it was found, once", async () => {
    await store302();
    truncateSync(log, 3000);
    const damaged = readFileSync(log);
    const { found, losses, health } = await open();
    const [loss] = losses;
    const damagedLog = expect.stringContaining(`${log}.damaged-`);
    expect(losses).toEqual([{ traces: STORED - found, damagedLog }]);
    expect(loss?.traces).toBeGreaterThan(0);
    const kept = loss?.damagedLog ?? "";
    expect(readFileSync(kept)).toEqual(damaged);
    expect(health).toEqual({ ok: true, state: "open", lost: STORED - found, damaged_log: basename(kept) });
    expect(await open()).toEqual({ found: found + 1, ...NOTHING_LOST });
    expect(existsSync(kept)).toBe(true);
  });

  it("is reported when all of it is missing", async () => {
    await store302();
    rmSync(log);
    const { found, losses, health } = await open();
    expect([found, losses]).toEqual([0, [{ traces: STORED, damagedLog: null }]]);
    expect(health).toEqual({ ok: true, state: "open", lost: STORED });
  });

  it("is reported when only feedback was in that part", async () => {
    await store302("feedback");
    truncateSync(log, readFileSync(log).length - 20);
    const { found, losses } = await open();
    expect([found, losses]).toEqual([STORED, [{ traces: 0, damagedLog: expect.any(String) }]]);
  });
});

it("a server logs what is missing, and GET /readyz has it", async () => {
  const settings = loadSettings({ SEXTANT_DATA_DIR: folder }, { workingDirectory: folder });
  await store302("closed");
  writeFileSync(`${path}.acknowledged`, JSON.stringify({ traces: STORED + 5, log: null }));
  const errors: unknown[] = [];
  const ignore = () => {};
  const log = { info: ignore, warn: ignore, error: (details: object) => errors.push(details) };
  const traces = openTraces(settings, { timers: systemTimers, now: Date.now, log });
  await traces.store.ask("list", FIRST, { scope: "all" });
  expect(errors).toEqual([{ traces: 5, damagedLog: null }]);
  expect(traces.health()).toEqual({ ok: true, state: "open", lost: 5 });
  await traces.close(300_000);
});

it("a log that was cut or overwritten anywhere is refused or reported, never passed over in silence", async () => {
  await store302();
  const [file, whole, record] = [readFileSync(path), readFileSync(log), readFileSync(`${path}.acknowledged`)];
  const outcomes: string[] = [];
  for (let part = 1; part < PARTS; part++) {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    const from = Math.floor((whole.length * part) / PARTS);
    const rest = [undefined, 0, 0xff][part % 3];
    const damaged = rest === undefined ? whole.subarray(0, from) : Buffer.from(whole).fill(rest, from);
    writeFileSync(path, file);
    writeFileSync(log, damaged);
    writeFileSync(`${path}.acknowledged`, record);
    const outcome = await open().catch((error: Error) => error);
    if (outcome instanceof Error) {
      expect(outcome.message).toMatch(/the file is damaged/);
      expect(readdirSync(folder).filter((name) => name.includes(".damaged-"))).toEqual([]);
    } else expect(outcome.losses).toMatchObject([{ traces: STORED - outcome.found }]);
    outcomes.push(outcome instanceof Error ? "refused" : "reported");
  }
  expect(outcomes).toContain("reported");
});

describe("nothing is reported", () => {
  it("of a process that was killed, nor of one that closed its file", async () => {
    await store302();
    expect(await open()).toEqual({ found: STORED, ...NOTHING_LOST });
    await runUntil(1, "storing-process.ts", path, "3", "closed");
    expect(await open()).toEqual({ found: STORED + 7, ...NOTHING_LOST });
  });

  it("of a file that was moved away to begin a new one", async () => {
    await store302("closed");
    rmSync(path);
    expect(await open()).toEqual({ found: 0, ...NOTHING_LOST });
  });

  it("of a file of a version that kept no record", async () => {
    await store302();
    rmSync(`${path}.acknowledged`);
    expect(await open()).toEqual({ found: STORED, ...NOTHING_LOST });
  });
});
