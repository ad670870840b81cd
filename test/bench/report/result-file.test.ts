import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { goalText, renderMarkdown } from "../../../bench/report/markdown.js";
import { readResult, writeResult } from "../../../bench/report/result-file.js";
import { folderForTests } from "../../support/folders.js";
import { everyChart } from "./every-chart.js";
import { ratioFigure, resultWith } from "./results-for-test.js";

const folder = folderForTests();

const written = async (text: string): Promise<string> => {
  const path = join(folder, "made.json");
  await writeFile(path, text);
  return path;
};

describe("A result file", () => {
  it("is read as it was written, and named after its suite and date", async () => {
    for (const result of everyChart()) {
      const path = await writeResult(result, folder);
      expect(path).toBe(join(folder, `${result.suite}-20261121T120000.json`));
      expect(await readResult(path)).toEqual(result);
    }
  });

  it("is refused with the fault and the remedy", async () => {
    const read = async (text: string) => readResult(await written(text)).catch(String);
    expect(await read("{")).toMatch(/made\.json cannot be read as JSON\. Name a file that a benchmark wrote/);
    expect(await read("null")).toMatch(/is of version none; this one reads 1\. Measure again\./);
    expect(await read(`{"version":7}`)).toMatch(/is of version 7/);
    expect(await read(`{"version":1}`)).toMatch(/is no benchmark result: .*suite/s);
  });

  it("cannot have two figures of one id or an id that is not a path", async () => {
    const figure = ratioFigure("latency/a/b", [1]);
    await expect(writeResult(resultWith({ figures: [figure, figure] }), folder)).rejects.toThrow(
      "has two figures with the id latency/a/b",
    );
    const spaced = resultWith({ figures: [{ ...figure, id: "Not a path" }] });
    await expect(writeResult(spaced, folder)).rejects.toThrow("is no benchmark result");
  });
});

describe("The Markdown of a result", () => {
  it("has a row for each figure, with interval, goal and reference", () => {
    const [quality] = everyChart();
    const against = { ...ratioFigure("quality/a/ratio", [2, 2, 2]), against: "quality/mmlu_pro/ours/ece" };
    const text = renderMarkdown({ ...quality, figures: [...quality.figures, against] });
    expect(text).toContain(
      "| mmlu_pro: ours, quality at cost_weight 0 | 0.7121 | 0.7030 … 0.7210 | ≥ 0.7160 MISSED |  |",
    );
    expect(text).toContain("| quality/a/ratio | 2 × |  |  | ÷ mmlu_pro: calibration error |");
    expect(text).toContain("- mmlu_pro: 8422 prompts × 28 models, SHA-256 c0ffeec0ffeec0ff");
  });

  it("distinguishes reached from missed goals by the direction of the figure", () => {
    const figure = { ...ratioFigure("latency/x/y", [1]), goal: 2 };
    expect(goalText(figure)).toBe("≤ 2 × reached");
    expect(goalText({ ...figure, better: "higher" })).toBe("≥ 2 × MISSED");
    expect(goalText({ ...figure, value: null })).toBe("≤ 2 × not measured");
  });
});
