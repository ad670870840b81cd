import { describe, expect, it } from "vitest";
import { measureQuality } from "../../../bench/quality/main.js";
import { findSetFolders, type QualityOptions, SHIPPED_EMBEDDER } from "../../../bench/quality/options.js";
import { benchmarkResult } from "../../../bench/report/result.js";

const now = new Date("2026-01-01T00:00:00Z");

async function onSample(changes: Partial<QualityOptions> = {}): Promise<QualityOptions> {
  return {
    sets: await findSetFolders("datasets/sample"),
    seeds: [0],
    embedder: SHIPPED_EMBEDDER,
    leavesOut: true,
    command: "test",
    now,
    ...changes,
  };
}

describe("measureQuality on the sample", { timeout: 120_000 }, () => {
  it("gives every kind of figure, each id once", async () => {
    const steps: string[] = [];
    const options = await onSample();
    const progress = (_done: number, _total: number, step: string) => steps.push(step);
    const result = benchmarkResult.parse(await measureQuality(options, { progress }));
    const ids = result.figures.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const expected = [
      ...["ours/accuracy", "best_single/accuracy", "knn20/accuracy", "oracle/accuracy", "ours/aiq_gain"],
      ...["ours/cost_save", "ours/spend_error", "ours/ece"],
    ];
    expect(ids).toEqual(expect.arrayContaining(expected.map((id) => `quality/sample/${id}`)));
    expect(result.notes.join("\n")).not.toContain("NOT FOR REPORTING");
    expect(steps).toContain("sample, split 0: routing");
  });
});
