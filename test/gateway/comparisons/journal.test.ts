import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ComparisonJournal } from "../../../src/gateway/comparisons/journal.js";
import { folderForTest } from "../../support/folders.js";

it("Results of comparisons count against the day's budget though the disk is full, and those after it are kept whole", async () => {
  const folder = join(folderForTest(), "data");
  const path = join(folder, "comparisons.jsonl");
  const journal = new ComparisonJournal(path);
  const result = (at: number) => ({
    at,
    comparison: "cheaper",
    with: "auto:0.5",
    request_id: "req_1",
    outcome: "failed" as const,
    served: "a",
    other: null,
    difference: null,
    served_usd: 1,
    other_usd: null,
    answer_spent_usd: 1,
    judge_spent_usd: 1,
  });
  await expect(journal.add(result(1))).rejects.toThrow("ENOENT");
  expect(await journal.results()).toEqual([result(1)]);
  mkdirSync(folder);
  writeFileSync(path, '{"at":2,"comp');
  await journal.add(result(3));
  expect(await journal.results()).toEqual([result(1), result(3)]);
  expect(await new ComparisonJournal(path).results()).toEqual([result(3)]);
  expect(readFileSync(path, "utf8").split("\n")[0]).toBe('{"at":2,"comp');
});
