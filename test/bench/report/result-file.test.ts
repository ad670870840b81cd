import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readResult, writeResult } from "../../../bench/report/result-file.js";
import { folderForTests } from "../../support/folders.js";
import { resultWith, shareFigure } from "./results-for-test.js";

const folder = folderForTests();

const written = async (text: string): Promise<string> => {
  const path = join(folder, "made.json");
  await writeFile(path, text);
  return path;
};

describe("A result file", () => {
  it("is read as it was written, and named after its suite and date", async () => {
    const figure = { ...shareFigure("latency/a/b", [1, 2]), interval: { low: 0.9, high: 1.1 } };
    const datasets = [{ name: "mmlu_pro", sha256: "c0ffee", prompts: 8422, models: 28 }];
    const result = resultWith({ figures: [figure], datasets, seeds: [0, 1], notes: ["A note."] });
    const path = await writeResult(result, folder);
    expect(path).toBe(join(folder, "quality-20261121T120000.json"));
    expect(await readResult(path)).toEqual(result);
  });

  it("is refused with the fault and the remedy", async () => {
    const read = async (text: string) => readResult(await written(text)).catch(String);
    expect(await read("{")).toMatch(/made\.json cannot be read as JSON\. Name a file that a benchmark wrote/);
    expect(await read("null")).toMatch(/is of version none; this one reads 1\. Measure again\./);
    expect(await read(`{"version":7}`)).toMatch(/is of version 7/);
    expect(await read(`{"version":1}`)).toMatch(/is no benchmark result: .*suite/s);
  });

  it("cannot have two figures of one id or an id that is not a path", async () => {
    const figure = shareFigure("latency/a/b", [1]);
    await expect(writeResult(resultWith({ figures: [figure, figure] }), folder)).rejects.toThrow(
      "has two figures with the id latency/a/b",
    );
    const spaced = resultWith({ figures: [{ ...figure, id: "Not a path" }] });
    await expect(writeResult(spaced, folder)).rejects.toThrow("is no benchmark result");
  });
});
