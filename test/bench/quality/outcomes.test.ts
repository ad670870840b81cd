import { describe, expect, it } from "vitest";
import { findNearDuplicates } from "../../../bench/quality/outcomes/near-duplicates.js";
import { loadOutcomeRows } from "../../../bench/quality/outcomes/outcome-rows.js";
import { splitByBenchmark, splitHash } from "../../../bench/quality/outcomes/split.js";
import { takePrompts } from "../../../src/workbench/evaluation/graded-prompts.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";
import { rowsOf } from "./rows-of.js";

const promptsOf = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).flatMap(([benchmark, count]) =>
    Array.from({ length: count }, (_, number) => ({
      id: `${benchmark}${number}`,
      benchmark,
      category: "",
      text: `${benchmark} question ${number}`,
    })),
  );

describe("The stratified split", () => {
  it("uses the first 32 bits of a SHA-256, as other engines do", () => {
    // First 8 hex digits as sha256sum gives them.
    expect([splitHash("abc", 0), splitHash("四", 0)]).toEqual([0xb540166f / 2 ** 32, 0x3a4eefb7 / 2 ** 32]);
  });

  const prompts = promptsOf({ large: 1000, small: 40 });

  it("assigns close to 30 % of every benchmark, and no prompt whose hash is 0.3 or more, to the test part", () => {
    for (const seed of [0, 1, 2, 3, 4]) {
      const { train, test } = splitByBenchmark(prompts, seed);
      expect([...train, ...test].sort((a, b) => a - b)).toEqual(prompts.map((_, index) => index));
      const tested = (benchmark: string) =>
        test.filter((index) => prompts[index]?.benchmark === benchmark).length;
      expect(tested("large")).toBeGreaterThan(250);
      expect(tested("large")).toBeLessThanOrEqual(300);
      expect(tested("small")).toBeLessThanOrEqual(12);
      expect(test.every((index) => splitHash(prompts[index]?.text ?? "", seed) < 0.3)).toBe(true);
    }
  });

  it("keeps equal texts of a benchmark on the same side", () => {
    const twice = [...prompts, ...prompts.map((prompt) => ({ ...prompt, id: `${prompt.id} again` }))];
    const test = new Set(splitByBenchmark(twice, 0).test);
    prompts.forEach((_, index) => {
      expect(test.has(index)).toBe(test.has(index + prompts.length));
    });
  });
});

describe("Near-duplicates of training prompts", () => {
  const words = (start: number, count: number) =>
    Array.from({ length: count }, (_, number) => `word${start + number}`).join(" ");

  it("are texts that share nearly all three-word shingles, not half of them", () => {
    const original = words(0, 40);
    const oneWordOther = original.replace("word39", "instead");
    const halfOther = `${words(0, 20)} ${words(100, 20)}`;
    expect(findNearDuplicates([oneWordOther, halfOther, words(200, 40)], [original])).toEqual(new Set([0]));
  });
});

describe("Outcome rows", () => {
  it("are read from files with tokens and costs, averaged over the samples of one prompt and model", async () => {
    const outcomes = [
      { id: "p", model: "a", score: 1, tokens_out: 4, cost_usd: 0.2, n_samples: 3 },
      { id: "p", model: "a", score: 0, n_samples: 1 },
      { id: "p", model: "b", score: 0.5, tokens_in: 7 },
    ];
    const folder = await folderWith({
      "prompts.jsonl": JSON.stringify({ id: "p", prompt: "Why?" }),
      "outcomes.jsonl": outcomes.map((row) => JSON.stringify(row)).join("\n"),
    });
    const rows = await loadOutcomeRows(folder, 0.9);
    expect(rows.models).toEqual(["a", "b"]);
    expect([...rows.quality]).toEqual([0.75, 0.5]);
    expect([...rows.tokensOut]).toEqual([4, Number.NaN]);
    expect([...rows.tokensIn]).toEqual([Number.NaN, 7]);
    expect([...rows.costUsd]).toEqual([0.2, Number.NaN]);
  });

  it("can be selected by index", () => {
    const rows = rowsOf(["a", "b"], [{ quality: [1, 2] }, { quality: [3, 4] }]);
    expect([...takePrompts(rows, [1, 0]).quality]).toEqual([3, 4, 1, 2]);
  });
});
