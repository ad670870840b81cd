import { describe, expect, it } from "vitest";
import { compareResults, renderComparison } from "../../../bench/report/compare.js";
import type { Figure } from "../../../bench/report/result.js";
import { ratioFigure, resultWith } from "./results-for-test.js";

const time = (samples: readonly number[]): Figure => ({
  ...ratioFigure("latency/a/p50", samples),
  unit: "us",
});

describe("Comparing two runs", () => {
  it("compares times measured on one machine", () => {
    const [before, after] = [
      [10, 10.1, 9.9],
      [5, 5.1, 4.9],
    ].map((samples) => resultWith({ figures: [time(samples)] }));
    if (before === undefined || after === undefined) throw new Error("two results were made");
    expect(compareResults(before, after).judgements).toMatchObject([{ verdict: "better", change: -0.5 }]);
    const elsewhere = { ...after, environment: { ...after.environment, processor: "Another" } };
    const comparison = compareResults(before, elsewhere);
    expect(comparison.judgements).toMatchObject([{ verdict: "not judged" }]);
    expect(comparison.differences).toContain("processor: A processor before, Another after");
  });

  it("prints regressions first", () => {
    const before = resultWith({
      figures: ["same", "worse", "gone"].map((name) => ratioFigure(`latency/x/${name}`, [1, 1.01, 0.99])),
    });
    const after = resultWith({
      figures: [
        ratioFigure("latency/x/same", [1, 1.01, 0.99]),
        ratioFigure("latency/x/worse", [3, 3.01, 2.99]),
        ratioFigure("latency/x/new", [1, 1, 1]),
      ],
    });
    const text = renderComparison(compareResults(before, after));
    const names = text.split("\n").flatMap((line) => /latency\/x\/(\w+) \(/.exec(line)?.[1] ?? []);
    expect(names).toEqual(["gone", "worse", "new", "same"]);
    expect(text).toContain("| 1 × | 3 × | +200.0 % | worse | over 3 and 3 rounds |");
    expect(text).toContain("1 missing, 1 worse, 1 new, 1 same");
  });

  it("names differences of data, seeds, command and load", () => {
    const before = resultWith({ suite: "quality", seeds: [1] });
    const after = {
      ...{ ...before, seeds: [2], command: "npm run bench -- quality --small" },
      datasets: [{ name: "sample", sha256: "a".repeat(64), prompts: 1, models: 1 }],
    };
    expect(compareResults(before, after).differences).toEqual([
      "command: `npm run bench -- latency` before, `npm run bench -- quality --small` after",
      "data: none before, sample (aaaaaaaa) after",
      "seeds: 1 before, 2 after",
    ]);
  });
});
