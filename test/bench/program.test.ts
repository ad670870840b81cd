import { beforeEach, describe, expect, it } from "vitest";
import { createProgram } from "../../bench/program.js";
import type { BenchmarkResult } from "../../bench/report/result.js";
import { readResult, writeResult } from "../../bench/report/result-file.js";
import { folderForTest } from "../support/folders.js";
import { ratioFigure, resultWith } from "./report/results-for-test.js";

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

const run = (ratios: readonly number[], date = "2026-11-21T12:00:00.000Z") => {
  const result = resultWith({ figures: [ratioFigure("latency/a/b", ratios)] });
  return { ...result, environment: { ...result.environment, date } };
};
const quick = [1, 1.01, 0.99];
const slow = [2, 2.02, 1.98];

describe("npm run bench -- gate", () => {
  const written = (result: BenchmarkResult) => writeResult(result, folder);
  const later = "2026-11-22T12:00:00.000Z";

  it("passes and fails by an earlier run", async () => {
    const baseline = await written(run(quick));
    const same = await written(run(quick, later));
    expect((await bench(["gate", "--baseline", baseline, "--result", same])).failed).toBe(false);
    const worse = await written(run(slow, "2026-11-23T12:00:00.000Z"));
    const { failed, printed } = await bench(["gate", "--baseline", baseline, "--result", worse]);
    expect(failed).toBe(true);
    expect(printed).toContain("latency/a/b) got worse: 1 × → 2 ×");
  });

  it("makes the run the baseline on demand, and then passes against it", async () => {
    const baseline = await written(run(quick));
    const gate = ["gate", "--baseline", baseline];
    const { calls } = await bench([...gate, "--update"], () => run(slow, later));
    expect(calls).toEqual([["latency", "--size", "small"]]);
    expect(await readResult(baseline)).toEqual(run(slow, later));
    expect((await bench(gate, () => run(slow, later))).failed).toBe(false);
  });
});
