import { beforeEach, expect, it } from "vitest";
import { systemTimers } from "../../../../src/foundation/timers.js";
import { loadSettings } from "../../../../src/gateway/settings/load-settings.js";
import { openTraces } from "../../../../src/gateway/traces/open-traces.js";
import { folderForTest } from "../../../support/folders.js";
import { linesUntilKilled } from "../../../support/killed-process.js";
import { until } from "../until.js";

/** Kills for each way of writing; more of them by CRASHES=20. */
const CRASHES = Number(process.env.CRASHES ?? 3);

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

interface Progress {
  /** All before this number were recorded. */
  readonly recorded: number;
  readonly written: number;
}

/** Lets a process write and kills it when it has told that many times how far it is. */
async function writeUntilKilled(from: number, lines: number, mode: string): Promise<Progress[]> {
  const script = new URL("crashing-writer.ts", import.meta.url);
  return (await linesUntilKilled(script, { argv: [folder, String(from), mode], after: lines })).map((line) =>
    JSON.parse(line),
  );
}

/** The numbers that are found by the next start, sorted. */
async function survivors(): Promise<number[]> {
  const settings = loadSettings({ SEXTANT_DATA_DIR: folder }, { workingDirectory: folder });
  const ignore = () => {};
  const log = { info: ignore, warn: ignore, error: ignore };
  const traces = openTraces(settings, { timers: systemTimers, now: Date.now, log });
  try {
    await until(() => traces.stats()?.spillBytes === 0);
    expect(traces.stats()).toMatchObject({ dropped: 0 });
    const numbers: number[] = [];
    for await (const batch of traces.store.export({ filter: {} }, { scope: "all" })) {
      numbers.push(...batch.map(({ metadata }) => Number(metadata.n)).filter((n) => n >= 0));
    }
    // Nothing is reported as lost either.
    expect(traces.health()).toEqual({ ok: true, state: "open" });
    return numbers.sort((left, right) => left - right);
  } finally {
    await traces.close(300_000);
  }
}

it.each([
  ["and works its log into the file", ""],
  ["and writes the file anew to remove old traces", "removing"],
])(
  "A DuckDB store that is killed during writes loses nothing that was stored, and leaves a usable file: %s",
  async (_, mode) => {
    let from = 0;
    const everFound = new Set<number>();
    for (let crash = 0; crash < CRASHES; crash++) {
      // Not the same moment each time: a prime number of steps further.
      const progress = await writeUntilKilled(from, 40 + ((crash * 37) % 101), mode);
      const found = await survivors();
      const set = new Set(found);
      expect(set.size).toBe(found.length);
      for (const number of everFound) expect(set.has(number)).toBe(true);
      for (const number of found) everFound.add(number);
      const { recorded = 0, written = 0 } = progress.at(-1) ?? {};
      expect(found.filter((number) => number >= from).length).toBeGreaterThanOrEqual(written);
      from = recorded + 1000;
    }
  },
);
