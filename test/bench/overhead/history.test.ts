import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addToHistory, historyCharts, readHistory } from "../../../bench/overhead/history.js";
import { renderPage } from "../../../bench/report/page/render-page.js";
import type { Figure } from "../../../bench/report/result.js";
import { ratioFigure, resultWith } from "../report/results-for-test.js";

const environment = {
  ...{ processor: "A processor", cores: 2, node: "v20.19.0", commit: "abc1234" },
  ...{ date: "2026-11-26T12:00:00.000Z", load: 0.5 },
};
const time: Figure = {
  ...{ id: "overhead/json/cpu", label: "a", value: 250, unit: "us", better: "lower" },
};
const run = (ratio: number, commit: string) => ({
  environment: { ...environment, commit },
  figures: [time, ratioFigure("overhead/json/cpu_over_bare", [ratio])],
});

describe("The history of the gateway's cost", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sextant-history-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("is empty without a file, and keeps the ratios of each run that is written, oldest first", async () => {
    const path = join(folder, "history.json");
    expect(await readHistory(path)).toEqual([]);
    await addToHistory([], run(5, "one")).write(path);
    await addToHistory(await readHistory(path), run(4, "two")).write(path);
    expect(await readHistory(path)).toEqual([
      { commit: "one", date: environment.date, ratios: { "overhead/json/cpu_over_bare": 5 } },
      { commit: "two", date: environment.date, ratios: { "overhead/json/cpu_over_bare": 4 } },
    ]);
  });

  it("is drawn on the benchmark page as multiples of the first run", () => {
    const entries = addToHistory(addToHistory([], run(5, "one")).entries, run(4, "two")).entries;
    const charts = historyCharts(entries);
    expect(charts[0]?.series).toMatchObject([
      {
        name: "json/cpu",
        points: [
          { x: 1, y: 1, label: "one" },
          { x: 2, y: 0.8, label: "two" },
        ],
      },
    ]);
    expect(renderPage([resultWith({ suite: "overhead", charts })])).toContain("from commit to commit");
    expect(historyCharts([])).toEqual([]);
  });
});
