import { join } from "node:path";
import { expect, it } from "vitest";
import { createProgram } from "../../bench/program.js";
import { readResult, writeResult } from "../../bench/report/result-file.js";
import { folderForTest } from "../support/folders.js";
import { resultWith, shareFigure } from "./report/results-for-test.js";

it("npm run bench -- gate fails on a run that is worse than the baseline, and makes it the baseline on demand", async () => {
  const folder = folderForTest();
  const ofShares = (date: string, samples: readonly number[]) => {
    const datasets = [{ name: "sample", sha256: "a".repeat(64), prompts: 120, models: 4 }];
    const result = resultWith({ datasets, seeds: [0, 1, 2], figures: [shareFigure("quality/a/b", samples)] });
    const environment = { ...result.environment, date };
    return writeResult({ ...result, environment }, join(folder, "results"));
  };
  const baseline = await ofShares("2026-11-21T12:00:00.000Z", [0.8, 0.81, 0.79]);
  const worse = await ofShares("2026-11-22T12:00:00.000Z", [0.7, 0.71, 0.69]);
  const fails = async (...args: readonly string[]) => {
    let failed = false;
    const context = { print: () => {}, fail: () => (failed = true), runSuite: async () => worse };
    await createProgram(context).parseAsync(["gate", "--baseline", baseline, ...args], { from: "user" });
    return failed;
  };
  expect(await fails("--result", baseline)).toBe(false);
  expect(await fails("--result", worse)).toBe(true);
  expect(await fails()).toBe(true);
  expect(await fails("--update")).toBe(false);
  expect(await readResult(baseline)).toEqual(await readResult(worse));
  expect(await fails()).toBe(false);
});
