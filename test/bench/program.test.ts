import { beforeEach, describe, expect, it } from "vitest";
import { createProgram } from "../../bench/program.js";
import type { BenchmarkResult } from "../../bench/report/result.js";
import { readResult, writeResult } from "../../bench/report/result-file.js";
import { folderForTest } from "../support/folders.js";
import { resultWith, shareFigure } from "./report/results-for-test.js";

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

/** Runs the command line with suites that only write down how they were called, and leave what `leaves` says. */
async function bench(
  args: readonly string[],
  leaves: (suite: string) => BenchmarkResult = () => resultWith(),
) {
  const printed: string[] = [];
  const calls: (readonly string[])[] = [];
  let failed = false;
  const program = createProgram({
    print: (text) => printed.push(text),
    runSuite: async (suite, words) => {
      calls.push([suite.name, ...words]);
      return writeResult({ ...leaves(suite.name), suite: suite.name }, folder);
    },
    fail: () => {
      failed = true;
    },
  })
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: () => {} });
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => {} });
  await program.parseAsync([...args], { from: "user" });
  return { printed: printed.join("\n"), calls, failed };
}

const DATA = [{ name: "sample", sha256: "a".repeat(64), prompts: 120, models: 4 }];
const run = (shares: readonly number[], date = "2026-11-21T12:00:00.000Z") => {
  const figures = [shareFigure("quality/a/b", shares)];
  const result = resultWith({ datasets: DATA, seeds: shares.map((_, seed) => seed), figures });
  return { ...result, environment: { ...result.environment, date } };
};
const good = [0.8, 0.81, 0.79];
const bad = [0.7, 0.71, 0.69];

describe("npm run bench -- gate", () => {
  const written = (result: BenchmarkResult) => writeResult(result, folder);
  const later = "2026-11-22T12:00:00.000Z";

  it("passes and fails by an earlier run", async () => {
    const baseline = await written(run(good));
    const same = await written(run(good, later));
    expect((await bench(["gate", "--baseline", baseline, "--result", same])).failed).toBe(false);
    const worse = await written(run(bad, "2026-11-23T12:00:00.000Z"));
    const { failed, printed } = await bench(["gate", "--baseline", baseline, "--result", worse]);
    expect(failed).toBe(true);
    expect(printed).toContain("quality/a/b) got worse: 80.0 % → 70.0 %");
  });

  it("makes the run the baseline on demand, and then passes against it", async () => {
    const baseline = await written(run(good));
    const gate = ["gate", "--baseline", baseline];
    const { calls } = await bench([...gate, "--update"], () => run(bad, later));
    expect(calls.map((words) => words.slice(0, 3))).toEqual([["quality", "--data", "datasets/sample"]]);
    expect(await readResult(baseline)).toEqual(run(bad, later));
    expect((await bench(gate, () => run(bad, later))).failed).toBe(false);
  });
});
