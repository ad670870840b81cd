import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writeSparseSet } from "../../../bench/evidence/build-router.js";
import { isSameBenchmark } from "../../../bench/evidence/evidence-data.js";
import { loadSparseSet, modelsOf, type SparseSet } from "../../../bench/evidence/sparse-set.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";

const prompt = (id: string) => ({ id, benchmark: "b", category: "", text: `text of ${id}` });
const cell = (at: number, model: string, score: number) => ({
  prompt: at,
  model,
  score,
  samples: 1,
  tokensIn: null,
  tokensOut: 7,
  tokensReasoning: 3,
  costUsd: null,
});

const SET: SparseSet = {
  name: "set",
  sha256: "",
  prompts: [prompt("p1"), prompt("p2"), prompt("p3")],
  cells: [cell(0, "a", 1), cell(1, "a", 0), cell(2, "b", 0.5)],
};

it("A sparse set reads back what it wrote, and keeps a reasoning effort apart from its model", async () => {
  const folder = await folderWith({});
  await writeSparseSet(SET, folder);
  const read = await loadSparseSet({ name: "set", folder });
  expect(read.prompts).toEqual(SET.prompts);
  expect(read.cells).toEqual(SET.cells);
  const efforts = await folderWith({
    "prompts.jsonl": await readFile(join(folder, "prompts.jsonl"), "utf8"),
    "outcomes.jsonl": ["", "high"]
      .map((effort) => JSON.stringify({ id: "p1", model: "gpt-5.5", effort, score: 1 }))
      .join("\n"),
  });
  expect(modelsOf(await loadSparseSet({ name: "set", folder: efforts }))).toEqual([
    "gpt-5.5",
    "gpt-5.5:high",
  ]);
});

it("A sparse set knows which published benchmarks have the same questions as a set", () => {
  expect(isSameBenchmark("llmstats/mmlu-pro", "mmlu_pro")).toBe(true);
  expect(isSameBenchmark("mmlu_pro", "mmlu_pro")).toBe(true);
  expect(isSameBenchmark("llmstats/mmlu", "mmlu_pro")).toBe(false);
  expect(isSameBenchmark("openhands/swe-bench", "openhands_index")).toBe(true);
  expect(isSameBenchmark("gpqa", "zeroeval")).toBe(false);
  expect(isSameBenchmark("llmstats/math", "zeroeval")).toBe(true);
  expect(isSameBenchmark("math_500", "zeroeval")).toBe(false);
});
