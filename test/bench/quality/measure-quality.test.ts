import { describe, expect, it } from "vitest";
import { measureQuality } from "../../../bench/quality/main.js";
import { findSetFolders, type QualityOptions, SHIPPED_EMBEDDER } from "../../../bench/quality/options.js";
import { benchmarkResult } from "../../../bench/report/result.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";

const now = new Date("2026-01-01T00:00:00Z");

async function onSample(changes: Partial<QualityOptions> = {}): Promise<QualityOptions> {
  return {
    sets: await findSetFolders("datasets/sample"),
    seeds: [0],
    embedder: SHIPPED_EMBEDDER,
    embedderSaw: null,
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
      ...["ours/cost_save", "ours/spend_error", "ours/ece", "ours/brier"],
    ];
    expect(ids).toEqual(expect.arrayContaining(expected.map((id) => `quality/sample/${id}`)));
    expect(result.notes.join("\n")).not.toContain("NOT FOR REPORTING");
    expect(steps).toContain("sample, split 0: routing");
  });

  it("measures a set that comes in two parts once, on the models of both parts", async () => {
    const line = (row: object) => JSON.stringify(row);
    const part = (from: number, models: readonly string[]) => {
      const numbers = Array.from({ length: 40 }, (_, number) => from + number);
      const rows = numbers.flatMap((number) =>
        models.map((model) => line({ id: `${number}`, model, score: (number + model.length) % 2 })),
      );
      return folderWith({
        "prompts.jsonl": numbers
          .map((number) => line({ id: `${number}`, prompt: `Question ${number}` }))
          .join("\n"),
        "outcomes.jsonl": rows.join("\n"),
      });
    };
    const train = await part(0, ["a", "bb", "ccc"]);
    const test = await part(100, ["bb", "a"]);
    const sets = [{ name: "divided", train, test }];
    const result = await measureQuality(await onSample({ sets, seeds: [0, 1, 2], leavesOut: false }));
    expect(result.datasets).toMatchObject([{ name: "divided", prompts: 80, models: 2 }]);
    expect(result.figures.find(({ id }) => id === "quality/divided/ours/accuracy")?.samples).toHaveLength(1);
    expect(result.notes.at(-1)).toContain("learned from 40 prompts, tested on 40");
  });
});
